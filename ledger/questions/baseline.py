"""The baseline: the plan that was promised. Plan and forecast are held against it on every view.

It is revision 1 until somebody adopts a revision as the baseline and says why (`plan adopt --baseline`). Other revisions do not move it.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, one_of, table
from steps.planning.dates.milestones import GO_LIVE, IN_SERVICE, hall_milestone
from steps.stamps import instant

_IN_FORCE = "ORDER BY t.baseline IS NULL, CASE WHEN t.baseline IS NULL THEN t.revision ELSE -t.revision END"
"""The last revision that was named, and the first one where none was."""
_ENDS = """
SELECT a.phase, a.step, a.unit, b.date FROM baseline_date b JOIN activity a ON a.id = b.id
WHERE a.in_plan AND coalesce(json_extract(a.plan, '$.applicable'), 1)
  AND NOT coalesce(json_extract(a.plan, '$.continuing'), 0)
"""
"""Of each activity that a phase ends with. The text of a plan's part says nothing of what is as it is by default."""


@table("plan_revision", name="coalesce(t.baseline, '')", by="t.adopted_by", at="t.adopted_at")
class Baseline(NamedTuple):
    """The revision that is the baseline. `name` is empty if nobody named one: then it is revision 1."""

    revision: int
    name: str
    reason: str
    by: str
    at: datetime
    finish: datetime

    def __str__(self) -> str:
        """Return what it is called."""
        return f"{self.name}, revision {self.revision}" if self.name else f"revision {self.revision}"


def baseline(snapshot: Snapshot) -> Baseline | None:
    """Return the baseline. None before the first plan is adopted."""
    return one_of(snapshot, Baseline, _IN_FORCE)


def baseline_dates(snapshot: Snapshot) -> dict[str, datetime]:
    """Return what the baseline has: the finish of each activity, and the need-by date of each order and delivery."""
    found = snapshot.ask("SELECT id, date FROM baseline_date")
    return {name: datetime.fromisoformat(date) for name, date in found}


def baseline_date(snapshot: Snapshot, name: str) -> datetime | None:
    """Return what the baseline has for one activity, order or delivery. None if it was not in it."""
    found = snapshot.first("SELECT date FROM baseline_date WHERE id = :name", name=name)
    return instant(found[0]) if found else None


def milestone_baselines(snapshot: Snapshot) -> dict[str, datetime]:
    """Return the finish that the baseline has for go-live, each hall and each phase, by the name of its milestone.

    A phase ends with the last of its activities that applies and does not go on after go-live. A hall is in service when that is
    approved.
    """
    base = baseline(snapshot)
    found = {} if base is None else {GO_LIVE: base.finish}
    for phase, step, unit, text in snapshot.ask(_ENDS):
        date = datetime.fromisoformat(text)
        found[phase] = max(date, found.get(phase, date))
        if step == IN_SERVICE:
            hall = hall_milestone(unit)
            found[hall] = baseline_date(snapshot, hall) or date
    return found
