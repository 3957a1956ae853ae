"""What another program does not find, of what a schedule has: every difference, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from schedule.exchange.carrying import BETWEEN
from schedule.exchange.model import Exchange, ExchangeTask
from tests.schedule.mpxj_files import ReadFile, ReadTask

Link = tuple[str, str, int, str]


def lost(found: Exchange, read: ReadFile, *, has_baseline: bool = True) -> list[str]:
    """Return what differs. Tasks between are links again before links are compared."""
    return [
        *_calendars(found, read),
        *_tasks(found, read, has_baseline=has_baseline),
        *_differing("link", _links(found), _read_links(read)),
        *_resources(found, read),
    ]


def _calendars(found: Exchange, read: ReadFile) -> Iterator[str]:
    for calendar in found.calendars:
        week, exceptions = read.calendars.get(calendar.name, ((), {}))
        if week != calendar.week:
            yield f"calendar {calendar.name}: week {week}, not {calendar.week}"
        yield from _differing(f"exception of {calendar.name}", {*calendar.exceptions.items()}, {*exceptions.items()})


def _tasks(found: Exchange, read: ReadFile, *, has_baseline: bool) -> Iterator[str]:
    own = {task.id: task for task in found.tasks}
    yield from _differing("task", own.keys(), {name for name in read.tasks if not BETWEEN.fullmatch(name)})
    for name in own.keys() & read.tasks.keys():
        expected, actual = _facts(found, own[name]), _read_facts(read.tasks[name], found.name)
        if not has_baseline:
            expected["baseline"] = actual["baseline"] = None
        for fact, value in expected.items():
            if actual[fact] != value:
                yield f"{name}: {fact} {actual[fact]}, not {value}"


def _facts(found: Exchange, task: ExchangeTask) -> dict[str, object]:
    branch = None if task.branch is None else found.branches[task.branch]
    above = None if branch is None or branch.parent is None else found.branches[branch.parent]
    return {
        "title": task.title,
        "calendar": found.calendars[task.calendar].name,
        "minutes": task.minutes,
        "start": task.start,
        "finish": task.finish,
        "baseline": (task.baseline_start, task.baseline_finish),
        "actual": (task.actual_start, task.actual_finish),
        "remaining": task.left,
        "no earlier": task.no_earlier,
        "branch": tuple(one.title for one in (above, branch) if one is not None and one.title != found.name),
    }


def _read_facts(task: ReadTask, project: str) -> dict[str, object]:
    return {
        "title": task.title,
        "calendar": task.calendar,
        "minutes": task.minutes,
        "start": task.start,
        "finish": task.finish,
        "baseline": task.baseline,
        "actual": task.actual,
        "remaining": task.remaining,
        "no earlier": task.no_earlier,
        "branch": tuple(title for title in task.branch if title != project),
    }


def _links(found: Exchange) -> Iterator[Link]:
    names = [task.id for task in found.tasks]
    for link in found.links:
        yield names[link.before], link.type.name, link.lag, names[link.after]


def _read_links(read: ReadFile) -> Iterator[Link]:
    """Yield the links, and one for each task between that has its two."""
    ends = {name for name in read.tasks if BETWEEN.fullmatch(name)}
    into = {after: (before, kind, lag) for before, kind, lag, after in read.links if after in ends}
    out = {before: (kind, lag, after) for before, kind, lag, after in read.links if before in ends}
    for before, kind, lag, after in read.links:
        if before not in ends and after not in ends:
            yield before, kind, lag, after
    for name in ends:
        match = BETWEEN.fullmatch(name)
        assert match is not None
        kind = ("S" if into[name][1] == "SS" else "F") + ("F" if out[name][0] == "FF" else "S")
        assert (into[name][2], out[name][1]) == (0, 0), f"a lag before or after {name}"
        assert (into[name][0], kind, out[name][2]) == match.groups(), f"{name} is between others"
        yield into[name][0], kind, read.tasks[name].minutes, out[name][2]


def _resources(found: Exchange, read: ReadFile) -> Iterator[str]:
    names = [task.id for task in found.tasks]
    titles = [resource.title for resource in found.resources]
    expected = {(names[one.task], titles[one.resource], 100.0 * one.amount) for one in found.assignments}
    yield from _differing("assignment", expected, {*read.assignments})
    yield from _differing("resource", {*titles}, {*read.resources})


def _differing(what: str, expected: Iterable[Any], read: Iterable[Any]) -> Iterator[str]:
    own, other = set(expected), set(read)
    yield from (f"{what} {one} is lost" for one in sorted(own - other, key=str))
    yield from (f"{what} {one} is new" for one in sorted(other - own, key=str))
