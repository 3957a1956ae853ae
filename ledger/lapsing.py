"""Approvals that end: which activities an expired hold point holds back, judged at an instant and never stored.

The projections know until when an approval holds; whether that is over is asked whenever somebody looks or decides. A hold
point whose approval is over counts as not passed by what has not started. Standard library only: the reading side imports it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

RENEWABLE = timedelta(days=30)
"""From so long before its end on an approval can be given again."""

LAPSED = """(
WITH RECURSIVE lapsed(id) AS (
  SELECT l."after" FROM activity h CROSS JOIN link l ON l."before" = h.id
  WHERE h.valid_until <= :now AND h.hold_point AND +h.state = 'done' AND l.side = 'start'
  UNION SELECT l."after" FROM lapsed x CROSS JOIN activity n ON n.id = x.id AND n.na_decided
  CROSS JOIN link l ON l."before" = n.id WHERE l.side = 'start')
SELECT id FROM lapsed)"""
"""What comes straight after a hold point whose approval is over at `:now`, through what was decided not to apply.

The plus keeps SQLite from reading everything that is done: few approvals ever end, and they have an index.
"""


class Approved(Protocol):
    """An activity, as far as the end of its approval goes."""

    stale_since: int | None
    valid_since: int | None
    valid_until: datetime | None


def is_expired(row: Approved, now: datetime) -> bool:
    """Say whether an approval held for a time that is over."""
    return row.valid_until is not None and row.valid_until <= now


def is_renewable(row: Approved, now: datetime) -> bool:
    """Say whether an approval may be given again: it has ended, or will before long."""
    return row.valid_until is not None and row.valid_until - RENEWABLE <= now


def counts_from(row: Approved) -> int:
    """Give the event after which approvals count: since it became stale, or was last approved for a time."""
    return max(row.stale_since or 0, row.valid_since or 0)
