"""Halls that go live by themselves: which are in service, and when the others will be. The go-live of the site stays open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from ledger.questions.activities import activities
from ledger.questions.kept_forecast import KeptForecast
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity, State
from steps.planning.dates.milestones import IN_SERVICE, hall_milestone
from steps.planning.odds.milestone_odds import MilestoneOdds

NAMED = 3
"""So many halls in service are named with their dates, the newest last."""
LAST = datetime.max.replace(tzinfo=UTC)

Day = Callable[[datetime | None], str]
"""What writes a day."""


class HallRow(NamedTuple):
    """A hall, and when it is in service: since when, as planned, and as the kept forecast has it, where there is one.

    It is in service when that is approved, in all three.
    """

    hall: str
    activity: str
    state: State
    in_service_since: datetime | None
    planned: datetime | None
    expected: datetime | None
    p50: datetime | None
    p80: datetime | None


def halls(snapshot: Snapshot, found: KeptForecast | None) -> list[HallRow]:
    """Return the halls that the plan in force puts in service, in order. A sign-off that became stale does not count."""
    seen = {one.milestone: one for one in found.milestones} if found else {}
    rows = (row for row in activities(snapshot, step=IN_SERVICE) if row.state is not State.NOT_APPLICABLE)
    return [_hall(row, seen.get(hall_milestone(row.plan.unit))) for row in rows]


def _hall(row: Activity, found: MilestoneOdds | None) -> HallRow:
    is_in_service = row.state is State.DONE and not row.stale
    return HallRow(
        hall=row.plan.unit,
        activity=row.id,
        state=row.state,
        in_service_since=row.ended_at if is_in_service else None,
        planned=row.plan.dates.reached if row.plan.dates else None,
        expected=found.expected if found else None,
        p50=found.p50.date if found else None,
        p80=found.p80.date if found else None,
    )


def halls_words(rows: list[HallRow], day: Day) -> list[str]:
    """Return which halls are in service, how many of all, and when the next one will be, each in words."""
    inside = [(row.in_service_since, row.hall) for row in rows if row.in_service_since]
    found = [f"{hall} in service since {day(since)}" for since, hall in sorted(inside)[-NAMED:]]
    if len(rows) > 1:
        words = "" if inside else " in service"
        found.append(f"{len(inside)} of {len(rows)} halls{words}")
    coming = [row for row in rows if row.in_service_since is None]
    return [*found, *_next(coming, day)]


def _next(coming: list[HallRow], day: Day) -> Iterator[str]:
    if not coming:
        return
    row = min(coming, key=lambda row: row.expected or row.planned or LAST)
    if row.expected is None:
        yield f"{hall_milestone(row.hall)} planned {day(row.planned)}"
    else:
        odds = f"P50 {day(row.p50)}, P80 {day(row.p80)}"
        yield f"{hall_milestone(row.hall)} forecast {day(row.expected)}, planned {day(row.planned)}; {odds}"
