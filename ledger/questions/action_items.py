"""Action items: what people agreed to do by a day."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from schedule.errors import InputError


@table("action_item")
class ActionItemRow(NamedTuple):
    """An action item. `activity` is empty if it is about none. `closed_at` is None while it is open."""

    id: str
    text: str
    owner: str
    due: date
    activity: str
    agreed_by: str
    agreed_at: datetime
    closed_by: str | None
    closed_at: datetime | None
    note: str


def action_items(snapshot: Snapshot, *, open_only: bool = True) -> list[ActionItemRow]:
    """Return action items, what is due first on top."""
    wanted = "WHERE t.closed_at IS NULL OR NOT :open_only ORDER BY t.due, t.id"
    return rows_of(snapshot, ActionItemRow, wanted, open_only=open_only)


def require_action_item(snapshot: Snapshot, name: str) -> ActionItemRow:
    """Return an action item. Raise InputError for an unknown id."""
    found = one_of(snapshot, ActionItemRow, "WHERE t.id = :name", name=name)
    if found is None:
        raise InputError(f"there is no action item {name!r}", hint="`clusterwright action list --all` lists them")
    return found
