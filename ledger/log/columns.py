"""The columns of the event table, those of them that the hash covers, and how events are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

FIRST_HASH = "0" * 64
"""The hash that event 1 has in the place of an earlier event's."""

HASHED = (
    "seq",
    "recorded_at",
    "effective_at",
    "actor",
    "kind",
    "schema_version",
    "subject",
    "plan_revision",
    "payload",
    "prev_hash",
)
"""The columns that the hash covers."""

COLUMNS = (*HASHED, "hash", "signature")
"""All columns of the event table, in the order in which they are read."""

EVENTS = f"SELECT {', '.join(COLUMNS)} FROM event"  # noqa: S608  our names
"""How a query begins that reads events."""


def row_of(values: Iterable[Any]) -> dict[str, Any]:
    """Return the columns of an event that was read so, by name."""
    return dict(zip(COLUMNS, values, strict=True))
