"""The columns of the event table: which there are, and which the hash covers."""

from __future__ import annotations

FIRST_HASH = "0" * 64
"""What event 1 names as its predecessor."""

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
