"""Ctrl-C for commands that run until they are stopped."""

import signal
import threading
from types import FrameType


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
