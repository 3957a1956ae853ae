"""The error for links that run in a circle. It names the way around, shortened where it is long."""

from __future__ import annotations

from collections.abc import Sequence

from schedule.errors import InputError

NAMED = 20


def circle(names: Sequence[str]) -> InputError:
    """Return the error for a way that ends where it begins."""
    shown = [*names]
    if len(names) > NAMED:
        half = NAMED // 2
        shown = [*names[:half], f"({len(names) - NAMED:,} more)", *names[-half:]]
    return InputError(
        "the links run in a circle: " + " -> ".join(shown),
        hint="take out one of these links, or split a step that is really two",
    )
