"""When decisions were taken, and why they are recorded late.

    with ledger.happened(friday, "the weekend"):
        sign(ledger, "ann", "034@pod-001")

Without it they are taken now.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from schedule.errors import InputError


def require_zone(at: datetime) -> None:
    """Raise InputError for a time without a time zone: nobody could say which moment it is."""
    if at.tzinfo is None:
        raise InputError(f"the time {at.isoformat()} has no time zone", hint="add one, for example Z for UTC")


class Happened:
    """What is said of the next decisions. `at` is None if they are taken now, `late_because` if nobody had to say why."""

    def __init__(self) -> None:
        """Let decisions be taken now."""
        self.at: datetime | None = None
        self.late_because: str | None = None

    @contextmanager
    def __call__(self, at: datetime | None, late_because: str | None = None) -> Iterator[None]:
        """Let the decisions in the block have been taken at a time, and say why they are recorded late."""
        if at is not None:
            require_zone(at)
        before = self.at, self.late_because
        self.at, self.late_because = at, (late_because or "").strip() or None
        try:
            yield
        finally:
            self.at, self.late_because = before
