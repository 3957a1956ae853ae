"""What one engine shares with its flows: the ledger, the clock, the performer, and what was handed out.

What is handed out is remembered by activity, attempt and mark, so that the same work is not handed out twice.
"""

from __future__ import annotations

import queue
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from flows.dashboard.site_lock import ENGINE_ROLE
from flows.engine.advance import Advance
from flows.engine.groups import Group, Groups
from flows.engine.memory import return_freed
from flows.engine.performer import Outcome, Performer
from flows.engine.questions_asked import Asked, Key
from flows.engine.reservations import Reservations
from flows.engine.unwritten import Unwritten
from flows.engine.wakeup import Wakeup
from flows.runs.drift.due import DriftLooks
from ledger.entries import Wish
from ledger.evidence.plans import forget_plans
from ledger.questions.activities import ready
from ledger.questions.case import require_activity
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import turns
from ledger.reading import Readers
from ledger.rules.activity import Activity
from ledger.subjects.runs.queue_rules import float_of, wants
from ledger.writing import Ledger
from steps.catalog.terms import Kind
from steps.design.calculated import Calculator
from steps.planning.plan import Plan
from steps.stamps import local_day

if TYPE_CHECKING:
    from prefect.client.schemas.objects import TaskRun

    from flows.dashboard.standing_runs import Parent
    from flows.engine.ready_work import ReadyWork
    from flows.team.slices import Slices

REQUESTED = "asked for"
WAITS = "waits for its turn"
KEY_WAIT_S = 1.0


class Work(NamedTuple):
    """An activity to be dealt with, and the hosts and shared things that this would touch.

    `waits` says what it waits for, if that is all that its task has to show now. Such a task touches nothing.
    """

    key: Key
    row: Activity
    touches: frozenset[str]
    waits: str = ""


def new_id() -> str:
    """Return an id that no other engine has."""
    return uuid.uuid4().hex[:12]


