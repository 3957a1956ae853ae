"""Import progress from before Clusterwright: rows that are checked together and recorded as one event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.entries import ProgressRow
from ledger.log.chain import Event
from ledger.making.progress import SUBJECT, progress_adopted
from ledger.writing import Ledger


def import_progress(
    ledger: Ledger,
    actor: str,
    rows: Sequence[ProgressRow],
    *,
    dry_run: bool = False,
    at: datetime | None = None,
) -> Event | None:
    """Record work that was done before Clusterwright. A dry run asks every rule, records nothing and returns None."""
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = progress_adopted(moment, actor, rows)
        return None if dry_run else writing.record(moment, actor, payload, subject=SUBJECT)
