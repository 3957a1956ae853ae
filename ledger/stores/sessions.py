"""Keeping the session with a database between the questions of one decision: to connect takes longer than to ask."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Session(Protocol):
    """A connection that ends when it is closed."""

    def close(self) -> None:
        """Close it."""


_kept: ContextVar[dict[str, Session] | None] = ContextVar("_kept", default=None)
"""By address, the sessions that nobody uses at this moment. None where none is kept."""


@contextmanager
def sessions_kept() -> Iterator[None]:
    """Keep one session with each database until the block ends. The next question uses it. A block inside another one does nothing."""
    if _kept.get() is not None:
        yield
        return
    kept: dict[str, Session] = {}
    _kept.set(kept)
    try:
        yield
    finally:
        _kept.set(None)
        for session in kept.values():
            session.close()


def take(address: str) -> Session | None:
    """Return the session that is kept for an address. It is the caller's from now on."""
    kept = _kept.get()
    return None if kept is None else kept.pop(address, None)


def leave(address: str, session: Session) -> None:
    """Keep a session that is no longer used, or close it."""
    kept = _kept.get()
    if kept is None or kept.setdefault(address, session) is not session:
        session.close()
