"""The crews of a day: how many of each role the plan has at work now, and how many are."""

from __future__ import annotations

from typing import NamedTuple

from ledger.questions.snapshot import Snapshot

_CREWS = """
SELECT role,
  sum(CASE WHEN early_start <= :now AND early_finish > :now THEN crews ELSE 0 END),
  sum(CASE WHEN state = 'in_progress' THEN crews ELSE 0 END)
FROM (SELECT role, state, early_start, early_finish, coalesce(json_extract(plan, '$.crews'), 0) AS crews FROM activity
  WHERE state = 'in_progress' OR (early_start <= :now AND early_finish > :now AND state <> 'not_applicable'))
GROUP BY role"""


class CrewsToday(NamedTuple):
    """How many crews of a role the plan has at work now, and how many are."""

    role: str
    planned: int
    at_work: int


def crews_today(snapshot: Snapshot) -> list[CrewsToday]:
    """Return the roles that have crews at work now, by plan or as recorded, the most first."""
    found = snapshot.ask(_CREWS)
    rows = (CrewsToday(*row) for row in found)
    used = [row for row in rows if row.planned or row.at_work]
    return sorted(used, key=_place)


def _place(row: CrewsToday) -> tuple[int, str]:
    most = max(row.at_work, row.planned)
    return -most, row.role
