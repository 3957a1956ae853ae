"""The commitment of a plan and its schedule contingency, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clusterwright.output import day
from ledger.questions.forecast_words import chance_words, days_words
from steps.stamps import days_between

if TYPE_CHECKING:
    from steps.planning.odds.commitment import PlanCommitment
    from steps.planning.odds.contingency_parts import ContingencyParts

HALF_A_WEEK = 0.5


def parts_line(found: ContingencyParts) -> str:
    """Return how many weeks of the schedule contingency are lead times, and of which order above all."""
    first = f", {found.first} first" if found.first and found.lead_weeks >= HALF_A_WEEK else ""
    return f"{found.lead_weeks:.0f} of the {found.weeks:.0f} weeks of schedule contingency are lead times{first}."


def commitment_lines(found: PlanCommitment, zone: str) -> Iterator[str]:
    """Yield the commitment and the target, the working schedule with its chance, and the reference class."""
    days = days_between(found.working, found.commitment, zone)
    yield f"Commitment {day(found.commitment, zone)} ({found.percentile}), target {day(found.target, zone)} (P50). Tell people these dates."
    yield (
        f"The working schedule ends on {day(found.working, zone)}. The chance of this date or an earlier one is {chance_words(found.chance)}; "
        f"the schedule contingency is {days_words(days)}."
    )
    other = found.reference
    if other is not None:
        yield (
            f"Reference class: data centres take {other.overrun * 100:.0f} % longer than planned ({other.source}). "
            f"By that this one is live on {day(other.go_live, zone)}."
        )
