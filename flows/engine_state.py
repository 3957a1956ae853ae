"""What one engine shares with its flows: the ledger, the clock, who performs, what was handed out.

Flows and tasks get the engine by its id, since Prefect writes their parameters down. What is handed out is
remembered by activity, attempt and mark, so that nothing is dealt with twice as it stands.
"""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from flows.asked import Asked, Key
from flows.bell import Bell
from flows.groups import Group, Groups
from flows.performer import Outcome, Performer
from ledger.questions.activities import ready
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from ledger.writing import Ledger
from steps.design.calculated import Calculator
from steps.schedule.plan import Plan

REQUESTED = "asked for"


class Work(NamedTuple):
    """An activity to be dealt with, and what this would touch."""

    key: Key
    row: Activity
    touches: frozenset[str]


@dataclass
class Engine:
    """One running engine."""

    site_dir: Path
    ledger: Ledger
    plan: Plan
    revision: int
    clock: Callable[[], datetime]
    performer: Performer
    linger_s: float
    rehearsal: bool
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    stopping: threading.Event = field(default_factory=threading.Event)
    bell: Bell = field(default_factory=Bell)
    tend: Callable[[], None] = lambda: None
    requested: set[str] = field(default_factory=set)
    queues: dict[Group, queue.Queue[Work]] = field(default_factory=dict)
    held_back: set[Group] = field(default_factory=set)
    handed: int = 0
    task_runs: int = 0
    advances: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _taken: set[Key] = field(default_factory=set)
    _open: dict[Key, Work] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what people were asked before, and index the plan."""
        self._asked = Asked(self.site_dir / ".clusterwright" / "asked.jsonl")
        self.use(self.plan, self.revision)

    def use(self, plan: Plan, revision: int) -> None:
        """Go on with a plan revision that was put in force."""
        self.plan, self.revision = plan, revision
        self.activities = {a.id: a for a in plan.activities}
        self.groups = Groups(plan)
        self.calculator = Calculator(plan)

    @property
    def tag(self) -> str:
        """The tag of this engine's runs in the dashboard."""
        return f"engine {self.id}"

    def is_quiet(self) -> bool:
        """Say whether nothing is handed out and nothing waits to be; true for the whole time of the question."""
        handed = self.handed
        return not self._open and not self.work() and handed == self.handed

    def is_busy(self, group: Group) -> bool:
        """Say whether something of a group is being dealt with, or waits for a host in use."""
        with self._lock:
            return group in self.held_back or any(self.groups.of(work.row) == group for work in self._open.values())

    def design_at(self, unit: str) -> dict[str, str | float | bool]:
        """Give the design values that hold at a unit, its own over the site's."""
        return self.plan.design | next(u.design for u in self.plan.units if u.id == unit)

    def work(self) -> list[Work]:
        """Give every activity that can be acted on and was not handed out as it stands."""
        with open_snapshot(self.site_dir, self.clock()) as snapshot:
            rows = ready(snapshot)
            wanted = [require_activity(snapshot, name) for name in sorted(self.requested)]
        found = [(Key(r.id, r.attempt, self.performer.mark(r)), r) for r in rows]
        fresh = [(k, r) for k, r in found if k not in self._taken and k not in self._asked and self.performer.wants(r)]
        fresh += [(Key(r.id, r.attempt, REQUESTED), r) for r in wanted]
        return [Work(key, row, self._touched(row)) for key, row in fresh]

    def _touched(self, row: Activity) -> frozenset[str]:
        """Give the hosts that a run would touch, and the shared things that it would have; none where nothing would run."""
        hosts = self.performer.hosts(row)
        shares = self.activities[row.id].shares if hosts else ()
        return frozenset({*hosts, *(f"the {thing}" for thing in shares)})

    def take(self) -> list[Work]:
        """Take what `work` gives, but nothing that would touch a host or a shared thing in use."""
        taken = []
        fresh = self.work()
        with self._lock:
            busy = {name for work in self._open.values() for name in work.touches}
            active = {key.activity for key in self._open}
            self.held_back = set()
            for work in fresh:
                if work.key.activity in active:
                    continue
                if not busy.isdisjoint(work.touches):
                    self.held_back.add(self.groups.of(work.row))
                    continue
                busy.update(work.touches)
                self._taken.add(work.key)
                self._open[work.key] = work
                self.handed += 1
                self.requested.discard(work.row.id)
                taken.append(work)
        return taken

    def ended(self, key: Key, outcome: Outcome) -> None:
        """Count one handed-out activity as dealt with, and wake whoever waits."""
        if outcome.asked:
            self._asked.add(key)
        with self._lock:
            self._open.pop(key, None)
        self.bell.ring()

    def give_back(self, group: Group) -> None:
        """Forget what was handed to a run that broke off, so that it is handed out again."""
        with self._lock:
            for key, work in list(self._open.items()):
                if self.groups.of(work.row) == group:
                    del self._open[key]
                    self._taken.discard(key)
        self.bell.ring()


_ENGINES: dict[str, Engine] = {}


def register(engine: Engine) -> None:
    """Let flows find an engine by its id."""
    _ENGINES[engine.id] = engine


def engine_of(engine_id: str) -> Engine:
    """Give a registered engine."""
    return _ENGINES[engine_id]


def forget(engine: Engine) -> None:
    """Take an engine out of the register."""
    _ENGINES.pop(engine.id, None)
