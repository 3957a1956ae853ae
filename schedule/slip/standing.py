"""How a project stands at a data date, and the dates between: what the finish is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from schedule.cpm.columns import NONE, Activities, Actuals, Bools
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.reading import SolvedNetwork
from schedule.cpm.shifts import Indices, Minutes
from schedule.errors import InputError


@dataclass(frozen=True, eq=False)
class Standing:
    """A network and what has happened to it. An activity is the same in two standings if it has the same name."""

    network: CompiledNetwork
    actuals: Actuals | None = None
    durations: Minutes | None = None
    """Minutes by row, instead of those that the network was compiled with."""
    start: int = 0
    """No activity starts before it."""
    crew_links: Bools | None = None
    """By row of the links: whether a link is the handover of a crew from one activity to the next."""

    def __post_init__(self) -> None:
        """Refuse marks that are not of these links."""
        if self.crew_links is not None and len(self.crew_links) != len(self.network.links):
            raise InputError(
                f"{len(self.network.links)} links have {len(self.crew_links)} marks of crews",
                hint="every link has one mark",
            )

    @cached_property
    def expected(self) -> Minutes:
        """The durations in force, by row."""
        return np.asarray(self.network.activities.duration if self.durations is None else self.durations)

    @property
    def data_date(self) -> int:
        """The data date, or the start of a project to which nothing has happened."""
        return self.start if self.actuals is None else max(self.start, self.actuals.data_date)

    @cached_property
    def no_earlier(self) -> Minutes:
        """By row the date before which an activity may not start, NONE where there is no such date."""
        column = self.network.activities.no_earlier
        return np.full(len(self.network.activities), NONE) if column is None else column

    def solved(self) -> SolvedNetwork:
        """Return the network with all its dates."""
        found = self.network.solve(start=self.start, durations=self.durations, actuals=self.actuals)
        return SolvedNetwork(self.network, found)


def progressed(before: Standing, after: Standing) -> Standing:
    """Return what the later record does to the earlier network: actual dates, remaining durations, and promised dates.

    A promised date takes the place of a lead time, so a row with another `no_earlier` has its later duration, too.
    """
    if before.network is after.network:
        return replace(before, actuals=after.actuals)
    here, there = _shared(before.network, after.network)
    no_earlier, durations = before.no_earlier.copy(), before.expected.copy()
    moved = no_earlier[here] != after.no_earlier[there]
    no_earlier[here] = after.no_earlier[there]
    durations[here[moved]] = after.expected[there[moved]]
    network = before.network
    if moved.any():
        columns = network.activities
        held = Activities(columns.names, columns.duration, columns.calendar, no_earlier, columns.no_later)
        network = replace(network, activities=held)
    actuals = _of_rows(after.actuals, here, there, len(network.activities))
    return replace(before, network=network, actuals=actuals, durations=durations)


def between(first: Standing, last: Standing, instants: Sequence[int]) -> list[Standing]:
    """Return `first`, how the project stood at each instant, and `last`: the windows in which causes are looked for.

    The dates between have the first network, and the starts and finishes recorded in `last` until then. What runs at one of them
    has worked since its start. Instants are in order, and after the data date of `first` and before that of `last`.
    """
    _check(first, last, instants)
    here, there = _shared(first.network, last.network)
    recorded = _of_rows(last.actuals, here, there, len(first.network.activities))
    if recorded is None:
        return [first, last]
    steps = [replace(first, actuals=_until(recorded, instant)) for instant in instants]
    return [first, *steps, last]


def _check(first: Standing, last: Standing, instants: Sequence[int]) -> None:
    dates = [first.data_date, *instants, last.data_date]
    if any(one > another for one, another in pairwise(dates)):
        raise InputError(
            "the dates of windows are not in order", hint="sort them; the first and the last are data dates"
        )


def _until(recorded: Actuals, instant: int) -> Actuals:
    started = np.where(recorded.started > instant, NONE, recorded.started)
    finished = np.where(recorded.finished > instant, NONE, recorded.finished)
    return Actuals(instant, started, finished, override=recorded.override)


def _shared(one: CompiledNetwork, two: CompiledNetwork) -> tuple[Indices, Indices]:
    """Return the rows in both networks of the activities that both have."""
    if one.activities.names is two.activities.names:
        rows = np.arange(len(one.activities), dtype=np.int32)
        return rows, rows
    row = {name: number for number, name in enumerate(two.activities.names)}
    pairs = [(here, row[name]) for here, name in enumerate(one.activities.names) if name in row]
    columns = np.array(pairs, np.int32).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _of_rows(actuals: Actuals | None, here: Indices, there: Indices, number: int) -> Actuals | None:
    if actuals is None:
        return None

    def moved(column: Minutes) -> Minutes:
        found = np.full(number, NONE)
        found[here] = column[there]
        return found

    remaining = None if actuals.remaining is None else moved(actuals.remaining)
    held = None
    if actuals.held is not None:
        held = np.zeros(number, np.int64)
        held[here] = actuals.held[there]
    return Actuals(
        actuals.data_date,
        moved(actuals.started),
        moved(actuals.finished),
        remaining,
        override=actuals.override,
        held=held,
    )
