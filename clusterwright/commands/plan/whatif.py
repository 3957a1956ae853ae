"""Show what a delay, other crews or more shifts would do to go-live. Nothing is recorded.

Each is compared with the site as it is: the plan in force with what has happened, or before the first adoption the plan of the
folder. What most delays go-live is listed at the end.

Example:
    clusterwright whatif --delay 077=8w
    clusterwright whatif --crew technical-writer+1 --crew assembly-technician+2
    clusterwright whatif --delay '001@site#gpu-server=4w' --shifts 2

"""

from typing import TYPE_CHECKING, Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells, Document, day, print_json, table
from steps.errors import InputError

if TYPE_CHECKING:
    from steps.schedule.what_if import Case, Saving, Seen

SAVINGS = 8


def whatif(
    ask: Asking,
    delay: Annotated[
        list[str] | None, Option("--delay", metavar="WHAT=TIME", help="As 077=8w or 034@pod-001=2d.")
    ] = None,
    crew: Annotated[list[str] | None, Option("--crew", metavar="TRADE+N", help="As rigger+2 or rigger=6.")] = None,
    shifts: Annotated[
        int | None, Option("--shifts", min=1, max=24, help="Shifts a day of the site's calendar, all crews in each.")
    ] = None,
    samples: Annotated[int, Option("--samples", min=20, max=100_000, help="Samples for P50 and P80.")] = 200,
    seed: Annotated[int, Option("--seed", min=0, help="Another seed draws other samples.")] = 1,
) -> None:
    if not (delay or crew or shifts):
        raise InputError("nothing would be different", hint="name a --delay, a --crew or --shifts")
    from clusterwright.site_case import case_of
    from steps.schedule.what_if import delayed, savings, seen, with_crews, with_shifts  # the schedule's engines

    now = case_of(ask)
    changed = now
    for text in delay or ():
        changed = delayed(changed, text)
    for text in crew or ():
        changed = with_crews(changed, text)
    if shifts:
        changed = with_shifts(changed, shifts)
    before, _ = seen(now, samples=samples, seed=seed)
    after, solved = seen(changed, samples=samples, seed=seed)
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
    }


def _print(before: "Seen", after: "Seen", left: "list[Saving]", case: "Case") -> None:
    zone = case.plan.time_zone
    dates = (
        ("go-live", before.forecast.finish, after.forecast.finish),
        ("with unlimited crews", before.forecast.unlimited_finish, after.forecast.unlimited_finish),
        ("P50", before.go_live.p50.date, after.go_live.p50.date),
        ("P80", before.go_live.p80.date, after.go_live.p80.date),
    )
    table(
        ("what if", "now", "then", "days"),
        [
            (name, day(old, zone), day(new, zone), f"{(new - old).total_seconds() / 86400:+.1f}")
            for name, old, new in dates
        ],
        title="Go-live as it is, and as it would be; nothing is recorded",
        right=(3,),
    )
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


def _saving(one: "Saving", slip_day_usd: float) -> Cells:
    worth = f"${one.days_of_a_day * slip_day_usd:,.0f}" if slip_day_usd else ""
    return (one.id, one.title, f"{one.days:.1f}", f"{one.days_of_a_day:.1f}", worth)
