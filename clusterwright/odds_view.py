"""How sure a plan is: its milestones, the commitment to them, and what the buyer does about late orders.

A site may have many halls, and a screen shows a few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from clusterwright.output import Cells, day, money, table
from ledger.questions.commitment import Commitment
from ledger.questions.forecast_words import chance_words, days_words
from steps.catalog.terms import Response
from steps.planning.dates.milestones import is_hall
from steps.stamps import days_between

if TYPE_CHECKING:
    from steps.planning.odds.commitment import PlanCommitment
    from steps.planning.odds.contingency_parts import ContingencyParts
    from steps.planning.odds.milestone_odds import MilestoneOdds
    from steps.planning.odds.response_result import ResponseResult

MOST = 6
"""So many halls are shown, one of them the last; --json has all."""


CHANCE = "by then"
"""The heading of the chance that a milestone is reached on the day before it or earlier."""
LEVELS = ("P10", "P50", "P80")
HALF_A_WEEK = 0.5
RESPONSES = (
    "response",
    "to late orders of",
    "used in 100",
    "mean price",
    "P80 of price",
    "weeks of P50",
    "weeks of P80",
)
HALF_A_DAY = 0.5


def few_halls(milestones: Sequence[MilestoneOdds]) -> list[MilestoneOdds]:
    """Return the milestones with the first halls and the last one, where there are more than fit on a screen."""
    halls = [one for one in milestones if is_hall(one.milestone)]
    left_out = {one.milestone for one in halls[MOST - 1 : -1]}
    return [one for one in milestones if one.milestone not in left_out]


def halls_left_out(milestones: Sequence[MilestoneOdds]) -> str:
    """Return how many halls `few_halls` leaves out, in words; empty where it shows all."""
    more = len(milestones) - len(few_halls(milestones))
    return f"{more} more halls: --json" if more else ""


def print_milestones(
    milestones: Sequence[MilestoneOdds],
    zone: str,
    *,
    title: str,
) -> None:
    """Print each milestone of a plan in its working schedule, the chance of that date or an earlier one, and P10, P50 and P80."""
    headers = ("milestone", "working", CHANCE, *LEVELS, "P80 is between")
    rows = [
        (
            one.milestone,
            day(one.planned, zone),
            chance_words(one.planned_share),
            *_levels(one, zone),
            f"{day(one.p80.low, zone)} and {day(one.p80.high, zone)}",
        )
        for one in few_halls(milestones)
    ]
    _print(headers, rows, milestones, title)


def print_milestones_in_force(
    milestones: Sequence[MilestoneOdds],
    zone: str,
    *,
    title: str,
    committed: Mapping[str, Commitment],
    baseline: Mapping[str, datetime],
) -> None:
    """Print each milestone of a plan in force with its commitment, the chance of that, and as it is planned and expected now."""
    headers = ("milestone", "commitment", CHANCE, "target", "working", "baseline", "expected", *LEVELS)
    rows = []
    for one in few_halls(milestones):
        own, chance = committed.get(one.milestone), one.committed_share
        dates = (own and own.target, one.planned, baseline.get(one.milestone), one.expected)
        said = (day(own and own.commitment, zone), "" if chance is None else chance_words(chance))
        rows.append((one.milestone, *said, *(day(date, zone) for date in dates), *_levels(one, zone)))
    _print(headers, rows, milestones, title)


def _levels(one: MilestoneOdds, zone: str) -> tuple[str, ...]:
    return tuple(day(level.date, zone) for level in (one.p10, one.p50, one.p80))


def _print(headers: tuple[str, ...], rows: Sequence[Cells], milestones: Sequence[MilestoneOdds], title: str) -> None:
    table(headers, rows, title=title, right=(headers.index(CHANCE),))
    if left_out := halls_left_out(milestones):
        print(left_out)


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


def print_responses(found: Sequence[ResponseResult], scenario: str = "") -> None:
    """Print in how many samples each response is used, its price, and by how many weeks go-live is earlier; nothing without any."""
    if not found:
        return
    under = f" under {scenario}" if scenario else ""
    title = f"What the buyer does about late orders{under}: the same samples with it and without it"
    table(RESPONSES, map(_response, found), title=title, right=(2, 3, 4, 5, 6))
    for line in _notes(found):
        print(line)


def _response(one: ResponseResult) -> Cells:
    least = "at least " if one.unpriced else ""
    return (
        one.name,
        ", ".join(one.items),
        f"{one.used_share * 100:.0f}",
        f"{least}{money(one.usd_mean)}",
        f"{least}{money(one.usd_p80)}",
        f"{one.weeks_p50:.1f}",
        f"{one.weeks_p80:.1f}",
    )


def _notes(found: Sequence[ResponseResult]) -> Iterator[str]:
    """Yield what the table has no column for."""
    unpriced = sorted({item for one in found for item in one.unpriced})
    if unpriced:
        yield f"Not priced, as the design has no price of them: {', '.join(unpriced)}."
    part = [one for one in found if one.name == Response.PARTIAL_SERVICE.words and one.used_share]
    for one in part:
        days = f"{one.part_days:.1f} days" if one.part_days >= HALF_A_DAY else "less than half a day"
        yield f"With {one.name} the fabric has only its part for {days} after go-live, on average over all samples."
