"""The chain of events: an event's canonical form, its hash, and its place after the event before it.

The hash covers every column but `hash` and `signature`. It covers the payload as the text that is stored. So a verifier needs
no knowledge of payloads.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import rfc8785

from ledger.log.columns import FIRST_HASH, HASHED
from ledger.log.payload import UNRECORDED_IF_NONE, Payload
from ledger.rules.times import CLOCKS
from steps.stamps import stamp


class Event(NamedTuple):
    """A recorded event with its typed payload."""

    seq: int
    recorded_at: datetime
    effective_at: datetime
    actor: str
    kind: str
    subject: str
    plan_revision: int
    payload: Payload
    hash: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has its place in the chain."""

    actor: str
    payload: Payload
    subject: str
    effective_at: datetime
    signature: str | None = None


class Head(NamedTuple):
    """The last event of the chain, and the plan revision in force at it. The last event of an empty chain is 0."""

    seq: int
    hash: str
    recorded_at: datetime | None
    revision: int


NO_HEAD = Head(0, FIRST_HASH, None, 0)

_sorted = msgspec.json.Encoder(order="sorted").encode
_LONG = re.compile(r"\d{16}")


def sorted_text(value: Any) -> str:
    """Return JSON without spaces, with names in the order of code points. It is canonical for integers and text under ASCII names."""
    return _sorted(value).decode()


def canonical_text(value: Any) -> str:
    """Return a value as RFC 8785 text. The value has no floats: nothing in the ledger has.

    For ASCII text and for integers of up to fifteen digits, msgspec writes the same bytes ten times as fast. In ASCII the orders of
    code points and of UTF-16 are the same. Everything else is written by the package `rfc8785`. A test compares the two.
    """
    text = sorted_text(value)
    is_simple = text.isascii() and not _LONG.search(text)
    return text if is_simple else rfc8785.dumps(value).decode()


def canonical(payload: Payload) -> str:
    """Return a payload as RFC 8785 text; decimals and instants are strings."""
    left_out = {name for name in UNRECORDED_IF_NONE if getattr(payload, name, None) is None}
    return canonical_text(payload.model_dump(mode="json", exclude=left_out))


def event_hash(columns: Mapping[str, Any]) -> str:
    """Return the SHA-256 of an event's columns in RFC 8785 form."""
    return hashlib.sha256(hashed_text(columns).encode()).hexdigest()


def hash_of(columns: Mapping[str, Any]) -> str | None:
    """Return the SHA-256 of a stored row. None for one that has none, as its columns are no numbers and no text."""
    try:
        return event_hash(columns)
    except (ValueError, TypeError):
        return None


def hashed_text(columns: Mapping[str, Any]) -> str:
    """Return the RFC 8785 form of an event's columns.

    The columns are integers and text under ASCII names. For these msgspec writes the same bytes as the package `rfc8785`, ten
    times as fast. A test compares the two.
    """
    return sorted_text({name: columns[name] for name in HASHED})


class Recording(NamedTuple):
    """When an event is recorded, and by how many seconds the machine's clock is behind that. None if it is hardly behind."""

    at: datetime
    clock_behind_s: int | None


def recording(machine: datetime, head: Head) -> Recording:
    """Return when an event is recorded: the machine's time, or the last event's time if that is later.

    Writing never waits for a clock. If it is more than `CLOCKS` behind, the event says by how much.
    """
    before = head.recorded_at
    if before is None or machine >= before:
        return Recording(machine, None)
    behind = before - machine
    return Recording(before, None if behind <= CLOCKS else round(behind.total_seconds()))


def chained(
    draft: Draft,
    head: Head,
    now: Recording,
) -> tuple[Event, dict[str, object]]:
    """Return the event that follows the head, and its columns. `now` is when it is recorded."""
    payload, seq = draft.payload, head.seq + 1
    if now.clock_behind_s is not None:
        payload = payload.model_copy(update={"clock_behind_s": now.clock_behind_s})
    revision = getattr(payload, "revision", head.revision)  # an adopted plan has its own revision
    columns: dict[str, object] = {
        "seq": seq,
        "recorded_at": stamp(now.at),
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
        seq,
        now.at,
        draft.effective_at,
        draft.actor,
        payload.kind,
        draft.subject,
        revision,
        payload,
        digest,
        draft.signature,
    )
    return event, columns
