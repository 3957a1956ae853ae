"""The history of an order in words. It is made from the stored events, whatever their version."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from ledger.stored_fields import NOT_READ, fields_of
from ledger.subjects.orders.words import WORDS, Payload
from steps.stamps import stamped


class HistoryRow(NamedTuple):
    """An event, as one about an order or one of its deliveries. `said` is what happened, in words."""

    seq: int
    at: datetime
    person: str
    kind: str
    subject: str
    said: str


def history(rows: Iterable[tuple[Any, ...]]) -> list[HistoryRow]:
    """Return the history from rows of number, time, actor, kind, subject and payload. A new date is shown with the earlier one."""
    found: list[HistoryRow] = []
    promised: dict[str, str] = {}
    for seq, happened, person, kind, subject, text in rows:
        at = stamped(happened)
        if at is None:  # somebody appended it by hand; the audit names it
            continue
        payload = fields_of(text)
        said = said_by(kind, payload)
        if payload.get("promised"):
            before = promised.get(subject) or promised.get(subject.partition("/")[0])
            said += f", promised for {payload['promised']}" + (f", before {before}" if before else "")
            promised[subject] = payload["promised"]
        found.append(HistoryRow(seq, at, person, kind, subject, said))
    return found


def said_by(kind: str, payload: Payload) -> str:
    """Return what an event says in words; its kind, if it has no words or lacks what they are made of."""
    try:
        return WORDS[kind](payload)
    except NOT_READ:
        return kind
