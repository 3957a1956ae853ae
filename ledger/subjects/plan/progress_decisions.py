"""Import progress from before Clusterwright: rows that are checked together and recorded as one event."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.entries import ProgressRow
from ledger.log.chain import Event
from ledger.subjects.plan.progress_making import progress_adopted
from ledger.subjects.recording import about_site
from ledger.writing import Ledger

_import = about_site(progress_adopted)


def import_progress(
    ledger: Ledger,
    actor: str,
    rows: Sequence[ProgressRow],
    *,
    dry_run: bool = False,
) -> Event | None:
    """Record work that was done before Clusterwright. A dry run asks every rule, records nothing and returns None."""
    if not dry_run:
        return _import(ledger, actor, rows)
    with ledger.write() as writing:
        progress_adopted(writing.moment(), actor, rows)
    return None
