"""What another program changed in a schedule: progress, dates, durations and new activities, each as a proposal.

Nothing here decides. A proposal says what was, what the file has, and the line of the file where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from schedule.exchange.model import Exchange, ExchangeTask
from schedule.exchange.text import hours

NEARLY = timedelta(minutes=1)
"""Dates that are no further apart are the same: forms have minutes, and a data date may fall within one."""


class What(StrEnum):
    """What a proposal is about."""

    STARTED = "started"
    PROGRESS = "progress"
    FINISHED = "finished"
    PROMISED = "promised"
    DURATION = "duration"
    START = "start"
    FINISH = "finish"
    START_NO_EARLIER = "start no earlier"
    FINISH_NO_LATER = "finish no later"
    PLANNED = "planned"
    NEW = "new activity"


class DatesOf(StrEnum):
    """Whose the planned dates of a file are."""

    PROGRAM = "program"
    """Another program worked them out from our plan: they follow from what people changed, and say nothing themselves."""
    PEOPLE = "people"
    """People typed them in a table of ours."""
    OTHER_PLAN = "other plan"
    """The plan is another one, of which some activities are ours."""


IS_PROGRESS = frozenset({What.STARTED, What.PROGRESS, What.FINISHED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change. `was` and `now` are for people; `at` is the date, `percent` the progress that is proposed.

    `beside` is a known activity that a new one is linked to; empty where it is linked to none.
    """

    what: What
    id: str
    title: str
    was: str
    now: str
    at: datetime | None = None
    percent: int | None = None
    line: int | None = None
    beside: str = ""


@dataclass(frozen=True)
class Difference:
    """The proposals, in the order of their dates, and the ids of ours that the file has no more."""

    proposals: list[Proposal]
    missing: list[str]


def difference(ours: Exchange, theirs: Exchange, *, before: Exchange, dates: DatesOf) -> Difference:
    """Return what differs from our schedule as it is, and as it was `before` they changed it.

    What both had before is no change of theirs, and what we have by now needs no proposal.
    """
    known = {task.id: task for task in ours.tasks}
    once = {task.id: task for task in before.tasks}
    found: list[Proposal] = []
    for row, task in enumerate(theirs.tasks):
        own = known.get(task.id)
        if own is None:
            found.append(_new(theirs, row, known))
        elif own.actual_finish is None:
            was = once.get(task.id, own)
            found += _progress(own, was, task, is_table=dates is DatesOf.PEOPLE)
            if "/" in own.id.rpartition("#")[2] and "#" in own.id:
                found += _promise(own, was, task, is_said=dates is not DatesOf.PROGRAM)
            elif own.actual_start is None and task.actual_start is None and task.actual_finish is None:
                found += _other_plan(own, task) if dates is DatesOf.OTHER_PLAN else _plans(was, task, dates)
    order = list(What)
    found.sort(key=lambda one: (one.what not in IS_PROGRESS, one.at or datetime.max, order.index(one.what), one.id))  # noqa: DTZ901 - sorts last
    given = {task.id for task in theirs.tasks}
    return Difference(found, [task.id for task in ours.tasks if task.id not in given])


def _progress(own: ExchangeTask, was: ExchangeTask, task: ExchangeTask, *, is_table: bool) -> Iterator[Proposal]:
    """Yield the progress of a task that both have, where the file has more than the record."""
    if task.actual_start is not None and own.actual_start is None and own.minutes:
        yield _dated(What.STARTED, own, task, "not started", task.actual_start)
    if task.actual_finish is not None:
        said = "not finished" if own.actual_start is None else f"{own.percent} %"
        yield _dated(What.FINISHED, own, task, said, task.actual_finish)
        return
    known = {own.percent, was.percent}
    percent = next((one for one in _percents(task, is_table=is_table) if one not in known), None)
    if percent is not None and own.minutes:
        yield Proposal(
            what=What.PROGRESS,
            id=own.id,
            title=own.title,
            was=f"{own.percent} %",
            now=f"{percent} %",
            at=task.actual_start,
            percent=percent,
            line=task.line,
        )


