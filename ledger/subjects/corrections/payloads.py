"""An entry that was taken back."""

from __future__ import annotations

from ledger.log.payload import Payload


class EntryTakenBack(Payload):
    """An entry does not count any more. `entry` is the number of its event, `what` its kind, and `by` who had made it.

    `result` is the activity's state after this. It is None for comments, orders and deliveries.
    """

    kind = "entry.taken_back"
    entry: int
    what: str
    by: str
    reason: str
    role: str
    result: str | None
