"""Whose activities of another plan are which of ours: a CSV that a person checks, and their plan under our ids.

A line has one activity of theirs, by its id or its title. `ours` is one of ours, `none` for what we have not and need not, or
`new` for work that our plan lacks. Several of theirs may be one of ours. Where `ours` is empty, nobody has decided yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from schedule.cpm.columns import Tie
from schedule.errors import InputError, Place
from schedule.exchange.model import Exchange, ExchangeLink, ExchangeTask
from schedule.files.grid import SHOWN, Faults, Record, records, rows_of_file
from schedule.text import plain_cell

NONE, NEW = "none", "new"
THEIRS, OURS = "theirs", "ours"
COLUMNS = (THEIRS, "their title", OURS, "our title", "confidence", "why")
"""`confidence` and `why` are of a first mapping by names, for the person who checks it."""


@dataclass(frozen=True)
class PlanMapping:
    """What a mapping file says: one of ours, `none` or `new`, by their id. Who is not in it is not decided."""

    path: Path
    ours: Mapping[str, str]

    def of(self, wanted: str) -> list[str]:
        """Return the ids of theirs that are `none` or `new`."""
        return [theirs for theirs, ours in self.ours.items() if ours == wanted]

    def undecided(self, theirs: Exchange) -> list[ExchangeTask]:
        """Return the activities of theirs of which the file does not say what they are."""
        return [task for task in theirs.tasks if task.id not in self.ours]


def read_mapping(path: Path, theirs: Exchange, known: Collection[str]) -> PlanMapping:
    """Return the mapping of a file. Raise InputError with the line for each id that is unknown or there twice."""
    faults = Faults()
    named = _Names(theirs, faults)
    found: dict[str, tuple[str, int]] = {}
    for record in records(path, rows_of_file(path), COLUMNS, (THEIRS, OURS)):
        with faults.at(record.place(THEIRS)):
            task = named.task(record)
            if task in found:
                raise ValueError(f"{task[:SHOWN]!r} is on line {found[task][1]} already; take one of the two lines out")
            found[task] = "", record.line
            with faults.at(record.place(OURS)):
                found[task] = _ours(record, known, faults), record.line
    faults.end()
    return PlanMapping(path, {task: ours for task, (ours, _) in found.items() if ours})


class _Names:
    """The ids and titles of their plan."""

    def __init__(self, theirs: Exchange, faults: Faults) -> None:
        self._faults = faults
        self._ids = {task.id for task in theirs.tasks}
        self._titled: dict[str, list[str]] = {}
        for task in theirs.tasks:
            self._titled.setdefault(task.title.casefold().strip(), []).append(task.id)

    def task(self, record: Record) -> str:
        """Return the id of the activity that a line names. Raise ValueError for one that is not in their plan."""
        text = plain_cell(record.cells.get(THEIRS, ""))
        if not text:
            raise ValueError("the activity of theirs is missing; write its id or its title, or take the line out")
        if text in self._ids:
            return text
        titled = self._titled.get(text.casefold(), [])
        if len(titled) > 1:
            listed = ", ".join(titled[:5])
            raise ValueError(f"{text[:SHOWN]!r} is the title of {len(titled)} activities; write the id: {listed}")
        if not titled:
            hint = self._faults.near(text, [*self._ids, *self._titled], "activities of theirs")
            raise ValueError(f"the schedule has no activity {text[:SHOWN]!r}; {hint}")
        return titled[0]


def _ours(record: Record, known: Collection[str], faults: Faults) -> str:
    text = plain_cell(record.cells.get(OURS, ""))
    if text.casefold() in {NONE, NEW}:
        return text.casefold()
    if text and text not in known:
        hint = faults.near(text, known, "activities of ours") if "@" in text else f"write one of ours, {NONE} or {NEW}"
        raise ValueError(f"our plan has no activity {text[:SHOWN]!r}; {hint}")
    return text


def under_our_ids(theirs: Exchange, mapping: PlanMapping, ours: Exchange) -> Exchange:
    """Return their plan with our ids: what is mapped to one of ours, and what is new. Nothing else is in it.

    A new activity keeps its id. It follows what it follows in their plan, also through activities that are left out.
    """
    known = {task.id: task for task in ours.tasks}
    parts: dict[str, list[ExchangeTask]] = {}
    for task in theirs.tasks:
        one = mapping.ours.get(task.id, NONE)
        if one != NONE:
            parts.setdefault(task.id if one == NEW else one, []).append(task)
    tasks = [_whole(name, found, known.get(name)) for name, found in parts.items()]
    place = {name: row for row, name in enumerate(parts)}
    into = {task.id: name for name, found in parts.items() for task in found}
    links = [
        ExchangeLink(place[before], place[after], tie, 0, 0)
        for before, after, tie in _links(theirs, into)
        if before != after
    ]
    return replace(theirs, tasks=tasks, links=links, assignments=())


def _whole(name: str, parts: Sequence[ExchangeTask], own: ExchangeTask | None) -> ExchangeTask:
    """Return what the parts come to: it starts with the first and ends with the last; its progress is that of their work."""
    first = parts[0]
    if len(parts) == 1 or own is None:
        return replace(first, id=name)
    has_ended = all(part.actual_finish is not None for part in parts)
    started = _first(part.actual_start for part in parts)
    work = sum(part.minutes for part in parts)
    done = sum(part.minutes * part.percent / 100 for part in parts)
    remaining = round(own.minutes * (1 - done / work)) if work else own.minutes
    return replace(
        first,
        id=name,
        minutes=own.minutes,
        start=_first(part.start for part in parts),
        finish=_last(part.finish for part in parts),
        actual_start=started,
        actual_finish=_last(part.actual_finish for part in parts) if has_ended else None,
        remaining=remaining if started is not None and not has_ended else None,
        stated_percent=None,
        no_earlier=None,
        no_later=None,
    )


def _first(instants: Iterable[datetime | None]) -> datetime | None:
    return min((at for at in instants if at is not None), default=None)


def _last(instants: Iterable[datetime | None]) -> datetime | None:
    return max((at for at in instants if at is not None), default=None)


def _links(theirs: Exchange, into: Mapping[str, str]) -> dict[tuple[str, str, Tie], None]:
    """Return the links between what is kept, each once. Through activities that are left out they are finish to start."""
    found: dict[tuple[str, str, Tie], None] = {}
    for row, task in enumerate(theirs.tasks):
        if task.id not in into:
            continue
        waiting = [(link.before, link.type) for link in theirs.into[row]]
        seen = {row}
        while waiting:
            before, tie = waiting.pop()
            if before in seen:
                continue
            seen.add(before)
            name = into.get(theirs.tasks[before].id)
            if name is None:
                waiting += [(link.before, Tie.FS) for link in theirs.into[before]]
            else:
                found[name, into[task.id], tie] = None
    return found


def require_mapping(path: Path) -> None:
    """Raise InputError where there is no mapping to record by."""
    if not path.exists():
        raise InputError(
            "there is no mapping yet",
            hint="run it without --record first: that writes a first mapping by names, for you to check",
            place=Place(str(path)),
        )
