"""The site as it is beside the site as it would be: with a delay, other crews or shifts, or pods that come first. Nothing is recorded."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Argument, Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import SamplesOption, SeedOption
from clusterwright.odds_view import few_halls, halls_left_out
from clusterwright.output import Cells, Document, day, print_json, table
from ledger.questions.forecast_words import days_words
from schedule.errors import InputError
from steps.amount import first_of
from steps.catalog.loader import offices, read_roles
from steps.catalog.terms import Phase
from steps.planning.dates.milestones import is_hall

if TYPE_CHECKING:
    from steps.planning.odds.milestone_odds import MilestoneOdds
    from steps.planning.record.impact import MovedWork
    from steps.planning.scenarios.what_if import Saving, Seen

SAVINGS = 8
SHOWN = 12
"""Rows of what moves and of whose float is used that are printed; --json has all."""


class TwoCases(NamedTuple):
    """Two cases: go-live as it is and as it would be, the cost, and what go-live then waits for longest."""

    before: "Seen"
    after: "Seen"
    left: "list[Saving]"
    slip_day_usd: float

    @property
    def cost_usd(self) -> float:
        """What it costs that go-live is later; less than 0 where it is earlier."""
        later = self.after.forecast.finish - self.before.forecast.finish
        return later.total_seconds() / 86400 * self.slip_day_usd

    @property
    def drives_now(self) -> list[str]:
        """What drives go-live then, and does not now."""
        return _only_in(self.after, self.before)

    @property
    def drives_no_more(self) -> list[str]:
        """What drives go-live now, and does not then."""
        return _only_in(self.before, self.after)

    @property
    def document(self) -> Document:
        """Both cases as JSON."""
        return {
            "before": _facts(self.before),
            "after": _facts(self.after),
            "cost_usd": round(self.cost_usd),
            "drives_now": self.drives_now,
            "drives_no_more": self.drives_no_more,
            "delays_most": self.left,
        }

    def print(self, zone: str, *, title: str, sides: tuple[str, str] = ("now", "then")) -> None:
        """Print the dates of both, the cost, what drives go-live then, and what it waits for longest."""
        table(
            ("what if", *sides, "days"),
            [
                (name, day(old, zone), day(new, zone), f"{(new - old).total_seconds() / 86400:+z.1f}")
                for name, old, new in _dates(self.before, self.after)
            ],
            title=title,
            right=(3,),
        )
        if left_out := halls_left_out(self.before.milestones):
            print(left_out)
        if self.cost_usd:
            print(f"that {'costs' if self.cost_usd > 0 else 'saves'} about ${abs(self.cost_usd):,.0f} of delay")
        for words, found in (("drives it then", self.drives_now), ("drives it no more", self.drives_no_more)):
            if found:
                print(f"{words}: {first_of(found, 8)}")
        table(
            ("what", "title", "days without it", "days for a day less", "a day less is worth"),
            [_saving(one, self.slip_day_usd) for one in self.left],
            title="What go-live then waits for longest",
            right=(2, 3, 4),
        )


def _only_in(one: "Seen", other: "Seen") -> list[str]:
    return [name for name in one.forecast.critical if name not in set(other.forecast.critical)]


def _facts(seen: "Seen") -> Document:
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


def _dates(before: "Seen", after: "Seen") -> Iterator[tuple[str, datetime, datetime]]:
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


def _odds(before: "MilestoneOdds", after: "MilestoneOdds") -> Iterator[tuple[str, datetime, datetime]]:
    yield "  P50", before.p50.date, after.p50.date
    yield "  P80", before.p80.date, after.p80.date


def _saving(one: "Saving", slip_day_usd: float) -> Cells:
    worth = f"${one.days_of_a_day * slip_day_usd:,.0f}" if slip_day_usd else ""
    return (one.id, one.title, f"{one.days:.1f}", f"{one.days_of_a_day:.1f}", worth)


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
    samples: SamplesOption = None,
    seed: SeedOption = 1,
) -> None:
    """Show what a delay, other crews, more shifts or pods that come first would do to go-live. Nothing is recorded.

    Each is compared with the site as it is: the plan in force with what has happened, or before the first adoption the plan of the
    folder. What most delays go-live is listed at the end.

    With --pods-first the next delivery of each order serves the first pods, and crews serve them before all others: when they can
    train is shown too, which is often months before go-live, and what that costs the rest.

    Example:
        clusterwright whatif --delay 034@pod-001=2d
        clusterwright whatif --crew technical-writer+1 --crew assembly-technician+2
        clusterwright whatif --delay '001@site#gpu-server=4w' --shifts 2
        clusterwright whatif --pods-first 8

    """
    if not (delay or crew or shifts) and pods_first is None:
        raise InputError("nothing would be different", hint="name a --delay, a --crew, --shifts or --pods-first")
    from clusterwright.site_case import case_of
    from steps.planning.scenarios.pods_first import first_pods
    from steps.planning.scenarios.what_if import delayed, savings, seen, with_crews, with_pods_first, with_shifts

    now = case_of(ask)
    pods = () if pods_first is None else first_pods(now.plan, pods_first)
    changed = now
    for text in delay or ():
        changed = delayed(changed, text)
    for text in crew or ():
        changed = with_crews(changed, text)
    if shifts:
        changed = with_shifts(changed, shifts, offices(read_roles(ask.folder)))
    if pods:
        changed = with_pods_first(changed, pods)
    before, _ = seen(now, samples=samples, seed=seed, pods=pods)
    after, solved = seen(changed, samples=samples, seed=seed, pods=pods)
    found = TwoCases(before, after, savings(solved, most=SAVINGS), now.plan.slip_day_usd)
    title = "Go-live as it is, and as it would be; nothing is recorded"
    ask.answer(None, found.document, lambda: found.print(now.plan.time_zone, title=title))


def impact(
    ask: Asking,
    what: Annotated[str, Argument(metavar="ORDER|ACTIVITY", help="As 001@site#gpu-server or 034@pod-001.")],
    days: Annotated[int | None, Option("--days", min=1, max=3650, help="How many days it would be late.")] = None,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
) -> None:
    """Say what a delay of one order, delivery or activity does: who moves, which float it takes, what it costs. Nothing is recorded.

    With --days it is a question before anything is promised. Without, it is about what the supplier has promised: go-live with that
    promise, beside go-live if the delivery came when the plan has it. Days of an activity are working days of its calendar. What go-live
    then waits for longest is listed at the end: a day won there wins back what the last columns say.

    Example:
        clusterwright impact '001@site#gpu-server' --days 56
        clusterwright impact '001@site#gpu-server/5'
        clusterwright impact 034@pod-001 --days 10

    """
    from clusterwright.site_case import case_of
    from steps.planning.record.impact import float_used, moved
    from steps.planning.scenarios.what_if import as_needed, delayed, savings, seen

    now = case_of(ask)
    old, new = (as_needed(now, what), now) if days is None else (now, delayed(now, f"{what}={days}d"))
    before, solved_before = seen(old, samples=samples, seed=seed)
    after, solved = seen(new, samples=samples, seed=seed)
    later, used = moved(solved_before, solved), float_used(solved_before, solved)
    found, zone = TwoCases(before, after, savings(solved, most=SAVINGS), now.plan.slip_day_usd), now.plan.time_zone
    if ask.as_json:
        more = {"what": what, "days": days, "moved": later, "by_role": _by_role(later), "float_used": _used(used)}
        print_json(found.document | more)
        return
    asked = (
        f"if {what} is {days_words(days)} later" if days else f"with the promise of {what}, and if it came as planned"
    )
    sides = ("now", "then") if days else ("as planned", "as promised")
    found.print(zone, title=f"Go-live {asked}; nothing is recorded", sides=sides)
    _print(later, used, sides, zone)


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
    roles = [(role, one["activities"], f"{one['days_at_most']:+z.1f}") for role, one in _by_role(later).items()]
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
                (one.id, one.title, one.role, day(one.before, zone), day(one.after, zone), f"{one.days:+z.1f}")
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
