"""The fields of a stored payload for those who show events: also of one that nobody can read, as somebody may have appended it.

Whether an event counts is decided elsewhere, by `ledger.log.events.event_of` and the rules. Standard library only.
"""

from __future__ import annotations

from json import loads
from typing import Any

NOT_READ = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What is raised by reading what somebody wrote as they liked: of other types, out of range, nested beyond reading."""


def fields_of(payload: object) -> dict[str, Any]:
    """Return the fields of a stored payload. Empty if it is no JSON object, or one that cannot be read."""
    try:
        fields = loads(payload) if isinstance(payload, str) else None
    except NOT_READ:
        return {}
    return fields if isinstance(fields, dict) else {}
