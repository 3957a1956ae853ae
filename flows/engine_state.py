"""What one engine shares with its flows: the ledger, the clock, who performs, what was handed out.

Flows and tasks get the engine by its id, since Prefect writes their parameters down.
"""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from ledger.database import Ledger
from ledger.reads import ActivityRow, Reader
from steps.schedule.plan import Plan, PlanActivity

PODS_A_RUN = 8
"""Pods that share a phase run, so that it stays under about 200 activities and its graph can be read."""


class Outcome(NamedTuple):
    """How a task ended: the name of its state in the dashboard, a sentence, and whether it failed."""

    name: str
    message: str
    failed: bool = False


class Performer(Protocol):
    """Does what a ready activity asks for, or hands it to a person, and says how that ended."""

    def wants(self, row: ActivityRow) -> bool:
        """Say whether the engine can do anything about a ready activity now."""

    def mark(self, row: ActivityRow) -> str:
        """Give what, when it changes, makes a ready activity worth another look: its release."""

    def perform(self, engine: Engine, row: ActivityRow) -> Outcome:
        """Do it; runs in a task's thread."""

    def cancel(self, activity: str) -> bool:
        """Stop a run of this engine; say whether there was one."""


class Group(NamedTuple):
    """A phase over some units: what one phase run covers."""

    phase: str
    units: tuple[str, ...]

    @property
    def label(self) -> str:
        """The units in words."""
        return self.units[0] if len(self.units) == 1 else f"{self.units[0]} to {self.units[-1]}"


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
    changed: threading.Condition = field(default_factory=threading.Condition)
    taken: set[tuple[str, int, str]] = field(default_factory=set)
    requested: set[str] = field(default_factory=set)
    queues: dict[Group, queue.Queue[ActivityRow]] = field(default_factory=dict)
    in_flight: int = 0
    task_runs: int = 0
    advances: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index the plan."""
        self.activities: dict[str, PlanActivity] = {a.id: a for a in self.plan.activities}
        self.before: dict[str, list[str]] = {}
        for link in self.plan.links:
            self.before.setdefault(link.after, []).append(link.before)
        pods = [u.id for u in self.plan.units if u.kind == "pod"]
        self._chunk = {
            pod: tuple(pods[i - i % PODS_A_RUN : i - i % PODS_A_RUN + PODS_A_RUN]) for i, pod in enumerate(pods)
        }
        self._wide = tuple(u.id for u in self.plan.units if u.kind != "pod")

    @property
    def tag(self) -> str:
        """The tag of this engine's runs in the dashboard."""
        return f"engine {self.id}"

    def group_of(self, row: ActivityRow) -> Group:
        """Give the phase run that an activity belongs to."""
        return Group(row.phase, self._chunk.get(row.unit, self._wide))

    def waiting_work(self) -> list[tuple[tuple[str, int, str], ActivityRow]]:
        """Give every activity that can be acted on and was not handed out as it stands, with its key."""
        with Reader.open(self.site_dir) as reader:
            now = self.clock()
            rows = reader.ready(now)
            asked = [reader.require_activity(name, now) for name in sorted(self.requested)]
        found = [((r.id, r.attempt, self.performer.mark(r)), r) for r in rows]
        found = [(key, r) for key, r in found if key not in self.taken and self.performer.wants(r)]
        return found + [((r.id, r.attempt, "asked for"), r) for r in asked]

    def new_work(self) -> list[ActivityRow]:
        """Take what `waiting_work` gives."""
        fresh = self.waiting_work()
        with self.changed:
            for key, row in fresh:
                self.taken.add(key)
                self.requested.discard(row.id)
            self.in_flight += len(fresh)
        return [row for _, row in fresh]

    def ended(self) -> None:
        """Count one handed-out activity as dealt with, and wake whoever waits."""
        with self.changed:
            self.in_flight -= 1
            self.changed.notify_all()

    def wake(self) -> None:
        """Let the dispatcher look again."""
        with self.changed:
            self.changed.notify_all()


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
