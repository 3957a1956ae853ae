"""Which word on a figure counts: the one on the latest day, whenever it was entered.

People enter a report of Monday on Wednesday, after that of Tuesday. Tuesday's counts, as if both were entered on their day. Of two
words on the same moment the one that was recorded last counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps

from ledger.log.chain import Event
from ledger.log.payload import Payload
from ledger.rules.activity import words
from ledger.state.projection import Projection
from ledger.subjects.orders.payloads import OrderAcknowledged, OrderPlaced, OrderPromised
from ledger.subjects.work.payloads import Progressed
from steps.stamps import stamp

PROMISED = "promised"

_LATER = """
SELECT said FROM entry WHERE subject IN (SELECT value FROM json_each(:subjects)) AND attempt = :attempt AND at > :at
  AND said <> '[]' AND taken_back IS NULL"""


_LATEST = "SELECT coalesce(max(at), '') FROM entry WHERE subject = :subject"


def note_word(p: Projection, subject: str, at: str) -> None:
    """Note of what time an entry is, if it is known of what time the latest one is."""
    if p.latest_words.get(subject, at) < at:
        p.latest_words[subject] = at


def _latest(p: Projection, subject: str) -> str:
    """Return of what time the latest entry is, with or without a word. Only the first time this asks the table."""
    if subject not in p.latest_words:
        (p.latest_words[subject],) = p.ids(_LATEST, subject=subject)
    return p.latest_words[subject]


def said(payload: Payload) -> tuple[str, ...]:
    """Return the columns of its subject on which an entry has a word, and on which a later word would count instead."""
    match payload:
        case Progressed():
            return tuple(_reported(payload))
        case OrderPlaced() | OrderAcknowledged() | OrderPromised():
            return () if payload.promised is None else (PROMISED,)
        case _:
            return ()


def _reported(payload: Progressed) -> Iterator[str]:
    if payload.items_done is not None:
        yield "items_done"
    if payload.percent is not None:
        yield "percent"
    if payload.note:
        yield "last_note"


def said_later(
    p: Projection,
    event: Event,
    *subjects: str,
    attempt: int = 0,
) -> frozenset[str]:
    """Return the columns on which an entry already has a word that is of a later time than the event."""
    at = stamp(event.effective_at)
    if all(_latest(p, subject) <= at for subject in subjects):
        return frozenset()
    found = p.ids(_LATER, subjects=dumps(subjects), attempt=attempt, at=at)
    return frozenset(name for text in found for name in words(text))
