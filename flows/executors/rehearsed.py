"""In a rehearsal nothing is done on hosts: what is ready begins now and ends at its drawn time.

People's work is done by simulated crews; a run is claimed and settled as `rehearsed`. Both go through the
same services as the real thing, and every trace of theirs says that it is simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from flows.engine_state import Engine
from flows.executors.duplicate import complete_duplicate, duplicates_done
from flows.executors.people import asked_role
from flows.executors.simulated_people import SOURCE, SimulatedPeople
from flows.performer import Outcome
from flows.simulation import SimulatedClock, after, drawn
from ledger.decisions.runs import claim, settle
from ledger.entries import Measured, RunOutcome
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.records import claims
from ledger.questions.why import may_finish
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from steps.acceptance.meeting import value_that_meets
from steps.schedule.activity import PlanActivity
from steps.schedule.calendar import WorkCalendar

LEASE_S = 3600.0
PEOPLE = frozenset({"procure", "field", "gate"})
REHEARSED = RunOutcome("rehearsed", summary="rehearsed: nothing was run", simulated=True)


class Simulator:
    """The performer of a rehearsal."""

    def __init__(
        self, site_dir: Path, clock: SimulatedClock, calendar: WorkCalendar, people: SimulatedPeople, seed: int
    ) -> None:
        """Keep the clock that it schedules on."""
        self.site_dir = site_dir
        self.clock = clock
        self.calendar = calendar
        self.people = people
        self.seed = seed
        self.held_back: list[Callable[[], bool]] = []

    def wants(self, row: Activity) -> bool:
        """Everything ready begins; duplicates only when their others are done."""
        return not row.plan.completed_by or duplicates_done(self.site_dir, row, self.clock())

    def mark(self, row: Activity) -> str:  # noqa: ARG002  the performer's interface
        """Nothing in a rehearsal waits for a release."""
        return ""

    def hosts(self, row: Activity) -> tuple[str, ...]:  # noqa: ARG002  the performer's interface
        """Nothing in a rehearsal touches a host."""
        return ()

    def asks(self, row: Activity) -> str:
        """Give the role that is asked, for people's work."""
        return asked_role(row) if row.plan.kind in PEOPLE and not row.plan.completed_by else ""

    def cancel(self, activity: str) -> bool:  # noqa: ARG002  the performer's interface
        """Nothing runs in a rehearsal."""
        return False

    def perform(self, engine: Engine, row: Activity) -> Outcome:
        """Begin an activity, and schedule its end."""
        if row.plan.completed_by:
            return complete_duplicate(engine, row)
        activity = engine.activities[row.id]
        now = self.clock()
        end = self._end(activity, now)
        if row.plan.kind in PEOPLE:
            if row.plan.kind != "gate":
                self.people.start(activity)
            self._schedule_people(activity, end)
            return Outcome("Rehearsed", f"simulated {activity.role}, until {end:%Y-%m-%d}")
        owner = f"{engine.id}:{row.id}"
        self.people.invite(activity)
        claim(engine.ledger, owner, row.id, lease_s=LEASE_S, host=SOURCE, boot_id="", pid=0, pgid=0, at=now)
        self._schedule_run(engine, activity, owner, end)
        return Outcome("Rehearsed", f"nothing is run; until {end:%Y-%m-%d}")

    def resume(self, engine: Engine) -> None:
        """Schedule again what an earlier rehearsal of this ledger had begun."""
        with open_snapshot(self.site_dir, self.clock()) as snapshot:
            begun = [
                row
                for state in (State.IN_PROGRESS, State.AWAITING_SIGN_OFF, State.RUNNING)
                for row in activities(snapshot, state=state)
            ]
            owners = {held.activity: held.owner for held in claims(snapshot)}
        for row in begun:
            activity = engine.activities[row.id]
            end = self._end(activity, row.started_at or self.clock())
            if row.state is State.RUNNING:
                self._schedule_run(engine, activity, owners[row.id], end)
            elif row.state is State.IN_PROGRESS:
                self._schedule_people(activity, end)
            else:
                self.people.approve(activity, None)

    def retry_held_back(self) -> None:
        """Finish what waited for another's finish, where that is over now."""
        self.held_back = [finish for finish in self.held_back if not finish()]

    def _end(self, activity: PlanActivity, start: datetime) -> datetime:
        hours = drawn(activity.duration, self.seed, activity.id)
        return self.calendar.add(start, hours) if activity.calendar == "working" else after(start, hours)

    def _schedule_people(self, activity: PlanActivity, end: datetime) -> None:
        self._schedule(end, lambda: self.people.finish(activity))

    def _schedule(self, end: datetime, finish: Callable[[], bool]) -> None:
        """Let something end at its time, or as soon afterwards as nothing holds it back."""

        def ends(_at: datetime) -> None:
            if not finish():
                self.held_back.append(finish)

        self.clock.schedule(end, ends)

    def _schedule_run(self, engine: Engine, activity: PlanActivity, owner: str, end: datetime) -> None:
        def finish() -> bool:
            if activity.kind == "compute" and not self._may_finish(activity.id):
                return False
            readings = tuple(Measured(c.metric, value_that_meets(c), c.unit, source=SOURCE) for c in activity.criteria)
            outcome = RunOutcome(
                REHEARSED.status, measurements=readings, summary=REHEARSED.summary, simulated=REHEARSED.simulated
            )
            settle(engine.ledger, owner, activity.id, outcome, at=self.clock())
            if activity.policy.needed == "always":
                self.people.approve(activity, None)
            return True

        self._schedule(end, finish)

    def _may_finish(self, activity: str) -> bool:
        with open_snapshot(self.site_dir, self.clock()) as snapshot:
            return may_finish(snapshot, require_activity(snapshot, activity))
