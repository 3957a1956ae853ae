"""Small networks by name, in days of 1,440 minutes on a continuous calendar unless it says otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from schedule.cpm.columns import NONE, Activities, Actuals, Links, Tie, rows_of
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import ShiftCalendar, continuous
from schedule.slip.causes import SlipCause
from schedule.slip.explain import Slip
from schedule.slip.standing import Standing
from tests.schedule.networks import DAY

Link = tuple[str, str] | tuple[str, str, Tie] | tuple[str, str, Tie, int]
"""Before, after, type (FS if it is not said), lag in days."""
ALWAYS_OPEN = [continuous()]


def network(
    durations: Mapping[str, int],
    links: Sequence[Link],
    *,
    calendars: Sequence[ShiftCalendar] = ALWAYS_OPEN,
    day: int = DAY,
    no_earlier: Mapping[str, int] | None = None,
) -> CompiledNetwork:
    """Return a network on the first calendar. Durations and lags are days of `day` minutes, dates days since the origin."""
    names = list(durations)
    full = [(*link, Tie.FS, 0)[:4] if len(link) == 2 else (*link, 0)[:4] for link in links]
    nothing = np.zeros(len(full), np.int32)
    dates = column(names, no_earlier or {})
    return compile_network(
        Activities(names, np.array([*durations.values()]) * day, np.zeros(len(names), np.int32), dates),
        Links(
            rows_of(names, [str(link[0]) for link in full]),
            rows_of(names, [str(link[1]) for link in full]),
            np.array([link[2] for link in full], np.uint8),
            np.array([link[3] for link in full], np.int64) * day,
            nothing,
        ),
        calendars,
    )


def column(names: Sequence[str], days: Mapping[str, int | float]) -> np.ndarray:
    """Return minutes by row, NONE where no day is named."""
    return np.array([round(days[name] * DAY) if name in days else NONE for name in names], np.int64)


def record(
    made: CompiledNetwork,
    day: float,
    started: Mapping[str, int | float],
    finished: Mapping[str, int | float],
    remaining: Mapping[str, int | float] | None = None,
) -> Standing:
    """Return a network at a data date, in days, with actual starts and finishes by name."""
    names = made.activities.names
    remains = column(names, remaining or {})
    return Standing(made, Actuals(round(day * DAY), column(names, started), column(names, finished), remains))


def in_days(slip: Slip) -> dict[tuple[str, SlipCause], float]:
    """Return the parts of a slip in days."""
    return {(part.activity, part.cause): part.minutes / DAY for part in slip.parts}
