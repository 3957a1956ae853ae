"""Waking the threads of this process that wait. No ring is lost: rings are counted, and the count only grows."""

from __future__ import annotations

import threading


class Bell:
    """Rung when something has changed. A waiting thread says up to which ring it has heard."""

    def __init__(self) -> None:
        """Begin with a bell that was never rung."""
        self._changed = threading.Condition()
        self._count = 0

    @property
    def count(self) -> int:
        """How often it was rung so far."""
        return self._count

    def ring(self) -> None:
        """Wake every thread that waits."""
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def wait(self, heard: int, timeout_s: float) -> None:
        """Return once it was rung more than `heard` times, or after `timeout_s` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != heard, timeout_s)
