"""Two cases beside each other, for eyes and as JSON: go-live as it is and as it would be, the cost, and what go-live waits for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from clusterwright.milestones_view import few_halls, halls_left_out
from clusterwright.output import Cells, Document, day, first_of, table
from steps.catalog.terms import Phase
from steps.planning.dates.milestones import is_hall

if TYPE_CHECKING:
    from steps.planning.odds.plan_odds import MilestoneOdds
    from steps.planning.scenarios.what_if import Case, Saving, Seen


def what_if_document(before: Seen, after: Seen, left: list[Saving], slip_day_usd: float) -> Document:
    """Return both cases as JSON."""
    return {
        "before": _facts(before),
        "after": _facts(after),
        "cost_usd": round((after.forecast.finish - before.forecast.finish).total_seconds() / 86400 * slip_day_usd),
        "drives_now": [name for name in after.forecast.critical if name not in before.forecast.critical],
        "drives_no_more": [name for name in before.forecast.critical if name not in after.forecast.critical],
        "delays_most": left,
    }


def _facts(seen: Seen) -> Document:
    return {
        "finish": seen.forecast.finish,
        "unlimited_finish": seen.forecast.unlimited_finish,
        "p50": seen.go_live.p50,
        "p80": seen.go_live.p80,
        "milestones": [
            {"milestone": one.milestone, "finish": one.expected, "p50": one.p50, "p80": one.p80}
            for one in seen.milestones
        ],
    }


def print_what_if(
    before: Seen, after: Seen, left: list[Saving], case: Case, *, title: str, sides: tuple[str, str] = ("now", "then")
) -> None:
    """Print the dates of both, the cost, what drives go-live then, and what it waits for longest."""
    zone = case.plan.time_zone
    table(
        ("what if", *sides, "days"),
        [
            (name, day(old, zone), day(new, zone), f"{(new - old).total_seconds() / 86400:+.1f}")
            for name, old, new in _dates(before, after)
        ],
        title=title,
        right=(3,),
    )
    if left_out := halls_left_out(before.milestones):
        print(left_out)
    cost = (after.forecast.finish - before.forecast.finish).total_seconds() / 86400 * case.plan.slip_day_usd
    if cost:
        print(f"that {'costs' if cost > 0 else 'saves'} about ${abs(cost):,.0f} of delay")
    for words, one, other in (("drives it then", after, before), ("drives it no more", before, after)):
        found = [name for name in one.forecast.critical if name not in set(other.forecast.critical)]
        if found:
            print(f"{words}: {first_of(found, 8)}")
    table(
        ("what", "title", "days without it", "days for a day less", "a day less is worth"),
        [_saving(one, case.plan.slip_day_usd) for one in left],
        title="What go-live then waits for longest",
        right=(2, 3, 4),
    )


def _dates(before: Seen, after: Seen) -> Iterator[tuple[str, datetime, datetime]]:
    """Yield the dates of go-live, of pods that come first, and of halls."""
    yield "go-live", before.forecast.finish, after.forecast.finish
    yield "with unlimited crews", before.forecast.unlimited_finish, after.forecast.unlimited_finish
    yield from _odds(before.go_live, after.go_live)
    then = {one.milestone: one for one in after.milestones}
    others = [one for one in few_halls(before.milestones) if one.milestone not in {before.go_live.milestone, *Phase}]
    for one in sorted(others, key=lambda one: is_hall(one.milestone)):
        yield one.milestone, one.expected, then[one.milestone].expected
        if not is_hall(one.milestone):
            yield from _odds(one, then[one.milestone])


def _odds(before: MilestoneOdds, after: MilestoneOdds) -> Iterator[tuple[str, datetime, datetime]]:
    yield "  P50", before.p50.date, after.p50.date
    yield "  P80", before.p80.date, after.p80.date


def _saving(one: Saving, slip_day_usd: float) -> Cells:
    worth = f"${one.days_of_a_day * slip_day_usd:,.0f}" if slip_day_usd else ""
    return (one.id, one.title, f"{one.days:.1f}", f"{one.days_of_a_day:.1f}", worth)
