"""The performer of a rehearsal: nothing is done on hosts. Work begins and ends when the plan says.

Simulated crews do people's work, and runs are claimed and settled as `rehearsed`. Both go through the same decisions as real
work, and each of their events says that it is simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from flows.engine.performer import Job, Outcome, Performer
from flows.engine.state import Engine
from flows.performers.duplicate import complete_duplicate, is_due
from flows.rehearsal.people import SOURCE, SimulatedPeople
from flows.rehearsal.planned_times import PlannedTimes
from flows.rehearsal.simulated_time import SimulatedClock, nothing_but_a_look
from ledger.entries import RunOutcome
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.records import claims
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from ledger.subjects.runs.decisions import claim, settle
from schedule.errors import NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.acceptance.meeting import value_that_meets
from steps.catalog.terms import PEOPLES_WORK, Kind
from steps.planning.activity import PlanActivity
from steps.stamps import local_day

LEASE_S = 3600.0
SUMMARY = "rehearsed: nothing was run"
FAILED = "simulated: it fails in this sample, and is done again; nothing was run"


@dataclass
class Simulator(Performer):
    """The performer of a rehearsal. Ends are scheduled on its clock. Nothing waits for a release, and people are played too."""

    clock: SimulatedClock
    times: PlannedTimes
    people: SimulatedPeople
    held_back: list[Callable[[], bool]] = field(default_factory=list, init=False)
    _awaited: dict[str, datetime] = field(default_factory=dict, init=False)

    def wants(self, snapshot: Snapshot, row: Activity) -> bool:
        """Return True for everything ready whose start has come, but for a duplicate only where the others are done."""
        begins = self.times.begins(snapshot, row)
        if begins is not None and begins > snapshot.now and self._awaited.get(row.id) != begins:
            self._awaited[row.id] = begins
            self.clock.schedule(begins, nothing_but_a_look)
        return begins is not None and begins <= snapshot.now and is_due(snapshot, row)

    def prepare(self, engine: Engine, snapshot: Snapshot, row: Activity) -> Job:
        """Return what begins an activity and schedules its end."""
        if row.plan.completed_by:
            return partial(complete_duplicate, engine, row)
        return partial(self._begin, engine, row, *self.times.began(snapshot, row))

    def _begin(self, engine: Engine, row: Activity, began: datetime, attempt: int) -> Outcome:
        activity = engine.activities[row.id]
        end = self.times.finish(activity, began, attempt)
        day = local_day(end, engine.plan.time_zone)
        if row.plan.kind in PEOPLES_WORK:
            if row.plan.kind is not Kind.GATE:
                self.people.start(activity)
            self._schedule(end, partial(self._finish_work, activity, attempt))
            return Outcome("Rehearsed", f"simulated {activity.role}, until {day}")
        self.people.invite(activity)
        owner = f"{engine.id}:{row.id}"
        claim(
            engine.ledger,
            owner,
            row.id,
            lease_s=LEASE_S,
            host=SOURCE,
            boot_id="",
            pid=0,
            pgid=0,
        )
        self._schedule(end, partial(self._finish_run, engine, activity, owner, attempt))
        return Outcome("Rehearsed", f"nothing is run; until {day}")

    def resume(self, engine: Engine, snapshot: Snapshot) -> None:
        """Schedule again the ends of what an earlier rehearsal of this ledger had begun."""
        owners = {held.activity: held.owner for held in claims(snapshot)}
        for state in (State.IN_PROGRESS, State.AWAITING_SIGN_OFF, State.RUNNING):
            for row in activities(snapshot, state=state):
                self._resume(engine, row, owners.get(row.id, ""))

    def _resume(self, engine: Engine, row: Activity, owner: str) -> None:
        activity = engine.activities[row.id]
        end = self.times.finish(activity, row.started_at or self.clock(), row.attempt)
        if row.state is State.RUNNING:
            self._schedule(end, partial(self._finish_run, engine, activity, owner, row.attempt))
        elif row.state is State.IN_PROGRESS:
            self._schedule(end, partial(self._finish_work, activity, row.attempt))
        else:
            self._approve(activity, row.finished_at or self.clock())

    def retry_held_back(self) -> None:
        """Finish what waited for the finish of another activity, where that is over now."""
        self.held_back = [finish for finish in self.held_back if not finish()]

    def _schedule(self, end: datetime, finish: Callable[[], bool]) -> None:
        """Finish something at its time, or as soon afterwards as nothing holds it back."""

        def ends() -> None:
            if not finish():
                self.held_back.append(finish)

        self.clock.schedule(end, ends)

    def _finish_work(self, activity: PlanActivity, attempt: int) -> bool:
        """Let people finish their work, and have it approved when the plan expects that. Return False where its end is held back.

        What fails is rejected, and people begin it again at once.
        """
        fails = self.times.fails(activity, attempt)
        if not fails and self._waits_to_finish(activity):
            return False
        if not self.people.finish(activity, fails=fails):
            return False
        self._report(activity, attempt)
        if fails:
            end = self.times.finish(activity, self.clock(), attempt + 1)
            self._schedule(end, partial(self._finish_work, activity, attempt + 1))
            return True
        if attempt > 1:
            self.people.close_ncrs(activity)
        self._approve(activity, self.clock())
        return True

    def _waits_to_finish(self, activity: PlanActivity) -> bool:
        """Return whether the end of work waits for other work. If it is known until when, the end is tried again then."""
        if not self.times.waits_to_finish(activity):
            return False
        with open_snapshot(self.people.ledger.site_dir, self.clock()) as snapshot:
            until = self.times.may_finish(snapshot, require_activity(snapshot, activity.id))
        if until is not None and until > self.clock():
            self.clock.schedule(until, nothing_but_a_look)
        return until is None or until > self.clock()

    def _report(self, activity: PlanActivity, attempt: int) -> None:
        """Let people comment on what the first attempt found, such as parts that arrived dead."""
        if attempt == 1:
            self.people.report(activity, self.times.found(activity))

    def _approve(self, activity: PlanActivity, finished: datetime) -> None:
        """Have finished work approved when the plan expects it."""
        at = self.times.approval(activity, finished)
        if at <= self.clock():
            self.people.approve(activity)
        else:
            self.clock.schedule(at, partial(self.people.approve, activity))

    def _finish_run(self, engine: Engine, activity: PlanActivity, owner: str, attempt: int) -> bool:
        """Settle a rehearsed run. Return False where its end is held back.

        Its readings meet every criterion, unless it fails: then it is opened again, and the flows begin it once more. People reject
        what only they can judge, as there is no playbook.
        """
        fails = self.times.fails(activity, attempt)
        if not fails and self._waits_to_finish(activity):
            return False
        rejected = fails and activity.playbook is None and activity.policy.needed == "always"
        readings = tuple(
            Measured(c.metric, value_that_meets(c), c.unit, source=SOURCE)
            for c in activity.criteria
        )  # fmt: skip
        outcome = RunOutcome("rehearsed", measurements=readings, summary=SUMMARY, simulated=True)
        if fails and not rejected:
            outcome = RunOutcome("failed", summary=FAILED, simulated=True)
        elif attempt > 1 and not fails:
            self.people.close_ncrs(activity)
        try:
            settle(engine.ledger, owner, activity.id, outcome)
        except NotSatisfiedError:
            if self.people.is_held_back(activity):
                return False
            raise
        self._report(activity, attempt)
        if rejected:
            self.people.reject(activity)
        elif fails:
            self.people.retry(activity)
        elif activity.policy.needed == "always":
            self._approve(activity, self.clock())
        return True
