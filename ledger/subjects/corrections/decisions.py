"""Take back what was entered by mistake. The entry stays in the record and does not count any more."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.questions.entries import require_entry
from ledger.subjects.corrections.making import taken_back
from ledger.writing import Ledger


def correct(ledger: Ledger, actor: str, entry: int, reason: str) -> Event:
    """Take back an entry, named by the number of its event. The right one is then entered anew.

    A start that is taken back leaves the activity open, and an end leaves it in progress.
    """
    with ledger.write() as writing:
        moment = writing.moment()
        found = require_entry(moment.snapshot, entry)
        payload = taken_back(moment, actor, found, reason)
        return writing.record(moment, actor, payload, subject=found.subject)