def _percents(task: ExchangeTask, *, is_table: bool) -> Iterator[int]:
    """Yield what a file says of a task's progress. A table has the percentage and what remains: a person changes either."""
    is_stated = task.stated_percent is not None and (task.actual_start is not None or task.stated_percent > 0)
    if is_stated:
        yield task.percent
    if task.remaining is not None and task.minutes and (is_table or not is_stated):
        yield task.percent_of_duration


def _promise(own: ExchangeTask, was: ExchangeTask, task: ExchangeTask, *, is_said: bool) -> Iterator[Proposal]:
    """Yield the date on which a delivery is expected, where the file has another one."""
    if task.actual_finish is not None:
        return
    held = task.no_earlier is not None and not _same(was.no_earlier, task.no_earlier)
    said = is_said and task.finish is not None and not _same(was.finish, task.finish)
    dates = [at for at in (task.no_earlier if held else None, task.finish if held or said else None) if at is not None]
    if dates and (own.finish is None or own.finish.date() != max(dates).date()):
        yield _dated(What.PROMISED, own, task, _text(own.finish), max(dates))


def _plans(own: ExchangeTask, task: ExchangeTask, dates: DatesOf) -> Iterator[Proposal]:
    """Yield what differs of a plan: the duration, and dates that hold it."""
    is_table = dates is DatesOf.PEOPLE
    if task.minutes != own.minutes and (task.minutes or not is_table):
        was, now = (f"{hours(minutes)} h" for minutes in (own.minutes, task.minutes))
        yield Proposal(what=What.DURATION, id=own.id, title=own.title, was=was, now=now, line=task.line)
    pairs = [
        (What.START_NO_EARLIER, own.no_earlier, task.no_earlier),
        (What.FINISH_NO_LATER, own.no_later, task.no_later),
    ]
    if is_table:
        pairs += [(What.START, own.start, task.start), (What.FINISH, own.finish, task.finish)]
    for what, was_at, now_at in pairs:
        if now_at is not None and not _same(was_at, now_at):
            yield _dated(what, own, task, _text(was_at), now_at)


def _other_plan(own: ExchangeTask, task: ExchangeTask) -> Iterator[Proposal]:
    """Yield when another plan has the work, and how long, if it is on another day there or takes another time."""
    ours, other = _planned(own), _planned(task)
    is_dated = task.start is not None and task.finish is not None
    days = [(at and at.date()) for one in (own, task) for at in (one.start, one.finish)]
    if is_dated and (days[:2] != days[2:] or task.minutes != own.minutes):
        yield Proposal(
            what=What.PLANNED, id=own.id, title=own.title, was=ours, now=other, at=task.start, line=task.line
        )


def _planned(task: ExchangeTask) -> str:
    start, finish = ("none" if at is None else f"{at:%Y-%m-%d}" for at in (task.start, task.finish))
    return f"{start} to {finish}, {round(task.minutes / 60, 1):g} h"


def _new(theirs: Exchange, row: int, known: Mapping[str, ExchangeTask]) -> Proposal:
    task = theirs.tasks[row]
    before = [theirs.tasks[link.before].id for link in theirs.into[row]]
    after = [theirs.tasks[link.after].id for link in theirs.out_of[row]]
    parts = [f"{hours(task.minutes)} h"]
    parts += [f"after {', '.join(before)}"] if before else []
    parts += [f"before {', '.join(after)}"] if after else []
    return Proposal(
        what=What.NEW,
        id=task.id,
        title=task.title,
        was="",
        now=" ".join(parts),
        line=task.line,
        beside=next((name for name in (*before, *after) if name in known and "#" not in name), ""),
    )


def _dated(what: What, own: ExchangeTask, task: ExchangeTask, was: str, at: datetime) -> Proposal:
    return Proposal(what=what, id=own.id, title=own.title, was=was, now=_text(at), at=at, line=task.line)


def _same(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= NEARLY


def _text(at: datetime | None) -> str:
    return "none" if at is None else f"{at:%Y-%m-%d %H:%M}"
