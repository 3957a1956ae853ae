"""What the caller probably meant: an unknown id is refused with the nearest known ones."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from steps.errors import InputError


def unknown_activity(name: str, known: Sequence[str]) -> InputError:
    """Return the error for an activity that is not there, naming those that look like it."""
    same_step = [other for other in known if other.partition("@")[0] == name.partition("@")[0]]
    near = get_close_matches(name, same_step or known, n=3, cutoff=0.4) or same_step[:3]
    return InputError(
        f"there is no activity {name!r}",
        hint="did you mean " + ", ".join(near) + "?" if near else "ids look like 034@pod-001",
    )


def unknown_order(name: str, known: Sequence[str], what: str = "order") -> InputError:
    """Return the error for an order or a delivery that is not there."""
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return InputError(
        f"there is no {what} {name!r}",
        hint="did you mean " + ", ".join(near) + "?" if near else "`clusterwright orders` lists them",
    )
