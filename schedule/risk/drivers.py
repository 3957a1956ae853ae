"""What changes many durations at once: risk drivers that multiply them, and events that add work.

A driver is a root cause: a supplier, a crew, the weather. In a sample it occurs with its probability, and then multiplies
every duration that it applies to by one and the same number; so those durations are correlated. Drivers that meet on an
activity multiply each other. Source: AACE International, Recommended Practice 57R-09.

An event adds work to single activities, independently of each other: a factory test that fails and is repeated, parts that
are dead on arrival, a burn-in that is run again. It occurs once, twice, or as often as its chances say, and each time adds
a duration of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp, log, log1p

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import int_column
from schedule.errors import InputError
from schedule.risk.spreads import Spread

Rows = NDArray[np.integer]
"""Rows of activities."""

MOST_OCCURRENCES = 64
"""An event occurs no more often in one activity: each occurrence is a draw."""


@dataclass(frozen=True, eq=False)
class RiskDriver:
    """A root cause. `multiplier` is what it does to durations, 1.2 for a fifth more; `activities` are rows.

    Drivers with the same `luck` have the same draws, each at the same probability of its own spread: deliveries of one order
    are late together, whatever their lead times are. Without, a driver has draws of its own.
    """

    name: str
    probability: float
    multiplier: Spread
    activities: Rows
    luck: str | None = None


@dataclass(frozen=True, eq=False)
class RiskEvent:
    """Work that may be added. `chances[k]` is the probability of at least k + 1 occurrences, `extra` the minutes of each.

    Its activities have draws of their own, or all the same with a `luck`.
    """

    name: str
    chances: Sequence[float]
    extra: Spread
    activities: Rows
    luck: str | None = None


def repeats(probability: float, most: int) -> tuple[float, ...]:
    """Return the chances of what fails with `probability`, is repeated, and may fail again; after `most` times it passes."""
    _probability(probability, "a repeated event")
    _count(most)
    return tuple(probability**count for count in range(1, most + 1))


def dead_on_arrival(share: float, items: int, most: int) -> tuple[float, ...]:
    """Return the chances that of `items` parts at least 1, 2 and so on are dead, each with probability `share`.

    More than `most` are counted as `most`.
    """
    _probability(share, "a share of dead parts")
    _count(most)
    exactly = [comb(items, dead) * share**dead * (1.0 - share) ** (items - dead) for dead in range(min(most, items))]
    below = np.cumsum(exactly)
    return tuple(float(min(max(1.0 - chance, 0.0), 1.0)) for chance in below)


def more_dead_than(share: float, items: int, spares: int) -> float:
    """Return the chance that of `items` parts more than `spares` are dead, each with probability `share`."""
    _probability(share, "a share of dead parts")
    if share in (0.0, 1.0) or spares >= items:
        return float(share == 1.0 and spares < items)
    odds, chance = log(share) - log1p(-share), 0.0
    exactly = items * log1p(-share)
    for dead in range(spares + 1):
        chance += exp(exactly)
        exactly += log((items - dead) / (dead + 1)) + odds
    return min(max(1.0 - chance, 0.0), 1.0)


def check_drivers(drivers: Sequence[RiskDriver], activities: int) -> None:
    """Raise InputError for the first driver that is wrong, by name."""
    _names([driver.name for driver in drivers], "driver")
    for driver in drivers:
        _probability(driver.probability, f"driver {driver.name!r}")
        check_rows(driver.activities, activities, f"driver {driver.name!r}")


def check_events(events: Sequence[RiskEvent], activities: int) -> None:
    """Raise InputError for the first event that is wrong, by name."""
    _names([event.name for event in events], "event")
    for event in events:
        what = f"event {event.name!r}"
        if not 1 <= len(event.chances) <= MOST_OCCURRENCES:
            raise InputError(
                f"{what} has {len(event.chances)} chances", hint=f"between 1 and {MOST_OCCURRENCES} are possible"
            )
        for chance in event.chances:
            _probability(chance, what)
        if any(later > sooner for sooner, later in zip(event.chances, event.chances[1:], strict=False)):
            raise InputError(f"{what} has chances that rise", hint="twice is never more probable than once")
        check_rows(event.activities, activities, what)


def positions(names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return where the wanted drivers, events or responses are, or InputError for a name that none has."""
    unknown = next((name for name in wanted if name not in names), None)
    if unknown is not None:
        known = ", ".join(names) or "none"
        raise InputError(f"there is no driver, event or response {unknown!r}", hint=f"there are: {known}")
    return [list(names).index(name) for name in wanted]


def _names(names: Sequence[str], what: str) -> None:
    twice = next((name for position, name in enumerate(names) if name in names[:position]), None)
    if twice is not None:
        raise InputError(
            f"two {what}s have the name {twice!r}", hint="rename one of them: its name is the key of its draws"
        )


def _probability(value: float, what: str) -> None:
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{what} has the probability {value:g}", hint="a probability is between 0 and 1")


def _count(most: int) -> None:
    if not 1 <= most <= MOST_OCCURRENCES:
        raise InputError(f"an event cannot occur {most} times", hint=f"between 1 and {MOST_OCCURRENCES} are possible")


def check_rows(rows: Rows, activities: int, what: str) -> None:
    """Raise InputError for a row that no activity has."""
    column = int_column(rows)
    wrong = (column < 0) | (column >= activities)
    if wrong.any():
        row = int(column[int(wrong.argmax())])
        raise InputError(f"{what} names activity {row}; there are {activities}", hint="correct its rows")
