"""The columns of the event table, and those of them that the hash covers."""

from __future__ import annotations

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
