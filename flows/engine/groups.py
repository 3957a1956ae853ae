"""Which activities share a phase run, and which of its tasks follow which. Both keep the graph readable."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ledger.rules.activity import Activity
from ledger.rules.rows import grouped
from steps.catalog.terms import LinkType
from steps.planning.plan import Plan

TASKS_A_RUN = 200
"""How many tasks the graph of a run shows readably."""
NAMED = 3
PODS_A_RUN = 8
"""How many pods share a phase run, in a phase that has more activities than `TASKS_A_RUN`."""


class Group(NamedTuple):
    """What one phase run covers: a phase at some units."""

    phase: str
    units: tuple[str, ...]

    @property
    def label(self) -> str:
        """The units in words: up to three by name, more as the first and the last."""
        if len(self.units) > NAMED:
            return f"{self.units[0]}..{self.units[-1]}"
        return ", ".join(self.units)


class Groups:
    """A plan's groups, and the predecessors that a graph shows."""

    def __init__(self, plan: Plan) -> None:
        """Divide a plan's activities among phase runs."""
        self._all = tuple(u.id for u in plan.units)
        pods = [u.id for u in plan.units if u.kind == "pod"]
        starts = range(0, len(pods), PODS_A_RUN)
        chunks = [tuple(pods[start : start + PODS_A_RUN]) for start in starts]
        self._chunk = {pod: chunk for chunk in chunks for pod in chunk}
        self._wide = tuple(u.id for u in plan.units if u.kind != "pod")
        sizes = Counter(a.phase.value for a in plan.activities if a.applicable)
        self._small = {phase for phase, size in sizes.items() if size <= TASKS_A_RUN}
        # a task waits for the end of its predecessors' tasks, as only an FS link asks
        self._before = grouped((link.after, link.before) for link in plan.links if link.type is LinkType.FS)

    def of(self, row: Activity) -> Group:
        """Return the phase run that an activity belongs to."""
        phase, unit = row.plan.phase, row.plan.unit
        units = self._all if phase in self._small else self._chunk.get(unit, self._wide)
        return Group(phase, units)

    def before(self, activity: str) -> list[str]:
        """Return the activities whose finish an activity follows, directly or through orders and deliveries."""
        found: dict[str, None] = {}
        front = list(self._before.get(activity, ()))
        while front:
            name = front.pop()
            if "#" in name:
                front += self._before.get(name, ())
            else:
                found[name] = None
        return list(found)
