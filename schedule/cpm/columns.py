"""What a network is made of, as columns: a row an activity, a row a link. No object is made for either.

Times and durations are whole minutes; an activity or link is its row. `NONE` stands for a date that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedule.cpm.shifts import Indices, Minutes, ShiftCalendar
from schedule.errors import InputError

Bools = NDArray[np.bool_]

NONE = int(np.iinfo(np.int64).min)
"""No date: not begun, not constrained."""


class Tie(IntEnum):
    """The type of a link. Bit 0: it leaves the predecessor's start. Bit 1: it ends at the successor's finish."""

    FS = 0
    SS = 1
    FF = 2
    SF = 3


@dataclass(frozen=True, eq=False)
class Activities:
    """Names, durations in minutes of each activity's own calendar, and the calendar's index; all of shape (activities,).

    `no_earlier` is the first instant at which it may start, `no_later` the last at which it should be finished: a finish after
    it shows as negative float.
    """

    names: Sequence[str]
    duration: Minutes
    calendar: Indices
    no_earlier: Minutes | None = None
    no_later: Minutes | None = None

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Links:
    """Rows of the predecessor and the successor, the type, and the lag in minutes of a calendar; all of shape (links,).

    A negative lag is a lead.
    """

    before: Indices
    after: Indices
    type: NDArray[np.uint8]
    lag: Minutes
    lag_calendar: Indices

    def __len__(self) -> int:
        return len(self.before)


@dataclass(frozen=True, eq=False)
class Actuals:
    """What has happened until `data_date`, and what remains; columns of shape (activities,), NONE where there is nothing.

    An activity that runs and has no `remaining` has worked since its start, but for the time on hold: what is left of its duration
    remains.
    """

    data_date: int
    started: Minutes
    finished: Minutes
    remaining: Minutes | None = None
    override: bool = False
    """Progress override: what has started works on, whatever comes before it. Otherwise it waits (retained logic)."""
    resumes: Minutes | None = None
    """What runs goes on no earlier than this, as after a suspension; NONE for the data date."""
    held: Minutes | None = None
    """Minutes of its own calendar since its start in which an activity was on hold, and not worked on. 0 for none."""


def rows_of(names: Sequence[str], wanted: Sequence[str]) -> Indices:
    """Return the rows of activities by name, or InputError for a name that no activity has."""
    row = {name: number for number, name in enumerate(names)}
    unknown = next((name for name in wanted if name not in row), None)
    if unknown is not None:
        raise InputError(
            f"a link names activity {unknown!r}, which is not in the network", hint="add it, or correct the name"
        )
    return np.fromiter((row[name] for name in wanted), np.int32, len(wanted))


def int_column(values: ArrayLike) -> Minutes:
    """Return a column of whole numbers as 64 bits; InputError if it has fractions."""
    column = np.asarray(values)
    if column.size and not np.issubdtype(column.dtype, np.integer):
        raise InputError(f"times and indices are whole numbers, not {column.dtype}", hint="round to minutes first")
    return np.ascontiguousarray(column, dtype=np.int64)


def as_columns(activities: Activities, links: Links) -> tuple[Activities, Links]:
    """Return the same columns in the types that the passes read; InputError if one has fractions."""
    dates = (None if column is None else int_column(column) for column in (activities.no_earlier, activities.no_later))
    return (
        Activities(activities.names, int_column(activities.duration), _index(activities.calendar), *dates),
        Links(
            _index(links.before),
            _index(links.after),
            int_column(links.type).astype(np.uint8),
            int_column(links.lag),
            _index(links.lag_calendar),
        ),
    )


def check_columns(activities: Activities, links: Links, calendars: Sequence[ShiftCalendar]) -> None:
    """Raise InputError for the first row that is wrong, by name."""
    names, number = activities.names, len(activities)
    if len(set(names)) < number:
        raise InputError(f"two activities have the name {_twice(names)!r}", hint="rename one of them")
    lengths: dict[str, NDArray[np.integer] | None] = {
        "durations": activities.duration,
        "calendars": activities.calendar,
        "dates of no_earlier": activities.no_earlier,
        "dates of no_later": activities.no_later,
    }
    _same_length(lengths, number, "activities")
    _refuse(activities.duration < 0, names, "has a negative duration")
    _refuse(
        _outside(activities.calendar, len(calendars)), names, f"has an unknown calendar; there are {len(calendars)}"
    )
    ends_and_lags: dict[str, NDArray[np.integer] | None] = {
        "predecessors": links.before,
        "types": links.type,
        "lags": links.lag,
        "lag calendars": links.lag_calendar,
    }
    _same_length(ends_and_lags, len(links.after), "links")
    for ends, what in ((links.before, "predecessor"), (links.after, "successor")):
        _refuse_link(_outside(ends, number), f"has a {what} that is not in the network; there are {number} activities")
    _refuse_link(_outside(links.type, len(Tie)), "has an unknown type; FS, SS, FF and SF are 0 to 3")
    _refuse_link(_outside(links.lag_calendar, len(calendars)), "has an unknown lag calendar")


def check_actuals(activities: Activities, actuals: Actuals) -> None:
    """Raise InputError for the first activity whose progress cannot be true, by name."""
    names = activities.names
    columns = {"starts": actuals.started, "finishes": actuals.finished, "remaining durations": actuals.remaining}
    columns |= {"dates of resuming": actuals.resumes, "times on hold": actuals.held}
    _same_length(columns, len(activities), "activities")
    begun, ended = actuals.started != NONE, actuals.finished != NONE
    _refuse(ended & ~begun, names, "has finished and has no actual start")
    _refuse(ended & (actuals.finished < actuals.started), names, "has finished before its actual start")
    _refuse(begun & (actuals.started > actuals.data_date), names, "has started after the data date")
    _refuse(ended & (actuals.finished > actuals.data_date), names, "has finished after the data date")
    if actuals.remaining is not None:
        given = actuals.remaining != NONE
        _refuse(given & (actuals.remaining < 0), names, "has a negative remaining duration")


def _index(values: ArrayLike) -> Indices:
    return np.ascontiguousarray(int_column(values), dtype=np.int32)


def _outside(column: NDArray[np.integer], number: int) -> Bools:
    return np.asarray((column < 0) | (column >= number))


def _same_length(columns: Mapping[str, NDArray[np.integer] | None], number: int, what: str) -> None:
    for name, column in columns.items():
        if column is not None and len(column) != number:
            raise InputError(f"{number} {what} have {len(column)} {name}", hint="every column has one row each")


def _refuse(wrong: Bools, names: Sequence[str], what: str) -> None:
    if wrong.any():
        raise InputError(f"activity {names[int(wrong.argmax())]!r} {what}", hint="correct this row")


def _refuse_link(wrong: Bools, what: str) -> None:
    if wrong.any():
        raise InputError(f"link {int(wrong.argmax())} {what}", hint="correct this row")


def _twice(names: Sequence[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