@dataclass
class Engine:
    """One running engine. `tend` attends to what is asked of the engine, and returns whether it recorded anything.

    `may_record` returns whether the engine may begin or answer anything now. A rehearsal calls `pace` before project time moves:
    it returns when the dashboard shows what was so a moment ago. At most `side_by_side` runs go on at once on this machine.
    """

    site_dir: Path
    ledger: Ledger
    plan: Plan
    revision: int
    clock: Callable[[], datetime]
    performer: Performer
    linger_s: float
    rehearsal: bool
    workers: Slices | None = None
    side_by_side: int | None = None
    id: str = field(default_factory=new_id)
    stopping: threading.Event = field(default_factory=threading.Event)
    wakeup: Wakeup = field(default_factory=Wakeup)
    tend: Callable[[Snapshot], bool] = lambda _: False
    may_record: Callable[[Snapshot], bool] = lambda _: True
    pace: Callable[[], None] = lambda: None
    requested: set[str] = field(default_factory=set)
    queues: dict[Group, queue.Queue[Work]] = field(default_factory=dict)
    held_back: set[Group] = field(default_factory=set)
    handed: int = 0
    begun: Counter[str] = field(default_factory=Counter)
    """By phase: how many activities software has begun."""
    looked: int = -1
    """The wakeup that the last look at the ledger has seen."""
    task_runs: int = 0
    completed: int = 0
    reclaims: int = 0
    """Runs of engines that are gone, which this one settled."""
    nodes: dict[tuple[UUID | None, str], TaskRun] = field(default_factory=dict)
    """By flow run and activity: the task run that dealt with it last, until its advance is over."""
    parents: dict[str, Parent] = field(default_factory=dict)
    """By phase: the standing run, of which advances are children."""
    advances: dict[str, Advance] = field(default_factory=dict)
    """By label: those that are not over."""
    numbers: dict[str, int] = field(default_factory=dict)
    """By phase: how many advances of it there were."""
    ready_work: ReadyWork = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _taken: set[Key] = field(default_factory=set)
    _open: dict[Key, Work] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what people were asked before, and index the plan."""
        self.unwritten = Unwritten(self.stopping)
        self.turns = Reservations(self.ledger, self.id, self.side_by_side, self.unwritten)
        self.readers = Readers(self.site_dir)
        self.asked = Asked(self.site_dir)
        self._drift = DriftLooks(self.site_dir / ".clusterwright" / "drift", self.clock())
        self.use(self.plan, self.revision)

    def use(self, plan: Plan, revision: int) -> None:
        """Work by a plan revision that was put in force. Its links are not kept: `groups` has what is needed of them."""
        self.groups = Groups(plan)
        self.plan, self.revision = plan.model_copy(update={"links": ()}), revision
        self.activities = {a.id: a for a in plan.activities}
        forget_plans()
        self.rest()

    def rest(self) -> None:
        """Let go of what calculations share: a large site's cables are 50 MB, and the next one may be months away."""
        self.calculator = Calculator(self.plan)
        return_freed()

    @property
    def tag(self) -> str:
        """The tag of this engine's runs in the dashboard."""
        return f"{ENGINE_ROLE}{self.id}"

    def snapshot(self) -> Snapshot:
        """Return the record as it is now. Now is the engine's project time, which a rehearsal simulates."""
        return self.readers.snapshot(self.clock())

    def wait_for_key(self) -> None:
        """Wait until a result can be recorded, or the engine stops. It may not be signed while no key of the engine is in force."""
        while not self.stopping.is_set():
            with self.snapshot() as snapshot:
                if self.may_record(snapshot):
                    return
            self.stopping.wait(KEY_WAIT_S)

    def quiet(self) -> Snapshot | None:
        """Return the record if nothing is handed out and nothing waits to be handed out. Otherwise return None.

        Both were so before the snapshot was opened and until it had been asked. The caller closes it.
        """
        handed = self.handed
        if self._open:
            return None
        snapshot = self.snapshot()
        has_work = bool(self.work(snapshot))
        with self._lock:  # what is being queued now is counted in `handed` at the end of that
            is_quiet = not has_work and handed == self.handed
        if is_quiet:
            return snapshot
        snapshot.close()
        return None

    def is_busy(self, group: Group) -> bool:
        """Return whether work of a group is being dealt with, or waits for its turn."""
        with self._lock:
            groups = {self.groups.of(work.row) for work in self._open.values()}
            return group in self.held_back or group in groups

    def work(self, snapshot: Snapshot) -> list[Work]:
        """Return every activity that can be acted on and was not handed out with the same attempt and mark."""
        fresh = []
        for row in ready(snapshot):
            key = Key(row.id, row.attempt, self.performer.mark(snapshot, row))
            is_new = key not in self._taken and key not in self.asked
            if is_new and self.performer.wants(snapshot, row):
                fresh.append((key, row))
        for name in sorted(self.requested):
            row = require_activity(snapshot, name)
            fresh.append((Key(row.id, row.attempt, REQUESTED), row))
        for row in () if self.rehearsal else self._drift.due(snapshot, self.plan):
            key = Key(row.id, row.attempt, self._drift.mark)
            if key not in self._taken:
                fresh.append((key, row))
        return [Work(key, row, wants(self.performer.hosts(snapshot, row), row.plan.shares)) for key, row in fresh]

    def queue_up(self, fresh: list[Work]) -> int:
        """Queue work for the phase runs, except what has to wait for its turn. Return how much."""
        with self._lock:
            begun = [work for work in self._open.values() if not work.waits]
        active = {work.row.id for work in begun}
        new = {work.row.id: work for work in reversed(fresh) if work.row.id not in active}
        wishes = [Wish(w.row.id, w.row.attempt, w.touches, float_of(w.row)) for w in new.values() if w.touches]
        turn = self.turns.take(wishes, {work.row.id for work in begun if work.touches})
        waiting = [work for work in new.values() if work.touches and work.row.id not in turn]
        begins = [work for work in new.values() if not work.touches or work.row.id in turn]
        queued = [*reversed(begins), *self._to_tell(waiting)]
        with self._lock:
            self.held_back = {self.groups.of(work.row) for work in waiting}
            for work in queued:
                self._taken.add(work.key)
                self._open[work.key] = work
                self.queues.setdefault(self.groups.of(work.row), queue.Queue()).put(work)
            self.requested.difference_update(work.row.id for work in begins)
            self.handed += len(queued)
            self.begun.update(work.row.plan.phase for work in begins if _acts(work))
        return len(queued)

    def _to_tell(self, waiting: list[Work]) -> list[Work]:
        """Return tasks that show in the dashboard what work waits for. There is one for an attempt."""
        untold = [w for w in waiting if w.key._replace(mark=WAITS) not in self._taken]
        if not untold:
            return []
        with self.snapshot() as snapshot:
            found, zone = turns(snapshot), site_of(snapshot).time_zone
        return [
            Work(work.key._replace(mark=WAITS), work.row, frozenset(), found[work.row.id].words(zone))
            for work in untold
            if work.row.id in found
        ]

    def handed_out(self, key: Key) -> Work | None:
        """Return work that was handed to a task. Return None where it was taken back since."""
        with self._lock:
            return self._open.get(key)

    def ended(self, key: Key, outcome: Outcome) -> None:
        """Note that an activity that was handed out has been dealt with, and wake every thread that waits.

        A question that touched no host frees nothing, and its answer comes through the record. While other work is open it wakes nobody.
        """
        if outcome.asked:
            self.asked.add(key)
        if key.mark == self._drift.mark:
            self._drift.ended(key.activity)
        with self._lock:
            work = self._open.pop(key, None)
            if outcome.again:
                self._taken.discard(key)
            frees = not outcome.asked or bool(work and work.touches)
            follows = frees or not self._open
        if follows:
            self.wakeup.wake()

    def begin_advance(self, group: Group, what: str) -> Advance:
        """Return the next advance of a group. It takes what is queued for the group from now on."""
        number = self.numbers[group.phase] = self.numbers.get(group.phase, 0) + 1
        label = f"{what} · advance {number} · {local_day(self.clock(), self.plan.time_zone)}"
        advance = self.advances[label] = Advance(self, group, label)
        return advance

    def close_advance(self, advance: Advance) -> None:
        """Let another advance take what is queued: this one only waits for the end of its tasks."""
        advance.takes = False
        self.wakeup.wake()

    def give_back(self, advance: Advance) -> None:
        """Forget what was handed to an advance that broke off, so that it is handed out again."""
        with self._lock:
            for key in advance.keys:
                if self._open.pop(key, None) is not None:
                    self._taken.discard(key)
        self.wakeup.wake()


def _acts(work: Work) -> bool:
    """Return whether software begins. Otherwise a person is asked: to start or sign it, or to release what it changes."""
    return bool(work.touches) or work.row.plan.kind is Kind.COMPUTE
