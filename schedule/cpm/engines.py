"""The two ways to compute a network, with the same results: compiled by numba, or in numpy. numba is taken where it is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

from schedule.cpm import numbering, passes_numpy
from schedule.cpm.columns import Links
from schedule.cpm.numbering import Numbering, Stretches
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import Early, Late, Wires, Work


class Passes(Protocol):
    """The passes over one network."""

    def forward(self, work: Work) -> Early:
        """Return early dates by number, or raise LeftCalendarError."""

    def backward(self, work: Work, cap: Minutes, early: Early) -> Late:
        """Return late dates by number, or raise LeftCalendarError. `cap` is the last instant for each finish, or FREE."""


@dataclass(frozen=True)
class Engine:
    """How a network is numbered and solved."""

    name: str
    depths: Callable[[Links, int], Indices]
    numbering: Callable[[Indices], Numbering]
    stretches: Callable[[Indices, int], Stretches]
    passes: Callable[[Indices, Wires, Wires, passes_numpy.Clock], Passes]
    """Takes where levels begin, links by successor, links by predecessor, and the calendars."""


class _NumpyPasses:
    def __init__(self, level: Indices, into: Wires, out: Wires, clock: passes_numpy.Clock) -> None:
        self._into, self._out = passes_numpy.Levels(level, into), passes_numpy.Levels(level, out)
        self._clock = clock

    def forward(self, work: Work) -> Early:
        return passes_numpy.forward(self._into, work, self._clock)

    def backward(self, work: Work, cap: Minutes, early: Early) -> Late:
        return passes_numpy.backward(self._out, work, cap, early, self._clock)


class _NumbaPasses:
    def __init__(self, _: Indices, into: Wires, out: Wires, clock: passes_numpy.Clock) -> None:
        from schedule.cpm import passes_numba

        self._into, self._out = passes_numba.unsigned(into), passes_numba.unsigned(out)
        self._tables = clock.tables

    def forward(self, work: Work) -> Early:
        from schedule.cpm import passes_numba

        return passes_numba.forward(self._into, work, self._tables)

    def backward(self, work: Work, cap: Minutes, early: Early) -> Late:
        from schedule.cpm import passes_numba

        return passes_numba.backward(self._out, work, cap, early, self._tables)


def numpy_engine() -> Engine:
    """Return the engine that needs numpy alone."""
    return Engine("numpy", numbering.depths, numbering.numbering, numbering.stretches, _NumpyPasses)


def numba_engine() -> Engine:
    """Return the engine that numba compiles, at its first use on a machine."""
    from schedule.cpm import numbering_numba

    return Engine("numba", numbering_numba.depths, numbering_numba.numbering, numbering_numba.stretches, _NumbaPasses)


def fastest_engine() -> Engine:
    """Return the engine of numba where numba is installed, and that of numpy elsewhere."""
    return numba_engine() if find_spec("numba") else numpy_engine()
