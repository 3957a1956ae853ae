"""The activities directly before and after an activity, and which of them set the dates. Orders and deliveries between two are passed over."""

from __future__ import annotations

from json import dumps
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot

_DRIVING = "SELECT json_extract(plan, '$.dates.driving') FROM activity WHERE id = :id"
_ALONG = """
WITH RECURSIVE found(id) AS (
  SELECT "{near}" FROM link WHERE "{far}" = :id
  UNION SELECT l."{near}" FROM found JOIN link l ON l."{far}" = found.id WHERE instr(found.id, '#'))
SELECT id FROM found WHERE NOT instr(id, '#') AND id <> :id"""
"""The activities at the near ends of links, through orders and deliveries too."""

_DRIVEN = """
SELECT id FROM activity
WHERE (id IN (SELECT value FROM json_each(:names)) OR role = (SELECT role FROM activity WHERE id = :id))
  AND (json_extract(plan, '$.dates.driving') = :id OR json_extract(plan, '$.dates.driving') LIKE :id || '#%')
ORDER BY json_extract(plan, '$.dates.is_critical') DESC, early_start, ordinal"""
"""A crew is handed over within a trade, so that nothing else has to be looked at."""


class Neighbours(NamedTuple):
    """The ids of the activities around one.

    `driving` is what sets its start: a predecessor, or what hands over the crew that it waits for. `driven` are those whose start it
    sets, first those on the chain that drives go-live.
    """

    driving: str | None
    driven: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def neighbours(snapshot: Snapshot, name: str) -> Neighbours:
    """Return what is around an activity. All is empty for one that there is not."""
    found = snapshot.first(_DRIVING, id=name)
    driving = found[0].partition("#")[0] if found and found[0] else None
    before = _along(snapshot, name, "before", "after")
    after = _along(snapshot, name, "after", "before")
    driven = tuple(snapshot.column(_DRIVEN, id=name, names=dumps(after)))
    return Neighbours(driving, driven, tuple(before), tuple(after))


def _along(snapshot: Snapshot, name: str, near: str, far: str) -> list[str]:
    return snapshot.column(_ALONG.format(near=near, far=far), id=name)
