"""The hint for a name that is not known: which known names somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

LONGEST = 80
"""Characters of a name that are compared: a whole file may stand where a name should."""


def meant(
    name: str,
    known: Iterable[str],
    otherwise: str = "",
    *,
    then: str = "",
    most: int = 1,
    alike: float = 0.6,
) -> str:
    """Return which of the known names are like this one, as `did you mean a or b?`, and `otherwise` if none is.

    `then` follows in both cases. `alike` is the share of characters, from 0 to 1, that two names have in common at the least.
    """
    asked = did_you_mean(get_close_matches(name[:LONGEST], list(known), most, alike)) or otherwise
    return " ".join(filter(None, (asked, then)))


def did_you_mean(near: Sequence[str]) -> str:
    """Return the question whether somebody meant one of these names. Empty without any."""
    return f"did you mean {' or '.join(near)}?" if near else ""
