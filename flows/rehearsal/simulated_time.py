"""Simulated project time, and what is due in it: moments, each with the decision to take then."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

Decision = Callable[[], None]


class _Due(NamedTuple):
    at: datetime
    order: int
    decision: Decision


class SimulatedClock:
    """Project time that does not move by itself. Call it to read it."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._due: list[_Due] = []
        self._count = itertools.count()
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        """Return project time."""
        return self._now

    def schedule(self, at: datetime, decision: Decision) -> None:
        """Have a decision taken when project time reaches `at`; if that is past, at the next move."""
        with self._lock:
            due = _Due(max(at, self._now), next(self._count), decision)
            heapq.heappush(self._due, due)

    def next_due(self) -> datetime | None:
        """Return the next moment at which something is due. None where nothing is."""
        with self._lock:
            return self._due[0].at if self._due else None

    def move_to(self, at: datetime) -> list[Decision]:
        """Move on, and return the decisions that are due by then, in order. Time never goes back."""
        with self._lock:
            self._now = max(self._now, at)
            due: list[Decision] = []
            while self._due and self._due[0].at <= self._now:
                due.append(heapq.heappop(self._due).decision)
            return due


def nothing_but_a_look() -> None:
    """Take no decision: the dispatcher finds what may begin by then."""
