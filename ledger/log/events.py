"""The kinds of events, and reading a stored row as an event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from ledger.log.chain import Event
from ledger.log.payloads import checklists, facts, ncr, orders, people, plan, runs, sign_off, work
from ledger.log.payloads.base import Payload
from ledger.log.upcasting import upcast
from schedule.errors import UnreachableError
from steps.stamps import moment


def _kinds(*modules: ModuleType) -> dict[str, type[Payload]]:
    values = [value for module in modules for value in vars(module).values()]
    payloads = (value for value in values if isinstance(value, type) and issubclass(value, Payload))
    return {payload.kind: payload for payload in payloads if "kind" in vars(payload)}


KINDS = _kinds(plan, work, sign_off, checklists, ncr, facts, orders, runs, people)
"""Every kind of event and its payload."""


def event_of(row: Mapping[str, Any]) -> Event:
    """Return the event of a stored row. Raise UnreachableError for a payload that cannot be read."""
    return Event(
        row["seq"],
        moment(row["recorded_at"]),
        moment(row["effective_at"]),
        row["actor"],
        row["kind"],
        row["schema_version"],
        row["subject"],
        row["plan_revision"],
        read_payload(row["kind"], row["schema_version"], row["payload"]),
        row["hash"],
        row["signature"],
    )


def read_payload(kind: str, version: int, text: str) -> Payload:
    """Return the typed payload of stored text. Raise UnreachableError for a kind or a version that this program does not know."""
    newest = KINDS.get(kind)
    if newest is None or version > newest.version:
        raise UnreachableError(
            f"the ledger has an event {kind!r} version {version}, which this program does not know",
            hint="a newer clusterwright wrote it; upgrade",
        )
    try:
        if version == newest.version:
            return newest.model_validate_json(text)
        return newest.model_validate(upcast(kind, version, newest.version, json.loads(text)))
    except (ValidationError, ValueError) as error:
        raise UnreachableError(
            f"an event {kind!r} cannot be read: {str(error).splitlines()[0]}", hint="`clusterwright audit` names it"
        ) from None
