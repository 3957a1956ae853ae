"""Show what a delay, other crews, more shifts or pods that come first would do to go-live. Nothing is recorded.

Each is compared with the site as it is: the plan in force with what has happened, or before the first adoption the plan of the
folder. What most delays go-live is listed at the end.

With --pods-first the next delivery of each order serves the first pods, and crews serve them before all others: when they can
train is shown too, which is often months before go-live, and what that costs the rest.

Example:
    clusterwright whatif --delay 077=8w
    clusterwright whatif --crew technical-writer+1 --crew assembly-technician+2
    clusterwright whatif --delay '001@site#gpu-server=4w' --shifts 2
    clusterwright whatif --pods-first 8

"""

from typing import TYPE_CHECKING, Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.milestones_view import few_halls, halls_left_out
from clusterwright.output import Cells, Document, day, print_json, table
from steps.catalog.terms import Phase
from steps.errors import InputError
from steps.schedule.halls import is_hall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from steps.schedule.plan_odds import MilestoneOdds
    from steps.schedule.what_if import Case, Saving, Seen

SAVINGS = 8


def whatif(
    ask: Asking,
    delay: Annotated[
        list[str] | None, Option("--delay", metavar="WHAT=TIME", help="As 077=8w or 034@pod-001=2d.")
    ] = None,
    crew: Annotated[list[str] | None, Option("--crew", metavar="TRADE+N", help="As rigger+2 or rigger=6.")] = None,
    shifts: Annotated[
        int | None, Option("--shifts", min=1, max=3, help="Shifts a day of all crews that keep the site's calendar.")
    ] = None,
    pods_first: Annotated[
        int | None, Option("--pods-first", metavar="N", help="The first N pods are delivered and served before others.")
    ] = None,
    samples: Annotated[int, Option("--samples", min=20, max=100_000, help="Samples for P50 and P80.")] = 200,
    seed: Annotated[int, Option("--seed", min=0, help="Another seed draws other samples.")] = 1,
) -> None:
    if not (delay or crew or shifts) and pods_first is None:
        raise InputError("nothing would be different", hint="name a --delay, a --crew, --shifts or --pods-first")
    from clusterwright.site_case import case_of
    from steps.schedule.pods_first import first_pods
    from steps.schedule.what_if import delayed, savings, seen, with_crews, with_pods_first, with_shifts

    now = case_of(ask)
    pods = () if pods_first is None else first_pods(now.plan, pods_first)
    changed = now
    for text in delay or ():
        changed = delayed(changed, text)
    for text in crew or ():
        changed = with_crews(changed, text)
    if shifts:
        changed = with_shifts(changed, shifts)
    if pods:
        changed = with_pods_first(changed, pods)
    before, _ = seen(now, samples=samples, seed=seed, pods=pods)
    after, solved = seen(changed, samples=samples, seed=seed, pods=pods)
    left = savings(solved, most=SAVINGS)
    if ask.as_json:
        print_json(_document(before, after, left, now.plan.slip_day_usd))
    else:
        _print(before, after, left, now)


def _document(before: "Seen", after: "Seen", left: "list[Saving]", slip_day_usd: float) -> Document:
    return {
        "before": _facts(before),
        "after": _facts(after),
        "cost_usd": round((after.forecast.finish - before.forecast.finish).total_seconds() / 86400 * slip_day_usd),
        "drives_now": [name for name in after.forecast.critical if name not in before.forecast.critical],
        "drives_no_more": [name for name in before.forecast.critical if name not in after.forecast.critical],
        "delays_most": left,
    }


def _facts(seen: "Seen") -> Document:
    return {
        "finish": seen.forecast.finish,
        "unlimited_finish": seen.forecast.unlimited_finish,
        "p50": seen.go_live.p50._asdict(),
        "p80": seen.go_live.p80._asdict(),
        "milestones": [
            {"milestone": one.milestone, "finish": one.expected, "p50": one.p50._asdict(), "p80": one.p80._asdict()}
            for one in seen.milestones
        ],
    }


def _print(before: "Seen", after: "Seen", left: "list[Saving]", case: "Case") -> None:
    zone = case.plan.time_zone
    table(
        ("what if", "now", "then", "days"),
        [
            (name, day(old, zone), day(new, zone), f"{(new - old).total_seconds() / 86400:+.1f}")
            for name, old, new in _dates(before, after)
        ],
        title="Go-live as it is, and as it would be; nothing is recorded",
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
            more = f" and {len(found) - 8} more" if len(found) > 8 else ""
            print(f"{words}: {', '.join(found[:8])}{more}")
    table(
        ("what", "title", "days without it", "days for a day less", "a day less is worth"),
        [_saving(one, case.plan.slip_day_usd) for one in left],
        title="What go-live then waits for longest",
        right=(2, 3, 4),
    )


def _dates(before: "Seen", after: "Seen") -> "Iterator[tuple[str, datetime, datetime]]":
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


def _odds(before: "MilestoneOdds", after: "MilestoneOdds") -> "Iterator[tuple[str, datetime, datetime]]":
    yield "  P50", before.p50.date, after.p50.date
    yield "  P80", before.p80.date, after.p80.date


def _saving(one: "Saving", slip_day_usd: float) -> Cells:
    worth = f"${one.days_of_a_day * slip_day_usd:,.0f}" if slip_day_usd else ""
    return (one.id, one.title, f"{one.days:.1f}", f"{one.days_of_a_day:.1f}", worth)
