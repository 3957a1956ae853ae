"""Links and demands of a file's rows: what their cells name is looked up, and noted where it is not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schedule.cpm.columns import Links
from schedule.cpm.shifts import Indices
from schedule.errors import Place
from schedule.files.grid import Faults, Record
from schedule.files.project import Demand
from schedule.files.terms import AROUND_THE_CLOCK, Predecessor, Week, predecessors_of, uses_of
from schedule.files.weeks import CONTINUOUS

Cells = Sequence[tuple[Record, str]]
"""The rows of activities, each with the cell that is read."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """The calendars of activities, by row: what a day and a week are, and their index among those that are `used`."""

    weeks: Sequence[Week]
    calendar: Indices
    used: dict[str, int]


def links_of(cells: Cells, names: Mapping[str, int], kinds: Kinds, faults: Faults) -> Links:
    """Return the links. A lag counts on the predecessor's calendar, an elapsed one around the clock."""
    before, after, types, lags, lag_calendars = [], [], [], [], []
    for row, (record, text) in enumerate(cells):
        for link in _links(record, text, names, faults):
            earlier = names[link.id]
            if earlier == row:
                faults.say(f"{link.id} waits for itself", record.place("predecessors"), "take the link out")
            lag, calendar = _lag(link, earlier, kinds)
            before.append(earlier)
            after.append(row)
            types.append(link.type)
            lags.append(lag)
            lag_calendars.append(calendar)
    return Links(
        np.array(before, np.int32),
        np.array(after, np.int32),
        np.array(types, np.uint8),
        np.array(lags, np.int64),
        np.array(lag_calendars, np.int32),
    )


def demands_of(cells: Cells, resources: Mapping[str, int], faults: Faults, *, is_folder: bool) -> tuple[Demand, ...]:
    """Return what activities hold of `resources`, of which there is so much each. Note one that is not known, or too little."""
    numbers = {name: number for number, name in enumerate(resources)}
    demands: dict[tuple[int, int], int] = {}
    missing = "list it in resources.csv" if is_folder else "name the folder, with resources.csv beside activities.csv"
    for row, (record, text) in enumerate(cells):
        place = record.place("resources")
        for name, amount in _uses(place, text, faults).items():
            if name not in resources:
                hint = faults.near(name, resources, "resources") if resources else missing
                faults.say(f"there is no resource {name!r}", place, hint)
                continue
            if amount > resources[name]:
                what = f"{amount:,} of {name} are needed, and there are {resources[name]:,}"
                faults.say(what, place, "raise the amount in resources.csv, or need less")
            demands[row, numbers[name]] = amount
    return tuple(Demand(row, resource, amount) for (row, resource), amount in demands.items() if amount)


def _uses(place: Place, text: str, faults: Faults) -> Counter[str]:
    """Return the amounts of resources that a cell names; one that is named twice is needed twice."""
    total: Counter[str] = Counter()
    with faults.at(place):
        for use in uses_of(text):
            total[use.resource] += use.amount
    return total


def _links(record: Record, text: str, names: Mapping[str, int], faults: Faults) -> list[Predecessor]:
    place = record.place("predecessors")
    with faults.at(place, "ids are in the column id; links are written A, BFS+2d, CSS-4h"):
        return predecessors_of(text, names) if text else []
    return []


def _lag(link: Predecessor, before: int, kinds: Kinds) -> tuple[int, int]:
    if link.lag is None:
        return 0, int(kinds.calendar[before])
    if link.lag.elapsed:
        calendar = kinds.used.setdefault(CONTINUOUS, len(kinds.used))
        return link.sign * link.lag.minutes(AROUND_THE_CLOCK), calendar
    return link.sign * link.lag.minutes(kinds.weeks[before]), int(kinds.calendar[before])
