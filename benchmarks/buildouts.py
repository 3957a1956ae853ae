"""Simulated buildouts: the catalog's own pod, repeated, with rates that are hidden from the forecast.

Step types, three points, trades and links are those of the shipped catalog at one pod of a preset. Each step type has a crew that
goes from pod to pod. The hidden rates are drawn from distributions that are not those of `schedule.learning`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import NONE, Activities, Actuals, Links
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import Indices, Minutes, continuous
from schedule.risk.quantiles import Floats
from schedule.risk.spreads import Estimates, Family, three_points
from steps.catalog.loader import read_catalog
from steps.design.design import design_of_preset
from steps.planning.network.durations import duration_of, is_elapsed
from steps.planning.network.expansion import expand

PRESET, POD, HOURS = "h100-10k", "pod-001", 8.0
WEEK = 168 / 40
"""Elapsed hours of an hour of work, so that crews and burn-in share one clock."""


@dataclass(frozen=True, eq=False)
class Pod:
    """The step types of one pod: names, trades, three points in minutes on one clock, and links by index."""

    names: list[str]
    trades: list[str]
    points: Estimates
    before: Indices
    after: Indices

    def __len__(self) -> int:
        return len(self.names)


def catalog_pod() -> Pod:
    """Return the steps of the first pod of the preset, which take time, with the links between them."""
    expansion = expand(read_catalog(), design_of_preset(PRESET), HOURS)
    nodes = [node for node in expansion.nodes.values() if node.unit.id == POD and node.applies]
    hours = [duration_of(node.entry.step, node.values, HOURS) for node in nodes]
    scale = [60 * (1.0 if is_elapsed(node.entry.step) else WEEK) for node in nodes]
    index = {node.id: number for number, node in enumerate(nodes)}
    links = [
        (index[link.before], index[link.after]) for link in expansion.links if {link.before, link.after} <= index.keys()
    ]
    before, after = np.array(links, np.int32).T
    low, likely, high = (np.array([(h.o, h.m, h.p) for h in hours]) * np.array(scale)[:, None]).T
    return Pod(
        [n.entry.step.id for n in nodes],
        [n.entry.step.crew.role for n in nodes],
        three_points(low, likely, high),
        before,
        after,
    )


@dataclass(frozen=True)
class Hidden:
    """How far the true rates are from the plan's. Spreads are of logarithms."""

    name: str
    site: float = 0.0
    trade: float = 0.0
    step: float = 0.0
    slow: float = 0.0
    """The share of step types that are 1.5 to 3.5 times as slow as all else says."""
    bad: float = 0.0
    """The share of single activities that take half as long again."""
    practice: float = 1.0
    """What each doubling of a step's pods multiplies its durations by."""

    def rates(self, pod: Pod, random: np.random.Generator) -> Floats:
        """Return what each step type's planned durations are multiplied by at this site.

        The site's factor leans to the slow side (a shifted gamma), trades' factors are uniform, steps' are Laplace.
        """
        site = self.site * (random.gamma(4.0) - 3.0) / 2.0
        _, trade = np.unique(pod.trades, return_inverse=True)
        trades = random.uniform(-1.0, 1.0, len(pod))[trade] * self.trade * np.sqrt(3.0)
        steps = random.laplace(0.0, 1.0, len(pod)) * self.step / np.sqrt(2.0)
        slow = np.where(random.random(len(pod)) < self.slow, random.uniform(1.5, 3.5, len(pod)), 1.0)
        return np.asarray(np.exp(site + trades + steps) * slow)


