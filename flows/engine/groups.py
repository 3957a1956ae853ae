"""Which activities share a phase run, which of its tasks follow which, and the runs that go on: the advances.

Prefect records the parameters of flows and tasks, so these are values for people, and what they are of is found by the flow run's id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from flows.engine.questions_asked import Key
from ledger.rules.activity import Activity
from steps.catalog.terms import LinkType
from steps.planning.plan import Plan

if TYPE_CHECKING:
    from flows.engine.state import Engine

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
        self._before: dict[str, list[str]] = {}
        for link in plan.links:
            # a task waits for the end of its predecessors' tasks, as only an FS link asks
            if link.type is LinkType.FS:
                self._before.setdefault(link.after, []).append(link.before)

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


@dataclass
class Advance:
    """A run of a phase over some units. Until it has as many tasks as its graph can show, it `takes` work from its group's queue."""

    engine: Engine
    group: Group
    label: str
    keys: list[Key] = field(default_factory=list)
    takes: bool = True


_AT_WORK: dict[UUID, Advance] = {}
"""By flow run: the advances that go on in this process."""


@contextmanager
def at_work(flow_run: UUID, advance: Advance) -> Iterator[None]:
    """Let a flow run and its tasks find what they are of, while the block lasts."""
    _AT_WORK[flow_run] = advance
    try:
        yield
    finally:
        del _AT_WORK[flow_run]


def advance_of(flow_run: UUID | None) -> Advance:
    """Return the advance that a flow run of this process is."""
    assert flow_run is not None  # none of our tasks runs outside a flow
    return _AT_WORK[flow_run]
