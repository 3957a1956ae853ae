"""The peer of `benchmarks.risk`: the same model in plain numpy, with its own generator PCG64. It shares no code of sampling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Minutes
from schedule.risk.drivers import RiskDriver, RiskEvent

BATCH = 500


@dataclass(frozen=True)
class Peer:
    """Three points of each activity (triangular), drivers and events, by row."""

    network: CompiledNetwork
    low: Minutes
    likely: Minutes
    high: Minutes
    drivers: list[RiskDriver]
    events: list[RiskEvent]

    def by_activity(self, target: int, samples: int, seed: int) -> Minutes:
        """Return finishes of a network without calendars, lags or drivers: activity after activity, in batches of samples."""
        random = np.random.default_rng(seed)
        order, into = self.network.numbers.order, self.network.into
        low, likely, high = (column[order].astype(float) for column in (self.low, self.likely, self.high))
        begin, far = into.begin.tolist(), into.far
        finish = np.zeros((len(order), BATCH), np.int64)
        found = []
        for _ in range(-(-samples // BATCH)):
            for j in range(len(order)):
                own = finish[j]
                if high[j] > low[j]:
                    own[:] = np.floor(random.triangular(low[j], likely[j], high[j], BATCH) + 0.5)
                else:
                    own[:] = likely[j]
                if begin[j + 1] > begin[j]:
                    own += finish[far[begin[j] : begin[j + 1]]].max(axis=0)
            found.append(finish[self.network.numbers.number[target]].copy())
        return np.concatenate(found)[:samples]

    def by_sample(self, target: int, samples: int, seed: int) -> Minutes:
        """Return finishes with calendars, drivers and events: a pass of the compiled network for each sample."""
        random = np.random.default_rng(seed)
        work = self.network.solve().work
        order, number = self.network.numbers.order, self.network.numbers.number[target]
        found = []
        for _ in range(samples):
            durations = self._durations(random)
            early = self.network.forward(work._replace(duration=durations[order]))
            found.append(int(early.finish[number]))
        return np.array(found)

    def _durations(self, random: np.random.Generator) -> Minutes:
        moves = self.high > self.low
        value = self.likely.astype(float)
        value[moves] = random.triangular(self.low[moves], self.likely[moves], self.high[moves])
        for driver in self.drivers:
            if random.random() < driver.probability:
                value[driver.activities] *= random.triangular(*driver.multiplier[:3])
        minutes = np.floor(value + 0.5).astype(np.int64)
        for event in self.events:
            failures = random.random(len(event.activities))
            for chance in event.chances:
                extra = np.floor(random.triangular(*event.extra[:3], len(event.activities)) + 0.5)
                minutes[event.activities] += np.where(failures < chance, extra, 0).astype(np.int64)
        return minutes
