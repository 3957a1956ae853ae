"""Text that a person hands to a decision: names are one line without hidden marks, words may have several lines, a reason is not empty.

Front ends ask for visible text before a decision is taken. A payload cannot ask for it: events of the engine carry what hosts printed, and
events of earlier releases are read through the same payloads. Both are shown with their marks made visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from inspect import signature
from typing import Any

from schedule.errors import InputError, Place
from schedule.text import require_visible
from steps.acceptance.measured import Measured

WORDS = frozenset({"comment", "handling", "meaning", "note", "reason", "text", "unscanned"})
"""What a person says in their own words. It may have several lines; a name may not."""

LONGEST = 20_000
"""How many characters a text has at most."""


def require_reason(reason: str, what: str) -> None:
    """Raise InputError if a reason is empty. The message says that `what` needs one, for example "a waiver"."""
    if not reason.strip():
        raise InputError(f"{what} needs a reason", hint="add --reason")


def require_visible_text(
    decision: Callable[..., object],
    args: Iterable[object],
    named: Mapping[str, object],
) -> None:
    """Raise InputError if a text among the arguments of a decision has a mark that cannot be seen."""
    given = signature(decision).bind_partial(*args, **named)
    for name, value in given.arguments.items():
        _require(value, name)


def _require_at(place: Place | None, value: Any, name: str) -> None:
    """Look at a value that may be from a line of a file, so that the message names it."""
    try:
        _require(value, name)
    except InputError as hidden:
        where = place and Place(place.file, place.line, name)
        raise InputError(hidden.what, hint=hidden.hint, place=hidden.place or where) from None


def _require(value: Any, name: str) -> None:
    """Look at a text, and at those in a list or in an entry such as a checked item."""
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise InputError(
                f"the {name.replace('_', ' ')} has {len(value):,} characters; {LONGEST:,} are the most",
                hint="attach a file",
            )
        require_visible(value.strip(), f"the {name.replace('_', ' ')}", lines=name in WORDS)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            _require_at(getattr(value, "place", None), getattr(value, field.name), field.name)
    elif isinstance(value, Measured):
        for part, said in value._asdict().items():
            _require(said, part)
    elif isinstance(value, list | tuple):
        for each in value:
            _require(each, name)
