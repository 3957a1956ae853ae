"""Decisions about non-conformances: their disposition, and closing them. See `ledger.subjects.ncr.rules`."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.questions.case import require_activity
from ledger.questions.checks import failed_readings, latest_entries
from ledger.questions.ncrs import require_ncr
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.subjects.ncr import making as made
from ledger.subjects.ncr.rules import USE_AS_IS
from ledger.subjects.recording import about_named
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError

disposition_ncr = about_named(made.NCR, made.dispositioned)
assign_ncr = about_named(made.NCR, made.assigned)
_close = about_named(made.NCR, made.closed)


def close_ncr(ledger: Ledger, actor: str, ncr: str, disposition: str = "") -> Event:
    """Close a non-conformance. An empty disposition means the one that was decided.

    Raise NotSatisfiedError while what somebody measured under it still fails, unless it is used as it is.
    """
    with ledger.batch() as writing:
        _refuse_failing(writing.at(), ncr)
        return _close(ledger, actor, ncr, disposition)


def _refuse_failing(snapshot: Snapshot, ncr: str) -> None:
    """Raise while a reading under a non-conformance fails. Of items that failed in a checklist the rule says it.

    It is no rule: what was closed before this was refused stays valid.
    """
    found = require_ncr(snapshot, ncr)
    if found.decided == USE_AS_IS or found.opened_by == ENGINE or found.closed_at is not None:
        return
    row = require_activity(snapshot, found.activity)
    checked = latest_entries(snapshot, row)
    for item, metrics in failed_readings(snapshot, row).items():
        mine = [metric for metric, under in metrics.items() if under == ncr]
        if mine and not (item in checked and checked[item].failing):
            at_item, option = (f" at {item}", f" --item {item}") if item else ("", "")
            again = f"`clusterwright measure {row.id} {mine[0]} VALUE UNIT{option}`"
            raise NotSatisfiedError(
                f"{ncr} cannot be closed: {mine[0]}{at_item} still fails",
                hint=f"{again} when it is made good, or decide on use-as-is",
            )
