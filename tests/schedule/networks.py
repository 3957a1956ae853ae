"""Random networks of a few activities, small enough to be played minute by minute."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np

from schedule.cpm.columns import NONE, Activities, Actuals, Links
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import ShiftCalendar, continuous

DAY = 1440
SPAN = (-14 * DAY, 70 * DAY)
TYPES = ("FS", "SS", "FF", "SF")


@dataclass(frozen=True)
class Drawn:
    """What random networks may hold."""

    types: tuple[str, ...] = TYPES
    leads: bool = True
    lags: bool = True
    calendars: int = 3
    lag_calendar: str = "any"
    """any, predecessor, successor or continuous."""
    milestones: str = "any"
    """any, none, or continuous: those that there are have a continuous calendar."""
    constraints: bool = True
    progress: str = "any"
    """any, none, or sequence: nothing starts or ends before what it waits for, and what runs has worked since its start."""
    grid: int = 1
    """Durations, lags and dates are multiples of so many minutes."""
    override: bool | None = None
    """Progress override, or retained logic; None for either."""


@dataclass(frozen=True)
class Case:
    """A network, and what has happened to it."""

    activities: Activities
    links: Links
    calendars: list[ShiftCalendar]
    actuals: Actuals | None


class Week(NamedTuple):
    """The same shifts, in minutes of the day, on the first days of each week; minute 0 is a Monday."""

    name: str
    hours: tuple[tuple[int, int], ...]
    days: int
    off: tuple[int, ...] = ()
    """Days of the network, counted from 0, on which nothing is worked."""


WEEKS = (
    Week("five days", ((480, 720), (780, 1020)), 5, off=(3,)),
    Week("continuous", ((0, DAY),), 7),
    Week("six long days", ((360, 1080),), 6),
    Week("nights", ((0, 300), (1320, 1410)), 7, off=(2, 8)),
)


def calendar_of(week: Week, span: tuple[int, int] = SPAN) -> ShiftCalendar:
    """Return the calendar of a week over a span of minutes, which begins on a Monday."""
    if week.name == "continuous":
        return continuous()
    first, last = span
    shifts = [
        (day * DAY + start, day * DAY + end)
        for day in range(first // DAY, last // DAY)
        if day % 7 < week.days and day not in week.off
        for start, end in week.hours
    ]
    starts, ends = zip(*shifts, strict=True)
    return ShiftCalendar(week.name, np.array(starts, np.int64), np.array(ends, np.int64), begins=first)


CALENDARS = [calendar_of(week) for week in WEEKS]
CONTINUOUS = 1


def random_case(seed: int, drawn: Drawn) -> Case:
    """Return one network; the same seed and the same wishes have the same network."""
    random = Random(seed)
    number = random.randint(2, 9)
    calendar = [random.randrange(drawn.calendars) for _ in range(number)]
    durations = [_duration(random, drawn) for _ in range(number)]
    if drawn.milestones == "continuous":
        calendar = [own if length else CONTINUOUS for own, length in zip(calendar, durations, strict=True)]
    activities = Activities(
        [f"A{i}" for i in range(number)],
        np.array(durations, np.int64),
        np.array(calendar, np.int32),
        *_constraints(random, number, drawn),
    )
    names = list(range(number))
    random.shuffle(names)
    links = [
        (names[before], names[after])
        for after in range(number)
        for before in range(after)
        if random.random() < 2.2 / number
    ]
    lags = [_lag(random, drawn) for _ in links]
    columns = Links(
        np.array([before for before, _ in links], np.int32),
        np.array([after for _, after in links], np.int32),
        np.array([TYPES.index(random.choice(drawn.types)) for _ in links], np.uint8),
        np.array(lags, np.int64),
        np.array([_lag_calendar(random, calendar, link, drawn) for link in links], np.int32),
    )
    return Case(activities, columns, CALENDARS, _progress(random, activities, columns, drawn))


def _duration(random: Random, drawn: Drawn) -> int:
    return (
        0
        if drawn.milestones != "none" and random.random() < 0.15
        else random.choice([_minutes(random, 1, 1500, drawn), 240, 480])
    )


def _minutes(random: Random, least: int, most: int, drawn: Drawn) -> int:
    return random.randint(-(-least // drawn.grid), most // drawn.grid) * drawn.grid


def _lag(random: Random, drawn: Drawn) -> int:
    if not drawn.lags or random.random() < 0.5:
        return 0
    lag = random.choice([_minutes(random, 1, 900, drawn), 480])
    return -lag if drawn.leads and random.random() < 0.4 else lag


def _lag_calendar(random: Random, calendar: list[int], link: tuple[int, int], drawn: Drawn) -> int:
    match drawn.lag_calendar:
        case "predecessor":
            return calendar[link[0]]
        case "successor":
            return calendar[link[1]]
        case "continuous":
            return CONTINUOUS
    return random.randrange(drawn.calendars)


def _constraints(random: Random, number: int, drawn: Drawn) -> tuple[np.ndarray | None, np.ndarray | None]:
    if not drawn.constraints:
        return None, None

    def dates() -> np.ndarray:
        return np.array(
            [_minutes(random, 0, 6 * DAY, drawn) if random.random() < 0.15 else NONE for _ in range(number)], np.int64
        )

    return dates(), np.where(dates() == NONE, NONE, dates().clip(2 * DAY))


def _progress(random: Random, activities: Activities, links: Links, drawn: Drawn) -> Actuals | None:
    if drawn.progress == "none":
        return None
    override = random.random() < 0.3 if drawn.override is None else drawn.override
    if drawn.progress == "sequence":
        return _as_planned(random, activities, links, drawn, override=override)
    return None if random.random() < 0.3 else _anyhow(random, len(activities), drawn, override=override)


def _as_planned(random: Random, activities: Activities, links: Links, drawn: Drawn, *, override: bool) -> Actuals:
    planned = compile_network(activities, links, CALENDARS).solve()
    data_date = _minutes(random, 0, int(planned.project_finish), drawn)
    started = np.where(planned.start < data_date, planned.start, NONE)
    finished = np.where((planned.finish <= data_date) & (started != NONE), planned.finish, NONE)
    return Actuals(data_date, started, finished, override=override)


def _anyhow(random: Random, number: int, drawn: Drawn, *, override: bool) -> Actuals:
    data_date = _minutes(random, 0, 4 * DAY, drawn)
    started = np.full(number, NONE)
    finished, remaining = started.copy(), started.copy()
    for i in range(number):
        if random.random() < 0.45:
            started[i] = _minutes(random, -2 * DAY, data_date, drawn)
            if random.random() < 0.5:
                finished[i] = _minutes(random, int(started[i]), data_date, drawn)
        if random.random() < 0.3:
            remaining[i] = _minutes(random, 0, 900, drawn)
    return Actuals(data_date, started, finished, remaining, override=override)
