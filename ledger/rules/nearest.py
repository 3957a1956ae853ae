"""Errors for unknown ids, which name the most similar known ids."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from schedule.errors import InputError


def unknown_order(name: str, known: Sequence[str], what: str = "order") -> InputError:
    """Return the error for an unknown order or delivery. It names similar ones."""
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return InputError(
        f"there is no {what} {name!r}",
        hint="did you mean " + ", ".join(near) + "?" if near else "`clusterwright orders` lists them",
    )
