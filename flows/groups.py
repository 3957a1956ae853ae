"""Which activities share a phase run, and which of its tasks follow which: what makes a graph readable."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ledger.rules.activity import Activity
from steps.catalog.terms import LinkType
from steps.schedule.plan import Plan

TASKS_A_RUN = 200
"""So many tasks a run's graph still shows readably."""
PODS_A_RUN = 8
"""Pods that share a phase run where a phase has more activities than that."""


class Group(NamedTuple):
    """A phase over some units: what one phase run covers."""

    phase: str
    units: tuple[str, ...]

    @property
    def label(self) -> str:
        """The units in words."""
        return ", ".join(self.units) if len(self.units) < 4 else f"{self.units[0]}..{self.units[-1]}"


class Groups:
    """A plan's groups, and the predecessors that a graph shows."""

    def __init__(self, plan: Plan) -> None:
        self._all = tuple(u.id for u in plan.units)
        pods = [u.id for u in plan.units if u.kind == "pod"]
        chunks = [tuple(pods[i : i + PODS_A_RUN]) for i in range(0, len(pods), PODS_A_RUN)]
        self._chunk = {pod: chunk for chunk in chunks for pod in chunk}
        self._wide = tuple(u.id for u in plan.units if u.kind != "pod")
        sizes = Counter(a.phase.value for a in plan.activities if a.applicable)
        self._small = {phase for phase, size in sizes.items() if size <= TASKS_A_RUN}
        self._before: dict[str, list[str]] = {}
        for link in plan.links:
            # a task waits for its predecessors' tasks: right after FS links only
            if link.type is LinkType.FS:
                self._before.setdefault(link.after, []).append(link.before)

    def of(self, row: Activity) -> Group:
        """Give the phase run that an activity belongs to."""
        units = self._all if row.plan.phase in self._small else self._chunk.get(row.plan.unit, self._wide)
        return Group(row.plan.phase, units)

    def before(self, activity: str) -> list[str]:
        """Give the activities whose finish it follows, seen through orders and deliveries."""
        found: dict[str, None] = {}
        front = list(self._before.get(activity, ()))
        while front:
            name = front.pop()
            if "#" in name:
                front += self._before.get(name, ())
            else:
                found[name] = None
        return list(found)
