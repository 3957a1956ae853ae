"""Say what a delay of one order, delivery or activity does: who moves, which float it takes, what it costs. Nothing is recorded.

With --days it is a question before anything is promised. Without, it is about what the supplier has promised: go-live with that
promise, beside go-live if the delivery came when the plan has it. Days of an activity are working days of its calendar. What go-live
then waits for longest is listed at the end: a day won there wins back what the last columns say.

Example:
    clusterwright impact '001@site#gpu-server' --days 56
    clusterwright impact '001@site#gpu-server/5'
    clusterwright impact 034@pod-001 --days 10

"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import SamplesOption, SeedOption
from clusterwright.output import Document, day, print_json, table
from clusterwright.what_if_view import print_what_if, what_if_document

if TYPE_CHECKING:
    from steps.planning.record.impact import MovedWork

SAVINGS = 8
SHOWN = 12
"""Rows of what moves and of whose float is used that are printed; --json has all."""


def impact(
    ask: Asking,
    what: Annotated[str, Argument(metavar="ORDER|ACTIVITY", help="As 001@site#gpu-server or 034@pod-001.")],
    days: Annotated[int | None, Option("--days", min=1, max=3650, help="How many days it would be late.")] = None,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
) -> None:
    from clusterwright.site_case import case_of
    from steps.planning.record.impact import float_used, moved
    from steps.planning.scenarios.what_if import as_needed, delayed, savings, seen

    now = case_of(ask)
    old, new = (as_needed(now, what), now) if days is None else (now, delayed(now, f"{what}={days}d"))
    before, solved_before = seen(old, samples=samples, seed=seed)
    after, solved = seen(new, samples=samples, seed=seed)
    later, used = moved(solved_before, solved), float_used(solved_before, solved)
    left = savings(solved, most=SAVINGS)
    if ask.as_json:
        found = what_if_document(before, after, left, now.plan.slip_day_usd)
        print_json(
            found | {"what": what, "days": days, "moved": later, "by_role": _by_role(later), "float_used": _used(used)}
        )
        return
    asked = f"if {what} is {days} days later" if days else f"with the promise of {what}, and if it came as planned"
    sides = ("now", "then") if days else ("as planned", "as promised")
    print_what_if(before, after, left, now, title=f"Go-live {asked}; nothing is recorded", sides=sides)
    _print(later, used, sides, now.plan.time_zone)


def _by_role(later: "Sequence[MovedWork]") -> Document:
    """Return by role how many of its activities move, and by how many days at most."""
    counted = Counter(one.role for one in later if one.role)
    most: dict[str, float] = {}
    for one in later:
        most[one.role] = max(most.get(one.role, one.days), one.days)
    return {
        role: {"activities": number, "days_at_most": round(most[role], 1)} for role, number in counted.most_common()
    }


def _used(used: Sequence[tuple[str, float, float]]) -> list[Document]:
    return [{"id": name, "days_before": round(old, 2), "days_after": round(new, 2)} for name, old, new in used]


def _print(
    later: "Sequence[MovedWork]", used: Sequence[tuple[str, float, float]], sides: tuple[str, str], zone: str
) -> None:
    old_side, new_side = sides
    roles = [(role, one["activities"], f"{one['days_at_most']:+.1f}") for role, one in _by_role(later).items()]
    table(
        ("role", "activities that move", "days at most"),
        roles,
        title="Who moves",
        right=(1, 2),
        empty="no activity moves: float absorbs it",
    )
    if later:
        table(
            ("what", "title", "who", f"finish {old_side}", new_side, "days"),
            [
                (one.id, one.title, one.role, day(one.before, zone), day(one.after, zone), f"{one.days:+.1f}")
                for one in later[:SHOWN]
            ],
            title=f"What moves most, of {len(later):,}",
            right=(5,),
        )
    if used:
        table(
            ("what", f"days of float {old_side}", new_side),
            [(name, f"{old:.1f}", f"{new:.1f}") for name, old, new in used[:SHOWN]],
            title=f"Float that it uses up, of {len(used):,} that have less",
            right=(1, 2),
        )