@dataclass(frozen=True, eq=False)
class Buildout:
    """A pod repeated `pods` times. Rows are pod by pod, and the last one is the end."""

    pod: Pod
    pods: int

    @cached_property
    def network(self) -> CompiledNetwork:
        """The network: the pod's links, and each step's crew from pod to pod."""
        steps, rows = len(self.pod), len(self.pod) * self.pods
        first = np.repeat(np.arange(self.pods) * steps, len(self.pod.before))
        before = [first + np.tile(self.pod.before, self.pods), np.arange(rows - steps), np.arange(rows)]
        after = [first + np.tile(self.pod.after, self.pods), np.arange(steps, rows), np.full(rows, rows)]
        links = [np.concatenate(side).astype(np.int32) for side in (before, after)]
        nothing = np.zeros(len(links[0]), np.int32)
        names = [f"{name}@{pod + 1}" for pod in range(self.pods) for name in self.pod.names] + ["end"]
        likely = np.round(self.planned.likely).astype(np.int64)
        return compile_network(
            Activities(names, likely, np.zeros(rows + 1, np.int32)),
            Links(links[0], links[1], nothing.astype(np.uint8), nothing.astype(np.int64), nothing),
            [continuous()],
        )

    @cached_property
    def planned(self) -> Estimates:
        """The plan's estimates by row."""
        points = self.pod.points
        low, likely, high = (
            np.append(np.tile(own, self.pods), 0.0) for own in (points.low, points.likely, points.high)
        )
        return three_points(low, likely, high)

    @cached_property
    def step(self) -> Indices:
        """The step type by row, -1 for the end."""
        return np.append(np.tile(np.arange(len(self.pod)), self.pods), -1).astype(np.int32)

    @property
    def end(self) -> int:
        """The row of the end."""
        return len(self.step) - 1

    def truth(self, hidden: Hidden, random: np.random.Generator) -> Truth:
        """Return one buildout as it really goes: its rates, and a triangular draw for each activity."""
        shape = (self.pods, len(self.pod))
        points = self.pod.points
        takes = points.high > points.low
        drawn = random.triangular(points.low, points.likely, np.where(takes, points.high, points.low + 1.0), shape)
        minutes = np.where(takes, drawn, points.likely) * hidden.rates(self.pod, random)
        minutes *= np.where(random.random(shape) < hidden.bad, 1.5, 1.0)
        minutes *= hidden.practice ** np.log2(np.arange(1, self.pods + 1))[:, None]
        return self.played(np.append(np.round(minutes), 0).astype(np.int64))

    def played(self, durations: Minutes) -> Truth:
        """Return the buildout whose activities take these minutes, by row."""
        dates = self.network.solve(durations=durations)
        return Truth(self, durations, dates.start, dates.finish)


@dataclass(frozen=True, eq=False)
class Truth:
    """What really happens, by row. A forecast sees `known` of it only."""

    buildout: Buildout
    durations: Minutes
    start: Minutes
    finish: Minutes

    @property
    def end(self) -> int:
        """The instant at which all is done."""
        return int(self.finish[self.buildout.end])

    def after_pod(self, pods: int) -> int:
        """Return the instant at which the first `pods` pods are done."""
        return int(self.finish[: pods * len(self.buildout.pod)].max())

    def known(self, data_date: int) -> Known:
        """Return what is recorded until a data date."""
        started = np.where(self.start < data_date, self.start, NONE)
        finished = np.where(self.finish <= data_date, self.finish, NONE)
        started[finished != NONE] = self.start[finished != NONE]
        return Known(self.buildout, Actuals(data_date, started, finished))


@dataclass(frozen=True, eq=False)
class Known:
    """A buildout at its data date: actual starts and finishes, and nothing else."""

    buildout: Buildout
    actuals: Actuals

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which rows are finished."""
        return np.asarray(self.actuals.finished != NONE)

    @property
    def running(self) -> NDArray[np.bool_]:
        """Which rows have begun and are not finished."""
        return np.asarray((self.actuals.started != NONE) & ~self.done)

    @property
    def worked(self) -> Floats:
        """Minutes by row: of what is finished, all of it; of what runs, until the data date; otherwise 0."""
        until = np.where(self.done, self.actuals.finished, self.actuals.data_date)
        return np.where(self.actuals.started == NONE, 0.0, until - self.actuals.started).astype(np.float64)


def scaled(planned: Estimates, factor: Floats) -> Estimates:
    """Return the same estimates with each row multiplied."""
    return Estimates(planned.family, planned.low * factor, planned.likely * factor, planned.high * factor)


def less(planned: Estimates, worked: Floats) -> Estimates:
    """Return what remains of three points when some of the time has passed: at least a minute where it has."""
    least = np.minimum(worked, 1.0)
    low, likely, high = (
        np.where(worked > 0, np.maximum(own - worked, least), own)
        for own in (planned.low, planned.likely, planned.high)
    )
    return Estimates(np.full(len(low), Family.TRIANGULAR, np.uint8), low, likely, high)
