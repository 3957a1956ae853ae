"""An event: its columns, its canonical form and its hash, and how old payloads become new ones.

The hash covers every column but `hash` and `signature`, with the payload as the text that is stored, so
that a verifier needs no knowledge of payloads. A payload of an old schema version is upcast step by step.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from ledger.canonical import canonical_text, sorted_text
from ledger.payloads import KINDS, Payload
from steps.errors import UnreachableError

FIRST_HASH = "0" * 64
"""What event 1 names as its predecessor."""

HASHED = (
    "seq",
    "recorded_at",
    "effective_at",
    "actor",
    "kind",
    "schema_version",
    "subject",
    "plan_revision",
    "payload",
    "prev_hash",
)
"""The columns that the hash covers."""

Upcast = Callable[[dict[str, Any]], dict[str, Any]]


def _plan_adopted_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 did not record what a revision opens again: its projection drew that itself."""
    return payload | {"reopened": None, "sign_again": None, "people": None}


def _unsigned(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had no statements: decisions were recorded, and nobody's key signed them."""
    return payload | {"statement": None}


def _order_placed_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 knew neither money nor whose people report."""
    return payload | {"value": None, "currency": "", "budget_line": "", "organisation": ""}


def _tranche_received_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 was not held against a manifest."""
    return payload | {"manifest": None, "scan": None, "differences": [], "ncr": None, "ncr_class": ""}


def _measured_2(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 opened no non-conformance for a reading that fails."""
    return payload | {"ncr": None, "ncr_class": "", "reason": "", "under": None}


def _kept_as_given(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 kept every file as it was given, and did not say what it was."""
    return payload | {"removed": []}


def _unnamed(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 printed the signer's name as well; the id says who it was."""
    return {key: value for key, value in _unsigned(payload).items() if key != "name"}


UPCASTS: dict[tuple[str, int], Upcast] = {
    ("plan.adopted", 1): _plan_adopted_2,
    ("evidence.attached", 1): lambda payload: _kept_as_given(payload) | {"media_type": None},
    ("activity.attested", 1): _kept_as_given,
    ("activity.measured", 1): _measured_2,
    ("activity.measured", 2): lambda payload: payload | {"result": None},
    ("order.placed", 1): _order_placed_2,
    ("tranche.received", 1): _tranche_received_2,
    **{(kind, 1): _unsigned for kind in ("criterion.waived", "run.released", "ncr.closed")},
    **{(kind, 1): _unnamed for kind in ("activity.signed", "activity.rejected")},
}
"""From (kind, version) to the function that makes the payload of version + 1. Kept for ever."""


@dataclass(frozen=True, slots=True)
class Event:
    """A recorded event with its typed payload."""

    seq: int
    recorded_at: datetime
    effective_at: datetime
    actor: str
    kind: str
    schema_version: int
    subject: str
    plan_revision: int
    payload: Payload
    hash: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has its place in the chain."""

    actor: str
    payload: Payload
    subject: str
    effective_at: datetime
    signature: str | None = None


def canonical(payload: Payload) -> str:
    """Give a payload as RFC 8785 text; decimals and instants are strings."""
    return canonical_text(payload.model_dump(mode="json"))


def event_hash(columns: Mapping[str, Any]) -> str:
    """Give the SHA-256 of an event's columns in RFC 8785 form."""
    return hashlib.sha256(hashed_text(columns).encode()).hexdigest()


def hashed_text(columns: Mapping[str, Any]) -> str:
    """Give the RFC 8785 form of an event's columns.

    They are integers and text under ASCII names, for which the standard library writes the same bytes, thirty
    times as fast; a test holds the two against each other.
    """
    return sorted_text({name: columns[name] for name in HASHED})


def upcast(kind: str, version: int, payload: dict[str, Any]) -> dict[str, Any]:
    """Give a payload in the newest schema of its kind."""
    newest = KINDS[kind].version
    while version < newest:
        payload = UPCASTS[kind, version](payload)
        version += 1
    return payload


def read_payload(kind: str, version: int, text: str) -> Payload:
    """Give the typed payload of stored text; an unknown kind or version is from a newer program."""
    if kind not in KINDS or version > KINDS[kind].version:
        raise UnreachableError(
            f"the ledger holds an event {kind!r} version {version}, which this program does not know",
            hint="a newer clusterwright wrote it; upgrade",
        )
    try:
        if version == KINDS[kind].version:
            return KINDS[kind].model_validate_json(text)
        return KINDS[kind].model_validate(upcast(kind, version, json.loads(text)))
    except (ValidationError, ValueError) as error:
        raise UnreachableError(
            f"an event {kind!r} does not read: {str(error).splitlines()[0]}",
            hint="`clusterwright audit` names it",
        ) from None
