"""What has happened since somebody looked: what people and suppliers decided, what failed, and how much was done."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ledger.questions.orders import HistoryRow, said_by
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from ledger.stored_fields import fields_of
from ledger.subjects.ncr import words as ncr
from ledger.subjects.orders.words import WORDS as OF_ORDERS
from ledger.subjects.plan import words as plan
from ledger.subjects.runs import words as runs
from ledger.subjects.sign_off import words as sign_off
from ledger.subjects.work import words as work
from steps.stamps import stamped

WORDS = plan.WORDS | work.WORDS | sign_off.WORDS | ncr.WORDS | runs.WORDS
"""Kinds of events beside those about orders that have a line of their own, in words. Of runs these are the failed ones."""

COUNTED = {
    "activity.started": "started",
    "activity.finished": "finished",
    "activity.signed": "signed",
    "run.settled": "by software",
    "tranche.received": "received",
}
"""Kinds of events of which it is said how many there were."""

SAID_BY = ("reason", "comment", "summary", "note", "meaning")
"""Where the payload of an event says why, the most telling first."""

_NOT_MET = (State.FAILED, State.CHECKED_NOT_MET)
_NEWS = """
SELECT seq, effective_at, actor, kind, subject, payload FROM event
WHERE seq > :after AND kind IN (SELECT value FROM json_each(:kinds)) AND seq NOT IN (SELECT seq FROM refused)
  AND (kind <> 'run.settled' OR CASE WHEN json_valid(payload) THEN json_extract(payload, '$.result') END
    IN (SELECT value FROM json_each(:not_met)))
ORDER BY seq DESC LIMIT :limit"""
_COUNTED = "SELECT kind, count(*) FROM event WHERE seq > :after AND seq NOT IN (SELECT seq FROM refused) GROUP BY kind"


class WhatHappened(NamedTuple):
    """What happened after an event, the newest first, and how often people and software did the rest, in words."""

    news: list[HistoryRow]
    counted: str


def moved(snapshot: Snapshot, after: int, limit: int = 100) -> WhatHappened:
    """Return what happened after the event with this number."""
    kinds, not_met = json.dumps([*WORDS, *OF_ORDERS]), json.dumps(_NOT_MET)
    rows = snapshot.ask(_NEWS, after=after, kinds=kinds, not_met=not_met, limit=limit)
    news = []
    for seq, happened, person, kind, subject, text in rows:
        at = stamped(happened)
        if at is not None:
            said = _said(kind, fields_of(text))
            news.append(HistoryRow(seq, at, person, kind, subject, said))
    counts: dict[str, int] = dict(snapshot.ask(_COUNTED, after=after))
    counted = [f"{counts[kind]:,} {word}" for kind, word in COUNTED.items() if counts.get(kind)]
    return WhatHappened(news, ", ".join(counted))


def _said(kind: str, payload: dict[str, Any]) -> str:
    if kind in OF_ORDERS:
        promised = f", promised for {payload['promised']}" if payload.get("promised") else ""
        return said_by(kind, payload) + promised
    reasons = (payload.get(name) for name in SAID_BY)
    why = next(filter(None, reasons), "")
    return f"{WORDS[kind]}: {why}" if why else WORDS[kind]
