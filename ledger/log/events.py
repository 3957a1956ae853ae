"""Reading a stored row as an event."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from ledger.log.chain import Event
from ledger.log.payload import KINDS, Payload
from ledger.log.upcasting import upcast
from ledger.stored_fields import NOT_READ
from schedule.errors import UnreachableError
from steps.stamps import stamped

SHOWN = 60
"""How many characters of what cannot be read an error repeats."""

_TYPES: dict[str, Any] = {
    **dict.fromkeys(("seq", "schema_version", "plan_revision"), int),
    **dict.fromkeys(("actor", "kind", "subject", "payload", "hash"), str),
    "signature": (str, type(None)),
}
"""The types of an event's columns. A file stores others too."""


def is_known(row: Mapping[str, Any]) -> bool:
    """Return whether this program knows the kind and the version of a stored row. A newer one may have written others."""
    newest, version = KINDS.get(row["kind"]), row["schema_version"]
    return newest is not None and (not isinstance(version, int) or version <= newest.version)


def event_of(row: Mapping[str, Any]) -> Event:
    """Return the event of a stored row. Raise UnreachableError for one that cannot be read, whatever its columns have."""
    recorded_at, effective_at = stamped(row["recorded_at"]), stamped(row["effective_at"])
    if recorded_at is None or effective_at is None:
        wrong = row["recorded_at"] if recorded_at is None else row["effective_at"]
        raise _unreadable(row["kind"], f"{str(wrong)[:SHOWN]!r} is no time")
    for name, value in row.items():
        if not isinstance(value, _TYPES.get(name, object)):
            raise _unreadable(row["kind"], f"its {name.replace('_', ' ')} is of another type")
    return Event(
        row["seq"],
        recorded_at,
        effective_at,
        row["actor"],
        row["kind"],
        row["subject"],
        row["plan_revision"],
        read_payload(row["kind"], row["schema_version"], row["payload"]),
        row["hash"],
        row["signature"],
    )


def readable(rows: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    """Yield the events of stored rows but for those that cannot be read: they change nothing, and the audit names them.

    Raise UnreachableError for a kind or a version that this program does not know.
    """
    for row in rows:
        try:
            yield event_of(row)
        except UnreachableError:
            if not is_known(row):
                raise


def read_payload(kind: str, version: int, text: str) -> Payload:
    """Return the typed payload of stored text. Raise UnreachableError for a kind or a version that this program does not know."""
    newest = KINDS.get(kind)
    if newest is None or version > newest.version:
        raise UnreachableError(
            f"the ledger has an event {kind!r} version {version}, which this program does not know: upgrade it",
            hint="a newer clusterwright wrote the event",
        )
    try:
        if version == newest.version:
            return newest.model_validate_json(text)
        return newest.model_validate(upcast(kind, version, newest.version, json.loads(text)))
    except (ValidationError, *NOT_READ) as error:
        said = str(error) or type(error).__name__
        raise _unreadable(kind, said.splitlines()[0]) from None


def _unreadable(kind: str, why: str) -> UnreachableError:
    return UnreachableError(f"an event {kind!r} cannot be read: {why}", hint="`clusterwright audit` names it")
