"""Random histories of random networks: records that fit nothing, records of work as it was built, and revisions."""

from __future__ import annotations

from random import Random

import numpy as np

from schedule.cpm.columns import NONE, Activities, Actuals, Links
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import Minutes
from schedule.cpm.solution import Solution
from schedule.cpm.working_time import working_time
from schedule.slip.standing import Standing, between
from tests.schedule.networks import CALENDARS, DAY, Case, Drawn, random_case

ANYTHING = Drawn(calendars=4, progress="none")
SIMPLE = Drawn(types=("FS", "SS"), leads=False, calendars=4, progress="none")
"""Networks in which one thing explains all: the same dates follow from a plan and from the record of it."""


def compiled(case: Case) -> CompiledNetwork:
    """Return the network of a case."""
    return compile_network(case.activities, case.links, case.calendars)


def random_standings(seed: int) -> list[Standing]:
    """Return two to five standings that have nothing to do with each other but names, so that every kind of change occurs."""
    random = Random(seed)
    case = random_case(seed, ANYTHING)
    standing = Standing(compiled(case), _any_record(random, case, 0) if random.random() < 0.3 else None)
    found, data_date = [standing], standing.data_date
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.5:
            case = _revised(random, case)
            standing = Standing(compiled(case))
        record = _any_record(random, case, data_date)
        data_date = record.data_date
        standing = Standing(standing.network, record, start=standing.start + random.choice([0, 0, 0, 90]))
        found.append(standing)
    if found[1].network is found[0].network:
        some = sorted(random.randint(found[0].data_date, found[1].data_date) for _ in range(random.randint(0, 3)))
        return [*between(found[0], found[1], some), *found[2:]]
    return found


def _any_record(random: Random, case: Case, since: int) -> Actuals:
    number = len(case.activities)
    data_date = since + random.randint(0, 2 * DAY)
    started, finished, remaining = (np.full(number, NONE) for _ in range(3))
    for row in range(number):
        if random.random() < 0.45:
            started[row] = random.randint(-2 * DAY, data_date)
            if random.random() < 0.5:
                finished[row] = random.randint(int(started[row]), data_date)
        if random.random() < 0.3:
            remaining[row] = random.randint(0, 900)
    return Actuals(data_date, started, finished, remaining, override=random.random() < 0.3)


def _revised(random: Random, case: Case) -> Case:
    """Return the case with other durations, calendars, dates, lags and links, fewer links, and perhaps one more activity."""
    activities, links, number = case.activities, case.links, len(case.activities)
    change = np.array([random.choice([0, 0, 300, -300, 700]) for _ in range(number)])
    calendar = np.array(
        [random.randrange(4) if random.random() < 0.2 else own for own in activities.calendar], np.int32
    )
    held = np.array([random.randint(0, 6 * DAY) if random.random() < 0.2 else NONE for _ in range(number)])
    names, durations = list(activities.names), np.maximum(activities.duration + change, 0)
    kept = np.array([random.random() < 0.85 for _ in range(len(links))], bool)
    lag = links.lag + np.array([random.choice([0, 0, 0, -60, 200]) for _ in range(len(links))], np.int64)
    columns = [column[kept] for column in (links.before, links.after, links.type, lag, links.lag_calendar)]
    if random.random() < 0.4:
        names.append(f"new {number}")
        durations, calendar, held = np.append(durations, 400), np.append(calendar, 1), np.append(held, NONE)
        more = (number, random.randrange(number), random.randrange(4), 0, 0)
        columns = [np.append(column, value) for column, value in zip(columns, more, strict=True)]
    before, after, kinds, lags, lag_calendar = columns
    changed = Links(before.astype(np.int32), after.astype(np.int32), kinds.astype(np.uint8), lags, lag_calendar)
    return Case(Activities(names, durations, calendar.astype(np.int32), held), changed, CALENDARS, None)


def as_built(network: CompiledNetwork, built: Solution, data_date: int) -> Standing:
    """Return the record at a data date of work that was done as `built` says, with what was then known to remain."""
    started = np.where(built.start <= data_date, built.start, NONE)
    finished = np.where((built.finish <= data_date) & (started != NONE), built.finish, NONE)
    runs = (started != NONE) & (finished == NONE)
    remaining = np.full(len(started), NONE)
    for row in np.flatnonzero(runs).tolist():
        own = working_time(network.calendars[int(network.activities.calendar[row])])
        remaining[row] = own.worked(int(built.finish[row])) - own.worked(data_date)
    return Standing(network, Actuals(data_date, started, finished, remaining))


def longer(durations: Minutes, row: int, change: int) -> Minutes:
    """Return durations of which one is changed."""
    changed = durations.copy()
    changed[row] = max(changed[row] + change, 0)
    return changed
