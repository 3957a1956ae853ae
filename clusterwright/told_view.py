"""What people are told of go-live, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clusterwright.output import day
from ledger.questions.forecast_words import chance_words, days_words
from steps.stamps import days_between

if TYPE_CHECKING:
    from steps.planning.odds.between import Between
    from steps.planning.odds.told import Told

HALF_A_WEEK = 0.5


def between_line(found: Between) -> str:
    """Return how many weeks of those between working schedule and commitment are lead times, and of which order above all."""
    first = f", {found.first} first" if found.first and found.lead_weeks >= HALF_A_WEEK else ""
    return f"{found.lead_weeks:.0f} of the {found.weeks:.0f} weeks between them are lead times{first}."


def told_lines(found: Told, zone: str) -> Iterator[str]:
    """Yield the commitment and the target, the working schedule with its chance, and the reference class."""
    days = days_between(found.working, found.commitment, zone)
    yield f"Commitment {day(found.commitment, zone)} ({found.percentile}), target {day(found.target, zone)} (P50): the dates to tell people."
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
