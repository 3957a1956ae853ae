"""Claims and reservations as the database of a shared log holds them: JSON objects, whose fields are those of a row.

The engine's role writes them, with this program or with another. What has other fields, or values of other types, is no claim: it
holds nobody up, and the audit names it. The server asks the same of what it is sent: `refuse_unlike` in install.sql.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, get_type_hints

from ledger.entries import Claim, Reservation
from steps.stamps import stamped

Row = dict[str, Any]
"""The columns of a row, by name."""

LARGEST = 2**53 - 1
"""The largest number that JSON of every program has exactly."""


KINDS = {"claim": Claim, "reservation": Reservation}
"""By the names of their tables."""


def _is_number(value: object, *kinds: type[float]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool) and abs(value) <= LARGEST


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


_TYPES: dict[Any, tuple[str, Callable[[object], bool]]] = {
    str: ("string", lambda value: isinstance(value, str)),
    bool: ("boolean", lambda value: isinstance(value, bool)),
    int: ("integer", lambda value: _is_number(value, int)),
    float: ("number", lambda value: _is_number(value, int, float)),
    datetime: ("time", lambda value: stamped(value) is not None),
    tuple[str, ...]: ("list", _is_list),
}
"""By the type of a field: its name on the server, and whether a value is of it."""


def types_of(kind: type[Claim | Reservation]) -> dict[str, str]:
    """Return the fields of a claim or a reservation, each with the name of its type on the server."""
    return {name: _TYPES[hint][0] for name, hint in get_type_hints(kind).items()}


def is_held(row: object, kind: type[Claim | Reservation]) -> bool:
    """Return whether a row is a claim, or a reservation, as programs write them."""
    hints = get_type_hints(kind)
    if not isinstance(row, dict) or row.keys() != hints.keys():
        return False
    for name, hint in hints.items():
        _, is_of_type = _TYPES[hint]
        if not is_of_type(row[name]):
            return False
    return True


def held_in(rows: Iterable[Row], kind: type[Claim | Reservation]) -> list[Row]:
    """Return those of the rows that are claims, or reservations."""
    return [row for row in rows if is_held(row, kind)]
