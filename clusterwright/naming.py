"""Values of options that name things: several with commas between them, each of them known."""

import difflib
from collections.abc import Collection, Iterable

from schedule.errors import InputError

SHOWN = 12


def named(what: str, given: Iterable[str] | None, known: Collection[str]) -> frozenset[str]:
    """Return the names that an option has, none of them twice. Raise InputError for one that is not known, with those next to it."""
    names = [name.strip() for text in given or () for name in text.split(",")]
    for name in names:
        if name not in known:
            raise InputError(f"{name!r} is no {what}", hint=_hint(what, name, known))
    return frozenset(names)


def _hint(what: str, name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name.lower().replace(" ", "_"), known, n=3) or difflib.get_close_matches(
        name.lower().replace(" ", "-"), known, n=3
    )
    if close:
        return f"did you mean {' or '.join(close)}?"
    first = ", ".join(sorted(known)[:SHOWN])
    return f"{what}s: {first}" if len(known) <= SHOWN else f"{what}s: {first} and {len(known) - SHOWN} more"
