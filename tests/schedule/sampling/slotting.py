"""Networks in slots, without progress: activities, and lags in working time as activities of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steps.schedule.cpm.compiled import CompiledNetwork
from steps.schedule.cpm.wiring import FROM_START, TO_FINISH
from steps.schedule.levelling.problem import CONTINUOUS, Capacity, Demands, Precedence, Problem


@dataclass(frozen=True)
class InSlots:
    """A network in slots."""

    problem: Problem
    slot_minutes: int
    origin: int
    row: NDArray[np.int64]


def in_slots(
    network: CompiledNetwork,
    demands: Sequence[tuple[int, int, int]],
    capacities: Sequence[int | Capacity],
    *,
    slot: int,
    horizon: int,
) -> InSlots:
    """Return a network in slots from minute 0 on, `horizon` of them; `demands` are triples (row, resource, amount)."""
    into, activities = network.into, network.activities
    calendar_of = [CONTINUOUS if calendar.is_continuous else c for c, calendar in enumerate(network.calendars)]
    row: list[int] = []
    duration: list[int] = []
    calendar: list[int] = []
    links: list[tuple[int, int, int, bool, bool]] = []
    activity = np.zeros(len(activities), np.int64)
    for number, own in enumerate(network.numbers.order.tolist()):
        wires = []
        for at in range(int(into.begin[number]), int(into.begin[number + 1])):
            before, code, lag = int(activity[into.far[at]]), int(into.code[at]), int(into.lag[at])
            lag_calendar = calendar_of[into.lag_calendar[at]]
            from_finish, to_finish = not code & FROM_START, bool(code & TO_FINISH)
            if lag > 0 and lag_calendar != CONTINUOUS:
                links.append((before, len(row), 0, from_finish, False))
                before, lag, from_finish = len(row), 0, True
                row.append(-1)
                duration.append(-(-int(into.lag[at]) // slot))
                calendar.append(lag_calendar)
            wires.append((before, -(-lag // slot), from_finish, to_finish))
        links += [(before, len(row), *rest) for before, *rest in wires]
        activity[number] = len(row)
        row.append(own)
        duration.append(-(-int(activities.duration[own]) // slot))
        calendar.append(calendar_of[activities.calendar[own]])
    by_row = {own: at for at, own in enumerate(row) if own >= 0}
    release = [
        0 if activities.no_earlier is None or own < 0 else max(0, -(-int(activities.no_earlier[own]) // slot))
        for own in row
    ]
    table = sorted(links, key=lambda link: link[1])
    return InSlots(
        Problem.of(
            duration,
            Precedence(
                np.searchsorted([link[1] for link in table], np.arange(len(row) + 1)).astype(np.int64),
                np.array([link[0] for link in table], np.int64),
                np.array([link[2] for link in table], np.int64),
                np.array([link[3] for link in table], np.bool_),
                np.array([link[4] for link in table], np.bool_),
            ),
            Demands.of(len(row), [(by_row[own], resource, amount) for own, resource, amount in demands]),
            capacities,
            release=release,
            calendar=calendar,
            calendars=[_open(network, c, slot, horizon) for c in range(len(network.calendars))],
        ),
        slot,
        0,
        np.array(row, np.int64),
    )


def _open(network: CompiledNetwork, c: int, slot: int, horizon: int) -> NDArray[np.bool_]:
    """Return the slots that a calendar works in to their full length."""
    return np.asarray(np.diff(network.calendars[c].work(np.arange(horizon + 1) * slot)) == slot)
