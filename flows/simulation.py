"""Simulated project time, and what is due in it: a heap of moments and the decisions taken at them."""

from __future__ import annotations

import hashlib
import heapq
import itertools
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from steps.schedule.activity import Hours

Decision = Callable[[datetime], None]


class _Due(NamedTuple):
    at: datetime
    order: int
    decision: Decision


class SimulatedClock:
    """Project time that stands still until it is moved; called, it tells the time."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._due: list[_Due] = []
        self._count = itertools.count()
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        """Give project time."""
        return self._now

    def schedule(self, at: datetime, decision: Decision) -> None:
        """Have a decision taken when project time reaches `at`."""
        with self._lock:
            heapq.heappush(self._due, _Due(max(at, self._now), next(self._count), decision))

    def next_due(self) -> datetime | None:
        """Give the next moment at which something is due."""
        with self._lock:
            return self._due[0].at if self._due else None

    def move_to(self, at: datetime) -> list[Decision]:
        """Move on, and give the decisions that are due by then, in order."""
        with self._lock:
            self._now = max(self._now, at)
            due: list[Decision] = []
            while self._due and self._due[0].at <= self._now:
                due.append(heapq.heappop(self._due).decision)
            return due


def drawn(hours: Hours, seed: int, name: str) -> float:
    """Draw hours from a triangle over the three points; the same seed and name give the same draw."""
    if hours.p - hours.o < 1e-9:
        return hours.m
    key = int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8])
    return float(np.random.Generator(np.random.Philox(key)).triangular(hours.o, hours.m, hours.p))


def after(start: datetime, hours: float) -> datetime:
    """Give the moment some elapsed hours later."""
    return start + timedelta(hours=hours)
