"""Waking the threads of this process that wait. No wakeup is lost: they are counted, and the count only grows."""

from __future__ import annotations

import threading


class Wakeup:
    """Wakes the threads that wait for a change. Each says which count it has seen."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0

    @property
    def count(self) -> int:
        """How many wakeups there were so far."""
        return self._count

    def wake(self) -> None:
        """Wake every thread that waits."""
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def wait(self, seen: int, timeout_s: float) -> None:
        """Return once there were more than `seen` wakeups, or after `timeout_s` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != seen, timeout_s)
