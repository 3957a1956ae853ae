"""The chain of events: an event's canonical form, its hash, and its place after the event before it.

The hash covers every column but `hash` and `signature`, with the payload as the text that is stored, so that a verifier
needs no knowledge of payloads.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import rfc8785

from ledger.log.columns import FIRST_HASH, HASHED
from ledger.log.payloads.base import Payload
from steps.errors import UnreachableError
from steps.stamps import stamp

CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far a machine's clock may be behind the last event: machines differ, and time services step."""


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


class Head(NamedTuple):
    """Where the chain ends, and which plan revision is in force there. An empty chain ends at event 0."""

    seq: int
    hash: str
    recorded_at: datetime | None
    revision: int


NO_HEAD = Head(0, FIRST_HASH, None, 0)


sorted_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
"""Return JSON without spaces and with names in the order of code points. It is canonical for integers and text under ASCII names."""

_LONG = re.compile(r"\d{16}")


def canonical_text(value: Any) -> str:
    """Return a value as RFC 8785 text. It holds no floats, as nothing in the ledger does.

    The standard library writes the same bytes several times as fast for ASCII, where the orders of code points and of UTF-16
    agree, and for integers of up to fifteen digits; the rest is left to the reference. A test compares the two.
    """
    text = sorted_text(value)
    return text if text.isascii() and not _LONG.search(text) else rfc8785.dumps(value).decode()


def canonical(payload: Payload) -> str:
    """Return a payload as RFC 8785 text; decimals and instants are strings."""
    return canonical_text(payload.model_dump(mode="json"))


def event_hash(columns: Mapping[str, Any]) -> str:
    """Return the SHA-256 of an event's columns in RFC 8785 form."""
    return hashlib.sha256(hashed_text(columns).encode()).hexdigest()


def hashed_text(columns: Mapping[str, Any]) -> str:
    """Return the RFC 8785 form of an event's columns.

    The columns are integers and text under ASCII names. For these the standard library writes the same bytes, thirty times
    as fast. A test compares the two.
    """
    return sorted_text({name: columns[name] for name in HASHED})


def recorded_at(machine: datetime, head: Head) -> datetime:
    """Return when an event is recorded: the machine's time, never before the last event's.

    Raise where the machine's clock is far behind the last event.
    """
    before = head.recorded_at
    if before is None or machine >= before:
        return machine
    if before - machine > CLOCK_TOLERANCE:
        last = f"the last event was recorded at {before:%Y-%m-%d %H:%M}Z"
        raise UnreachableError(
            f"this machine's clock says {machine:%Y-%m-%d %H:%M}Z; {last}",
            hint="set the clock (chronyc tracking); nothing was recorded",
        )
    return before


def chained(
    draft: Draft,
    head: Head,
    now: datetime,
) -> tuple[Event, dict[str, object]]:
    """Return the event that follows the head, and its columns. `now` is when it is recorded."""
    payload = draft.payload
    revision = getattr(payload, "revision", head.revision)  # an adopted plan brings its own
    columns: dict[str, object] = {
        "seq": head.seq + 1,
        "recorded_at": stamp(now),
        "effective_at": stamp(draft.effective_at),
        "actor": draft.actor,
        "kind": payload.kind,
        "schema_version": payload.version,
        "subject": draft.subject,
        "plan_revision": revision,
        "payload": canonical(payload),
        "prev_hash": head.hash,
    }
    digest = event_hash(columns)
    columns |= {"hash": digest, "signature": draft.signature}
    event = Event(
        head.seq + 1,
        now,
        draft.effective_at,
        draft.actor,
        payload.kind,
        payload.version,
        draft.subject,
        revision,
        payload,
        digest,
    )
    return event, columns
