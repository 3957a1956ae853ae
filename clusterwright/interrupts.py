"""Ctrl-C while the program starts, and for commands that run until they are stopped."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ends_at_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once while the block imports modules.

    Python raises an exception instead, and loses it if that is in a callback of its import system. The program would go on.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def stop_on_interrupt() -> threading.Event:
    """Return an event that the first Ctrl-C sets. The second ends the process at once."""
    stop = threading.Event()

    def interrupted(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    return stop
