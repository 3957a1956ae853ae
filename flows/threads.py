"""A thread that works beside a block."""

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
