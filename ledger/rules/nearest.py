"""Errors for unknown ids, which name the most similar known ids."""

from __future__ import annotations

from collections.abc import Sequence

from schedule.errors import InputError
from schedule.meant import meant


def unknown_order(name: str, known: Sequence[str], what: str = "order") -> InputError:
    """Return the error for an unknown order or delivery. It names similar ones."""
    hint = meant(name, known, "`clusterwright orders` lists them", most=3, alike=0.4)
    return InputError(f"there is no {what} {name!r}", hint=hint)
