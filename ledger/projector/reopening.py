"""The one rule of what no longer holds: reopening, a plan revision and a changed fact all ask here.

What is opened again goes into its next attempt, and every done activity that came after it becomes stale.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import select, text
from sqlmodel import Session, col

from ledger.projector.base import Projection, next_attempt
from ledger.tables import Activity


def open_again(p: Projection, name: str, why: str) -> None:
    """Put an activity into its next attempt, open; what was decided not to apply is asked for again."""
    row = p.activity(name)
    next_attempt(row, "open")
    row.na_decided = False
    row.na_reason = None
    row.na_at = None
    row.held_from = None
    row.last_note = why


def mark_resting(p: Projection, opened: Iterable[str], seq: int) -> list[str]:
    """Mark as stale what is done and rested on what was opened again; give whose readiness may have changed."""
    names = list(opened)
    p.session.flush()
    return [*names, *mark_stale(p, _after(p.session, names), seq)]


def mark_stale(p: Projection, names: Iterable[str], seq: int) -> list[str]:
    """Mark activities as stale since an event, where they are done and not stale already; give which were."""
    p.session.flush()
    named = select(text("value")).select_from(text("json_each(:named)")).params(named=json.dumps(list(names)))
    rows = p.session.scalars(
        select(Activity)
        .where(col(Activity.state) == "done", col(Activity.stale_since).is_(None), col(Activity.id).in_(named))
        .order_by(col(Activity.id))
    ).all()
    for row in rows:
        row.stale_since = seq
    p.session.flush()
    return [row.id for row in rows]


def _after(session: Session, names: list[str]) -> list[str]:
    found = session.execute(
        text(
            "WITH RECURSIVE root(id) AS (SELECT value FROM json_each(:names)),"
            " d(id) AS (SELECT id FROM root UNION"
            ' SELECT link."after" FROM link JOIN d ON link."before" = d.id)'
            " SELECT id FROM d WHERE id NOT IN (SELECT id FROM root) ORDER BY id"
        ),
        {"names": json.dumps(names)},
    )
    return [row[0] for row in found]
