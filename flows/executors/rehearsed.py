"""In a rehearsal nothing is done on hosts: simulated crews, signers and suppliers take drawn times.

They act through the same services as people and runs do, and every trace of theirs says that it is simulated.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from flows.engine_state import Engine, Outcome
from flows.executors.duplicate import complete_duplicate, duplicates_done
from flows.simulation import SimulatedClock, after, drawn
from ledger.reads import ActivityRow, OrderRow
from ledger.services import buying, signing, work
from ledger.services.runs import Measured, RunOutcome, claim, settle
from steps.acceptance.meeting import value_that_meets
from steps.schedule.calendar import WorkCalendar
from steps.schedule.plan import PlanActivity

LEASE_S = 3600.0
SOURCE = "simulated"
PEOPLE = frozenset({"procure", "field", "gate"})


class Simulator:
    """The performer of a rehearsal: everything ready begins now and ends at its drawn time."""

    def __init__(self, site_dir: Path, clock: SimulatedClock, calendar: WorkCalendar, seed: int) -> None:
        """Keep the clock that it schedules on."""
        self.site_dir = site_dir
        self.clock = clock
        self.calendar = calendar
        self.seed = seed

    def wants(self, row: ActivityRow) -> bool:
        """Everything ready begins; duplicates only when their others are done."""
        return not row.completed_by or duplicates_done(self.site_dir, row)

    def mark(self, row: ActivityRow) -> str:
        """Nothing in a rehearsal waits for a release."""
        return ""

    def perform(self, engine: Engine, row: ActivityRow) -> Outcome:
        """Begin an activity, and schedule its end."""
        if row.completed_by:
            return complete_duplicate(engine, row)
        activity = engine.activities[row.id]
        now = self.clock()
        end = self._end(activity, now)
        if row.kind in PEOPLE:
            if row.kind != "gate":
                work.start(engine.ledger, f"sim-{activity.role}", row.id, at=now)
            self.clock.schedule(end, lambda at: self._people_finish(engine, activity, at))
            return Outcome("Rehearsed by people", f"simulated {activity.role}, until {end:%Y-%m-%d}")
        owner = f"{engine.id}:{row.id}"
        claim(engine.ledger, owner, row.id, lease_s=LEASE_S, host="simulated", boot_id="", pid=0, pgid=0, at=now)
        self.clock.schedule(end, lambda at: self._run_ends(engine, activity, owner, at))
        return Outcome("Rehearsed", f"nothing is run; until {end:%Y-%m-%d}")

    def cancel(self, activity: str) -> bool:
        """Nothing runs in a rehearsal."""
        return False

    def _end(self, activity: PlanActivity, start: datetime) -> datetime:
        hours = drawn(activity.duration, self.seed, activity.id)
        return self.calendar.add(start, hours) if activity.calendar == "working" else after(start, hours)

    def _people_finish(self, engine: Engine, activity: PlanActivity, at: datetime) -> None:
        me = f"sim-{activity.role}"
        for criterion in activity.criteria:
            value = value_that_meets(criterion)
            work.measure(engine.ledger, me, activity.id, criterion.metric, value, criterion.unit, source=SOURCE, at=at)
        if activity.kind.value != "gate":
            work.finish(engine.ledger, me, activity.id, at=at)
        self._approve(engine, activity, at)

    def _run_ends(self, engine: Engine, activity: PlanActivity, owner: str, at: datetime) -> None:
        readings = tuple(
            Measured(c.metric, value_that_meets(c), c.unit, source=SOURCE) for c in activity.criteria
        )
        outcome = RunOutcome(
            "rehearsed", measurements=readings, summary="rehearsed: nothing was run", simulated=True
        )
        settle(engine.ledger, owner, activity.id, outcome, at=at)
        if activity.policy.needed == "always":
            self._approve(engine, activity, at)

    def _approve(self, engine: Engine, activity: PlanActivity, at: datetime) -> None:
        """Attach what the policy asks for, then sign with as many roles as the quorum asks."""
        for kind in activity.policy.evidence:
            note = f"simulated {kind} of {activity.id}: no such document exists\n".encode()
            work.attach(engine.ledger, f"sim-{activity.role}", activity.id, note, kind, name=f"{kind}.txt", at=at)
        signers = [role for role in activity.policy.roles if f"sim-{role}" != f"sim-{activity.role}"]
        for role in signers[: activity.policy.quorum]:
            signing.sign(engine.ledger, f"sim-{role}", activity.id, role=role, comment="simulated", at=at)

    def place(self, engine: Engine, row: OrderRow, at: datetime) -> None:
        """Place an order, and schedule its deliveries at the drawn lead time."""
        planned = next(o for o in engine.plan.orders if o.id == row.id)
        lead = drawn(planned.lead, self.seed, row.id)
        first = after(at, lead)
        buying.order(
            engine.ledger, "sim-buyer", row.id, promised=first.date(), supplier_name=f"simulated {row.supplier}",
            reference="simulated", at=at,
        )
        for tranche in planned.tranches:
            arrives = after(first, tranche.after_first_h)
            self.clock.schedule(
                arrives,
                lambda when, t=tranche: buying.receive(  # type: ignore[misc]
                    engine.ledger, "sim-receiving-clerk", t.id, t.quantity, note="simulated", at=when
                ),
            )
