"""When things happen in a rehearsal: at the dates of the plan's working schedule, or as soon afterwards as they can."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from steps.planning.activity import ELAPSED, WORKING, Dates, PlanActivity
from steps.planning.dates.approvals import LEAVES_FINISH, approval_hours, elapsed_per_working_hour
from steps.planning.dates.calendar import calendars_of
from steps.planning.dates.dating import MINUTE, MINUTES, in_minutes
from steps.planning.plan import Plan, PlanOrder, PlanTranche


class PlannedTimes:
    """The times of one plan. Where something began late, it takes as long as planned."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._calendars = calendars_of(plan)
        self._orders = {order.id: order for order in plan.orders}
        finishes = (link for link in plan.links if link.type in LEAVES_FINISH)
        self._waited_for_elapsed = {link.before for link in finishes if link.lag_calendar == ELAPSED}

    @property
    def time_zone(self) -> str:
        """The site's time zone."""
        return self._plan.time_zone

    def starts(self) -> Iterator[datetime]:
        """Yield when activities begin, when duplicates end, and when orders are placed."""
        for activity in self._plan.activities:
            if activity.applicable:
                yield self.start(activity)
        for order in self._plan.orders:
            yield self.placing(order.id)

    def start(self, activity: PlanActivity) -> datetime:
        """Return when an activity begins. A duplicate of others is no work: it only ends."""
        dates = _dates(activity)
        return dates.early_finish if activity.completed_by else dates.early_start

    def begins(self, snapshot: Snapshot, row: Activity) -> datetime | None:  # noqa: ARG002  a sample's times ask the record
        """Return when a ready activity begins. None while that is not known."""
        return self.start(row.plan)

    def began(self, snapshot: Snapshot, row: Activity) -> tuple[datetime, int]:
        """Return when the present attempt at ready work begins, and the number of the attempt."""
        return snapshot.now, row.attempt

    def finish(self, activity: PlanActivity, started: datetime, attempt: int) -> datetime:  # noqa: ARG002  all are alike
        """Return when the work of an activity ends that began at `started`."""
        dates = _dates(activity)
        if started <= dates.early_start:
            return dates.early_finish
        hours = in_minutes(activity.duration.m) / MINUTES
        return max(dates.early_finish, self._after(activity.calendar, started, hours))

    def waits_to_finish(self, activity: PlanActivity) -> bool:  # noqa: ARG002  starts are planned so that ends fit
        """Return whether the end of work may have to wait for other work: never by the plan."""
        return False

    def may_finish(self, snapshot: Snapshot, row: Activity) -> datetime | None:
        """Return from when work may finish, as other work holds its end. None while that is not known."""
        return row.finish_from or snapshot.now

    def fails(self, activity: PlanActivity, attempt: int) -> bool:  # noqa: ARG002  nothing fails as planned
        """Return False: by the plan every attempt succeeds."""
        return False

    def found(self, activity: PlanActivity) -> tuple[str, ...]:  # noqa: ARG002  nothing is planned to be found
        """Return nothing: by the plan no part is dead."""
        return ()

    def approval(self, activity: PlanActivity, finished: datetime) -> datetime:
        """Return when the plan expects the approval of work that was finished at `finished`.

        Where a link runs around the clock, the plan counts with the average of elapsed hours in a working hour, which may end sooner.
        """
        hours = approval_hours(activity, self._plan.approvals)
        if not hours:
            return finished
        working = self._after(WORKING, finished, in_minutes(hours) / MINUTES)
        if activity.id not in self._waited_for_elapsed:
            return working
        return min(working, finished + self._elapsed(hours))

    def _elapsed(self, working_hours: float) -> timedelta:
        """Return how long the plan counts for working hours where a link runs around the clock."""
        return in_minutes(working_hours * elapsed_per_working_hour(self._plan)) * MINUTE

    def placing(self, order: str) -> datetime:
        """Return when an order is placed."""
        return _dates(self._orders[order]).early_finish

    def arrivals(self, order: str, placed: datetime) -> dict[str, datetime]:
        """Return when each delivery of an order arrives that was placed at `placed`, by the delivery's id."""
        planned = self._orders[order]
        late = placed - self.placing(order)
        return {tranche.id: _dates(tranche).early_finish + late for tranche in planned.tranches}

    def _after(self, calendar: str, start: datetime, hours: float) -> datetime:
        found = self._calendars.get(calendar)
        return start + timedelta(hours=hours) if found is None else found.add(start, hours)


def _dates(planned: PlanActivity | PlanOrder | PlanTranche) -> Dates:
    assert planned.dates is not None  # a plan that was adopted has them
    return planned.dates
