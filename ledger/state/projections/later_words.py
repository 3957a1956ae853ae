"""Which word on a figure counts: the one on the latest day, whenever it was entered.

People enter a report of Monday on Wednesday, after that of Tuesday. Tuesday's counts, as if both were entered on their day. Of two
words on the same moment the one that was recorded last counts.
"""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

from ledger.log.payloads.base import Payload
from ledger.log.payloads.orders import OrderAcknowledged, OrderPlaced, OrderPromised
from ledger.log.payloads.work import Progressed
from ledger.rules.activity import words
from ledger.state.projection import Projection
from steps.stamps import stamp

if TYPE_CHECKING:
    from ledger.log.chain import Event

PROMISED = "promised"

_LATER = """
SELECT said FROM entry WHERE subject IN (SELECT value FROM json_each(:subjects)) AND attempt = :attempt AND at > :at
  AND said <> '[]' AND taken_back IS NULL"""


def said(payload: Payload) -> tuple[str, ...]:
    """Return the columns of its subject on which an entry has a word, and on which a later word would count instead."""
    match payload:
        case Progressed(items_done=items, percent=percent, note=note):
            given = {"items_done": items is not None, "percent": percent is not None, "last_note": bool(note)}
            return tuple(name for name, is_given in given.items() if is_given)
        case OrderPlaced(promised=day) | OrderAcknowledged(promised=day):
            return (PROMISED,) if day is not None else ()
        case OrderPromised():
            return (PROMISED,)
        case _:
            return ()


def said_later(p: Projection, event: Event, *subjects: str, attempt: int = 0) -> frozenset[str]:
    """Return the columns on which an entry already has a word that is of a later time than the event."""
    found = p.ids(_LATER, subjects=dumps(subjects), attempt=attempt, at=stamp(event.effective_at))
    return frozenset(name for text in found for name in words(text))
