"""When things happen in a rehearsal with luck: dates follow from the causes of a sample, and from what was recorded before.

Work begins when its links let it begin and those before it have finished with its crews, in the sample's order. An order is placed as
soon as it can be. The plan's dates move nothing here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from flows.rehearsal.planned_times import PlannedTimes
from ledger.questions.case import require_activity
from ledger.questions.records import measurements
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity, State
from ledger.rules.readiness import side_of
from ledger.rules.rows import OrderRow
from schedule.crews.slots import SLOT
from steps.catalog.terms import Kind
from steps.planning.activity import ELAPSED, PlanActivity
from steps.planning.dates.approvals import LEAVES_FINISH, approval_hours
from steps.planning.plan import Plan

if TYPE_CHECKING:
    from steps.planning.odds.sample_causes import SampleCauses

QUARTER = timedelta(minutes=SLOT)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FINISHED = frozenset({State.AWAITING_SIGN_OFF, State.DONE, State.NOT_APPLICABLE})


class SampledTimes(PlannedTimes):
    """The times of one sample. Approvals take as long as planned, as in the sample."""

    def __init__(self, plan: Plan, causes: SampleCauses) -> None:
        super().__init__(plan)
        self._causes = causes
        self._around_the_clock = self._approvals_around_the_clock()
        self._held = {link.after for link in plan.links if side_of(link.type) == "finish"}
        self._waits: dict[tuple[str, str, datetime], datetime] = {}

    def _approvals_around_the_clock(self) -> dict[tuple[str, str], list[tuple[str, timedelta]]]:
        """Return by node, and side of it, the work that it follows by links around the clock, and how long after the end of that."""
        activities = {one.id: one for one in self._plan.activities}
        found: defaultdict[tuple[str, str], list[tuple[str, timedelta]]] = defaultdict(list)
        for link in self._plan.links:
            before = activities.get(link.before)
            if before is None or link.type not in LEAVES_FINISH or link.lag_calendar != ELAPSED:
                continue
            hours = approval_hours(before, self._plan.approvals)
            if hours:
                wait = self._elapsed(hours) + timedelta(hours=link.lag_h)
                found[link.after, side_of(link.type)].append((before.id, wait))
        return found

    def starts(self) -> Iterator[datetime]:
        """Yield nothing: no start is known before what is before it has happened."""
        return iter(())

    def begins(self, snapshot: Snapshot, row: Activity) -> datetime | None:
        """Return when a ready activity begins: in working time, when its crews are free. None while others have them."""
        since = self.waits_until(snapshot, row)
        for name in self._causes.crews_from.get(row.id, ()):
            other = require_activity(snapshot, name)
            if other.state not in FINISHED:
                return None
            since = max(since, _finished(other) or since)
        return since if row.plan.completed_by else self._opens(row.plan, since)

    def waits_until(self, snapshot: Snapshot, row: Activity | OrderRow) -> datetime:
        """Return until when an activity or an order waits that is ready by its links.

        Where a link runs around the clock, the plan counts with the average of elapsed hours in a working hour for an approval, and so
        does the sample. An approval that comes sooner, within working hours, is not used by what follows.
        """
        return self._with_approvals(snapshot, row.id, "start", row.ready_from or snapshot.now)

    def _with_approvals(self, snapshot: Snapshot, node: str, side: str, since: datetime) -> datetime:
        if (node, side, since) not in self._waits:
            befores = ((require_activity(snapshot, name), wait) for name, wait in self._around_the_clock[node, side])
            waits = [finished + wait for before, wait in befores if (finished := _finished(before)) is not None]
            self._waits[node, side, since] = max([since, *waits])
        return self._waits[node, side, since]

    def waits_to_finish(self, activity: PlanActivity) -> bool:
        """Return whether the end of work may have to wait for other work: where links lead to its finish."""
        return activity.id in self._held

    def may_finish(self, snapshot: Snapshot, row: Activity) -> datetime | None:
        """Return from when work may finish, as other work holds its end: after a quarter of working time. None while it is not known."""
        if row.finish_from is None:
            return None
        until = self._with_approvals(snapshot, row.id, "finish", row.finish_from)
        return self._opens(row.plan, until - QUARTER) + QUARTER

    def _opens(self, activity: PlanActivity, since: datetime) -> datetime:
        """Return the first quarter of an hour from an instant on in which an activity can be worked on."""
        at = _quarter(since)
        calendar = self._calendars.get(activity.calendar)
        if calendar is None or not sum(self._causes.tries[activity.id]):
            return at
        return calendar.at(float(calendar.start_at(calendar.work_at(calendar.hours_since_origin(at)))))

    def began(self, snapshot: Snapshot, row: Activity) -> tuple[datetime, int]:
        """Return when the present attempt at ready work begins, and the number of the attempt.

        A gate has no start on record and no attempts. So that a rehearsal that was broken off goes on with it, its beginning is worked
        out again, and each inspection that was read counts as an attempt that failed.
        """
        begins = self.begins(snapshot, row)
        if row.plan.kind is not Kind.GATE or begins is None:
            return super().began(snapshot, row)
        metrics = [one.metric for one in measurements(snapshot, row.id)]
        failed = metrics.count(metrics[0]) if metrics else 0
        return self._after(row.plan.calendar, begins, sum(self._causes.tries[row.id][:failed])), failed + 1

    def finish(self, activity: PlanActivity, started: datetime, attempt: int) -> datetime:
        """Return when this attempt at an activity ends that began at `started`."""
        tries = self._causes.tries[activity.id]
        hours = tries[min(attempt, len(tries)) - 1]
        return self._after(activity.calendar, started, hours)

    def fails(self, activity: PlanActivity, attempt: int) -> bool:
        """Return whether this attempt fails, so that the activity is done again."""
        return attempt < len(self._causes.tries[activity.id])

    def found(self, activity: PlanActivity) -> tuple[str, ...]:
        """Return what is found at an activity, such as parts that arrive dead."""
        return self._causes.found.get(activity.id, ())

    def arrivals(self, order: str, placed: datetime) -> dict[str, datetime]:
        """Return when each delivery of an order arrives that was placed at `placed`, by the delivery's id."""
        leads = self._causes.leads
        return {one.id: placed + timedelta(hours=leads[one.id]) for one in self._orders[order].tranches}

    def first_promises(self, order: str, placed: datetime) -> dict[str, datetime]:
        """Return for when a supplier promises each delivery at first: after the most likely lead time, as the plan has it."""
        return super().arrivals(order, placed)


def _finished(row: Activity) -> datetime | None:
    return row.finished_at or row.done_at


def _quarter(at: datetime) -> datetime:
    """Return the first quarter of an hour from an instant on."""
    return EPOCH - (EPOCH - at) // QUARTER * QUARTER
