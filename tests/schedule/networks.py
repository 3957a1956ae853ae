"""Random networks of a few activities, small enough to be played minute by minute."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from steps.schedule.cpm.columns import NONE, Activities, Actuals, Links
from steps.schedule.cpm.shifts import ShiftCalendar, continuous

DAY = 1440
SPAN = (-10 * DAY, 60 * DAY)
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
    milestones: bool = True
    constraints: bool = True
    progress: bool = True


@dataclass(frozen=True)
class Case:
    """A network, and what has happened to it."""

    activities: Activities
    links: Links
    calendars: list[ShiftCalendar]
    actuals: Actuals | None


def week(name: str, hours: list[tuple[int, int]], days: int, *, off: tuple[int, ...] = ()) -> ShiftCalendar:
    """Return a calendar of the same shifts, in minutes of the day, on the first days of each week but for those `off`."""
    first, last = SPAN
    shifts = [
        (day * DAY + start, day * DAY + end)
        for day in range(first // DAY, last // DAY)
        if day % 7 < days and day not in off
        for start, end in hours
    ]
    starts, ends = zip(*shifts, strict=True)
    return ShiftCalendar(name, np.array(starts, np.int64), np.array(ends, np.int64), begins=first)


CALENDARS = [
    week("five days", [(480, 720), (780, 1020)], 5, off=(3,)),
    continuous(),
    week("six long days", [(360, 1080)], 6),
    week("nights", [(0, 300), (1320, 1440 - 1)], 7, off=(2, 8)),
]


def random_case(seed: int, drawn: Drawn) -> Case:
    """Return one network; the same seed and the same wishes have the same network."""
    random = Random(seed)
    number = random.randint(2, 9)
    calendars = CALENDARS[: drawn.calendars]
    calendar = [random.randrange(len(calendars)) for _ in range(number)]
    activities = Activities(
        [f"A{i}" for i in range(number)],
        np.array([_duration(random, drawn) for _ in range(number)], np.int64),
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
    return Case(activities, columns, calendars, _actuals(random, activities, drawn) if drawn.progress else None)


def _duration(random: Random, drawn: Drawn) -> int:
    return 0 if drawn.milestones and random.random() < 0.15 else random.choice([random.randint(1, 1500), 240, 480])


def _lag(random: Random, drawn: Drawn) -> int:
    if not drawn.lags or random.random() < 0.5:
        return 0
    lag = random.choice([random.randint(1, 900), 480])
    return -lag if drawn.leads and random.random() < 0.4 else lag


def _lag_calendar(random: Random, calendar: list[int], link: tuple[int, int], drawn: Drawn) -> int:
    match drawn.lag_calendar:
        case "predecessor":
            return calendar[link[0]]
        case "successor":
            return calendar[link[1]]
        case "continuous":
            return 1
    return random.randrange(drawn.calendars)


def _constraints(random: Random, number: int, drawn: Drawn) -> tuple[np.ndarray | None, np.ndarray | None]:
    if not drawn.constraints:
        return None, None

    def dates() -> np.ndarray:
        return np.array(
            [random.randint(0, 6 * DAY) if random.random() < 0.15 else NONE for _ in range(number)], np.int64
        )

    return dates(), np.where(dates() == NONE, NONE, dates().clip(2 * DAY))


def _actuals(random: Random, activities: Activities, drawn: Drawn) -> Actuals | None:
    if random.random() < 0.3:
        return None
    number, data_date = len(activities), random.randint(0, 4 * DAY)
    started = np.full(number, NONE)
    finished, remaining = started.copy(), started.copy()
    for i in range(number):
        if random.random() < 0.45:
            started[i] = random.randint(-2 * DAY, data_date)
            if random.random() < 0.5:
                finished[i] = random.randint(int(started[i]), data_date)
        if random.random() < 0.3:
            remaining[i] = random.randint(0, 900)
    return Actuals(data_date, started, finished, remaining, override=random.random() < 0.3)
