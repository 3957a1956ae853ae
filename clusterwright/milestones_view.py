"""Milestones and how sure they are. A site may have many halls, and a screen shows a few of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from clusterwright.output import day, table
from ledger.questions.kept_forecast import KeptMilestone
from steps.planning.dates.halls import is_hall

if TYPE_CHECKING:
    from steps.planning.odds.plan_odds import MilestoneOdds

MOST = 6
"""So many halls are shown, one of them the last; --json has all."""


CHANCE = "by then"
"""The heading of the chance that a milestone is reached on its planned day or earlier."""
SURE, HARDLY = 0.99, 0.01


class Milestone(Protocol):
    """Anything that is reached."""

    @property
    def milestone(self) -> str:
        """What it is called."""


M = TypeVar("M", bound=Milestone)


def few_halls(milestones: Sequence[M]) -> list[M]:
    """Return the milestones with the first halls and the last one, where there are more than fit on a screen."""
    halls = [one for one in milestones if is_hall(one.milestone)]
    left_out = {one.milestone for one in halls[MOST - 1 : -1]}
    return [one for one in milestones if one.milestone not in left_out]


def halls_left_out(milestones: Sequence[Milestone]) -> str:
    """Return how many halls `few_halls` leaves out, in words; empty where it shows all."""
    more = len(milestones) - len(few_halls(milestones))
    return f"{more} more halls: --json" if more else ""


def chance_in_words(share: float) -> str:
    """Return a share of samples as a chance. A few hundred samples say nothing more exact of what is nearly sure or hardly happens."""
    if share < HARDLY:
        return "under 1 %"
    return "over 99 %" if share > SURE else f"{share * 100:.0f} %"


def print_milestones(
    milestones: Sequence[KeptMilestone | MilestoneOdds],
    zone: str,
    *,
    title: str,
    baseline: Mapping[str, datetime] | None = None,
) -> None:
    """Print each milestone as planned, the chance of that date or an earlier one, and P10, P50 and P80.

    Of a plan in force, `baseline` has the dates of the baseline, and the date that is expected now stands beside them.
    """
    in_force = ("baseline", "expected") if baseline is not None else ()
    headers = ("milestone", "planned", *in_force, CHANCE, "P10", "P50", "P80", "P80 is between")
    rows = [
        (
            one.milestone,
            day(one.planned, zone),
            *(() if baseline is None else (day(baseline.get(one.milestone), zone), day(one.expected, zone))),
            chance_in_words(one.planned_share),
            day(one.p10.date, zone),
            day(one.p50.date, zone),
            day(one.p80.date, zone),
            f"{day(one.p80.low, zone)} and {day(one.p80.high, zone)}",
        )
        for one in few_halls(milestones)
    ]
    table(headers, rows, title=title, right=(headers.index(CHANCE),))
    if left_out := halls_left_out(milestones):
        print(left_out)
