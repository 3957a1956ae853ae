"""Threads of this process: one that works beside a block, and waking those that wait. No wakeup is lost: they are counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def beside(work: Callable[[threading.Event], None], name: str, *, is_awaited: bool = True) -> Iterator[None]:
    """Let a thread work while the block lasts. The event that it gets is set at the end of the block, which waits for it."""
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        if is_awaited:
            thread.join()


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
