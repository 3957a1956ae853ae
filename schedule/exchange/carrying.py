"""What a form cannot carry is carried otherwise: a link by a task that lasts its lag, and each case is said.

The task between has the lag as its duration and the lag's calendar as its own, so any program that reads it has our dates. Its id
says which link it is (`030@pod-001>FF>031@pod-001`), and `folded` makes the link of it again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import NamedTuple

from schedule.cpm.columns import Tie
from schedule.cpm.shifts import ShiftCalendar
from schedule.exchange.model import Exchange, ExchangeLink, ExchangeTask

BETWEEN = re.compile(r"(.+)>(FS|SS|FF|SF)>(.+)")
MINUTE = timedelta(minutes=1)


class LagRule(Enum):
    """On which calendar a program counts the lags of a project."""

    PREDECESSOR = "predecessor"
    SUCCESSOR = "successor"
    PROJECT = "project"
    AROUND_THE_CLOCK = "24 hours"


class Carried(NamedTuple):
    """A schedule that the form can carry, how lags count in it, and what was carried otherwise, in sentences."""

    schedule: Exchange
    rule: LagRule
    notices: tuple[str, ...]


def calendar_by(rule: LagRule, before: int, after: int) -> int | None:
    """Return the calendar on which a rule counts a lag between tasks with these calendars; None is around the clock."""
    match rule:
        case LagRule.PREDECESSOR:
            return before
        case LagRule.SUCCESSOR:
            return after
        case LagRule.PROJECT:
            return 0
        case LagRule.AROUND_THE_CLOCK:
            return None


def best_rule(found: Exchange) -> LagRule:
    """Return the rule by which most lags count on their own calendar; that of predecessors where several do."""
    fitting: Counter[LagRule] = Counter()
    for link in found.links:
        if link.lag:
            fitting.update(rule for rule in LagRule if counts_by(rule, found, link))
    return max(LagRule, key=lambda rule: fitting[rule])


def counts_by(rule: LagRule, found: Exchange, link: ExchangeLink) -> bool:
    """Return whether a rule counts a link's lag on the link's own calendar."""
    own = found.calendars[link.lag_calendar]
    calendar = calendar_by(rule, found.tasks[link.before].calendar, found.tasks[link.after].calendar)
    if calendar is None or found.calendars[calendar].is_continuous:
        return own.is_continuous
    return calendar == link.lag_calendar


def for_primavera(found: Exchange) -> Carried:
    """Return a schedule for P6: it counts all lags of a project by one rule."""
    rule = best_rule(found)

    def fits(link: ExchangeLink) -> bool:
        return not link.lag or counts_by(rule, found, link)

    why = "P6 counts all lags of a project by one rule"
    return _carried(found, rule, fits, lambda _: why)


def for_microsoft(found: Exchange) -> Carried:
    """Return a schedule for Microsoft Project: one link between two tasks; lags on the successor's calendar, or elapsed."""
    ends: set[tuple[int, int]] = set()
    rule = LagRule.SUCCESSOR

    def counts(link: ExchangeLink) -> bool:
        return not link.lag or found.calendars[link.lag_calendar].is_continuous or counts_by(rule, found, link)

    def fits(link: ExchangeLink) -> bool:
        if not counts(link) or (link.before, link.after) in ends:
            return False
        ends.add((link.before, link.after))
        return True

    def why(link: ExchangeLink) -> str:
        if counts(link):
            return "Microsoft Project has one link between two tasks"
        return "Microsoft Project has no calendar of a lag"

    return _carried(found, rule, fits, why)


def _carried(
    found: Exchange, rule: LagRule, fits: Callable[[ExchangeLink], bool], why: Callable[[ExchangeLink], str]
) -> Carried:
    tasks, links = list(found.tasks), []
    reasons: Counter[str] = Counter()
    shifts = _Shifts(found)
    for link in found.links:
        if fits(link):
            links.append(link)
        elif link.lag < 0:
            links.append(link)
            reasons[f"{why(link)}, and a lead cannot be a task: the lead counts on that calendar"] += 1
        else:
            links += _between(found, link, len(tasks))
            tasks.append(_bridge(found, link, shifts))
            reasons[f"{why(link)}: a task or milestone between carries it"] += 1
    notices = tuple(f"{number:,} links: {reason}" for reason, number in reasons.items())
    return Carried(replace(found, tasks=tasks, links=links), rule, notices)


