"""What was said of an activity after a statement about it was made: who signed it has not seen that."""

from __future__ import annotations

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.version import WHO_AND_WHEN

_SINCE = """
SELECT seq, kind FROM entry WHERE subject = :name AND seq > :head
  AND kind IN ('activity.commented', 'activity.measured', 'items.checked')
UNION ALL SELECT seq, 'activity.held' FROM hold WHERE activity = :name AND seq > :head ORDER BY seq LIMIT 1"""


def said_since(snapshot: Snapshot, row: Activity | None, head: int) -> str | None:
    """Return what was said of an activity after the event `head`, over which a statement about it was made. None if nothing was.

    A comment, a reading, a checked item and a hold count, also if they were taken back or are over. Before version 4 of the rules
    none did.
    """
    if row is None:
        return None
    (rules,) = snapshot.first("SELECT rules FROM site")
    found = snapshot.first(_SINCE, name=row.id, head=head) if rules >= WHO_AND_WHEN else None
    if found is None:
        return None
    seq, kind = found
    return f"event {seq} ({kind}) came after the statement about {row.id} was made"
