"""Opening activities again, and marking as stale what rests on them."""

from __future__ import annotations

from collections.abc import Iterable
from json import dumps

from ledger.rules.activity import State
from ledger.state.projection import Projection

_AFTER = """
WITH RECURSIVE root(id) AS (SELECT value FROM json_each(:names)),
  after(id) AS (SELECT id FROM root UNION SELECT link."after" FROM link JOIN after ON link."before" = after.id)
SELECT id FROM after WHERE id NOT IN (SELECT id FROM root) ORDER BY id"""
_DONE = """
SELECT id FROM activity WHERE state = 'done' AND stale_since IS NULL
AND id IN (SELECT value FROM json_each(:names)) AND coalesce(:unit, unit) = unit ORDER BY id"""


def open_again(p: Projection, name: str, why: str) -> None:
    """Begin an activity's next attempt, open. One that did not apply by decision applies again."""
    row = p.activity(name)
    p.next_attempt(row, State.OPEN)
    p.change(
        row,
        na_decided=False,
        na_reason=None,
        na_at=None,
        held_from=None,
        last_note=why,
    )


def mark_resting(
    p: Projection,
    opened: Iterable[str],
    seq: int,
    unit: str | None = None,
) -> None:
    """Mark as stale everything done that comes after the activities that were opened again: at one unit, if it is named."""
    names = list(opened)
    if names:
        after = p.ids(_AFTER, names=dumps(names))
        p.touch(*names, *mark_stale(p, after, seq, unit))


def mark_stale(
    p: Projection,
    names: Iterable[str],
    seq: int,
    unit: str | None = None,
) -> list[str]:
    """Mark activities as stale since an event, if they are done and not stale already. Return those."""
    stale = p.ids(_DONE, names=dumps(list(names)), unit=unit)
    for row in p.activities(stale).values():
        p.change(row, stale_since=seq)
    return stale