class _Shifts:
    """The calendars' shifts, each made when it is first asked for."""

    def __init__(self, found: Exchange) -> None:
        self._found = found
        self._made: dict[int, ShiftCalendar] = {}

    def later(self, calendar: int, instant: datetime, minutes: int) -> datetime:
        """Return the instant by which so many minutes are worked after another."""
        if calendar not in self._made:
            origin = self._found.start.replace(tzinfo=UTC)
            self._made[calendar] = self._found.calendars[calendar].shifts("UTC", origin, self._found.known())
        shifts = self._made[calendar]
        begin = (instant - self._found.start) // MINUTE
        return self._found.start + int(shifts.finish(shifts.work(begin) + minutes)) * MINUTE


def _between(found: Exchange, link: ExchangeLink, row: int) -> Iterator[ExchangeLink]:
    """Yield the two links of a task between."""
    from_start, to_finish = link.type in {Tie.SS, Tie.SF}, link.type in {Tie.FF, Tie.SF}
    before, after = found.tasks[link.before].calendar, found.tasks[link.after].calendar
    yield ExchangeLink(link.before, row, Tie.SS if from_start else Tie.FS, 0, before)
    yield ExchangeLink(row, link.after, Tie.FF if to_finish else Tie.FS, 0, after)


def _bridge(found: Exchange, link: ExchangeLink, shifts: _Shifts) -> ExchangeTask:
    before, after = found.tasks[link.before], found.tasks[link.after]
    start = before.start if link.type in {Tie.SS, Tie.SF} else before.finish
    finish = start
    if start is not None and link.lag:
        finish = shifts.later(link.lag_calendar, start, link.lag)
    begun, ended = _history(link, before, after)
    return ExchangeTask(
        id=f"{before.id}>{link.type.name}>{after.id}",
        title=f"Lag of {after.id} after {before.id}" if link.lag else f"{after.id} follows {before.id}",
        calendar=link.lag_calendar,
        minutes=link.lag,
        branch=after.branch,
        start=start,
        finish=finish,
        actual_start=begun,
        actual_finish=ended,
    )


def _history(link: ExchangeLink, before: ExchangeTask, after: ExchangeTask) -> tuple[datetime | None, datetime | None]:
    """Return the actual dates of a task between: it is past as soon as both ends of its link have happened."""
    begun = before.actual_start if link.type in {Tie.SS, Tie.SF} else before.actual_finish
    ended = after.actual_finish if link.type in {Tie.FF, Tie.SF} else after.actual_start
    if begun is None or ended is None:
        return None, None
    return begun, max(begun, ended)


def folded(found: Exchange) -> Exchange:
    """Return a schedule in which the tasks between are the links again that they carried."""
    into: dict[int, list[ExchangeLink]] = {}
    out: dict[int, list[ExchangeLink]] = {}
    between = {row: match for row, task in enumerate(found.tasks) if (match := BETWEEN.fullmatch(task.id))}
    if not between:
        return found
    for link in found.links:
        into.setdefault(link.after, []).append(link)
        out.setdefault(link.before, []).append(link)
    made: dict[int, ExchangeLink] = {}
    for row, match in between.items():
        ends = into.get(row, []), out.get(row, [])
        if [len(ends[0]), len(ends[1])] == [1, 1] and _is_between(found.tasks, match, ends[0][0], ends[1][0]):
            task = found.tasks[row]
            made[row] = ExchangeLink(ends[0][0].before, ends[1][0].after, Tie[match[2]], task.minutes, task.calendar)
    kept = [row for row in range(len(found.tasks)) if row not in made]
    place = {row: number for number, row in enumerate(kept)}
    links = [link for link in found.links if link.before in place and link.after in place] + list(made.values())
    return replace(
        found,
        tasks=[found.tasks[row] for row in kept],
        links=[replace(link, before=place[link.before], after=place[link.after]) for link in links],
        assignments=[replace(one, task=place[one.task]) for one in found.assignments if one.task in place],
    )


def _is_between(tasks: Sequence[ExchangeTask], match: re.Match[str], before: ExchangeLink, after: ExchangeLink) -> bool:
    return (tasks[before.before].id, tasks[after.after].id) == (match[1], match[3])
