"""What was recorded after an event about activities and deliveries, for lists that were written down as of that event."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from json import dumps
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from steps.stamps import moment

_RECORDED = """
SELECT subject, seq, kind, actor, effective_at FROM event
WHERE seq > :after AND kind IN (SELECT value FROM json_each(:kinds))
  AND (kind <> 'entry.taken_back' OR json_extract(payload, '$.what') <> 'activity.commented')
  AND seq NOT IN (SELECT seq FROM refused) ORDER BY seq"""
_RECEIVED = "SELECT tranche, quantity, at FROM delivery WHERE seq > :after ORDER BY seq"
_COMMENTS = """
SELECT subject, json_extract(payload, '$.text') FROM event
WHERE kind = 'activity.commented' AND subject IN (SELECT value FROM json_each(:names))"""


class Since(NamedTuple):
    """The last event of some kinds about a subject: its number, who recorded it, and when it happened."""

    seq: int
    kind: str
    by: str
    at: datetime

    @property
    def words(self) -> str:
        """What was done, in words: reopened, rejected, taken back, progressed."""
        return self.kind.rpartition(".")[2].replace("_", " ")


class Came(NamedTuple):
    """A receipt: how much of a delivery came, and when."""

    quantity: Decimal
    at: datetime


def undone_since(snapshot: Snapshot, after: int) -> dict[str, Since]:
    """Return what was reopened, rejected or taken back after an event, by its id, and by whom the last time."""
    return _last(snapshot, after, "activity.reopened", "activity.rejected", "entry.taken_back")


def progress_since(snapshot: Snapshot, after: int) -> dict[str, Since]:
    """Return the last report of progress after an event, by activity."""
    return _last(snapshot, after, "activity.progressed")


def received_since(snapshot: Snapshot, after: int) -> dict[str, list[Came]]:
    """Return the receipts after an event, by delivery."""
    found: dict[str, list[Came]] = {}
    for delivery, quantity, at in snapshot.ask(_RECEIVED, after=after):
        came = Came(Decimal(str(quantity)), moment(at))
        found.setdefault(delivery, []).append(came)
    return found


def comments_on(snapshot: Snapshot, names: Collection[str]) -> set[tuple[str, str]]:
    """Return every comment on some activities, with its activity. Those that were taken back are among them."""
    found = snapshot.ask(_COMMENTS, names=dumps(sorted(names)))
    return {(name, str(text)) for name, text in found}


def _last(snapshot: Snapshot, after: int, *kinds: str) -> dict[str, Since]:
    found = {}
    rows = snapshot.ask(_RECORDED, after=after, kinds=dumps(kinds))
    for subject, seq, kind, by, at in rows:
        found[subject] = Since(seq, kind, by, moment(at))
    return found
