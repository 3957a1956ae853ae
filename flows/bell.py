"""Waking whoever waits inside this process, without losing a ring: a count that only grows."""

from __future__ import annotations

import threading


class Bell:
    """Rung by whoever changed something; waiters say up to which ring they have heard."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0

    @property
    def count(self) -> int:
        """How often it was rung."""
        return self._count

    def ring(self) -> None:
        """Wake everyone who waits."""
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def wait(self, heard: int, timeout_s: float) -> None:
        """Return once it was rung more than `heard` times, or after the time."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != heard, timeout_s)
