"""The bar of each activity: as it was done, as it is planned, and as it is forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.listing import NEVER, ListRow, RecordedTimes, recorded_times
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import WORK_OVER, State
from tui.lists.bars import Bar, Moments
from tui.looks import STATE_ROLES, Role


@dataclass(frozen=True)
class Times:
    """What a chart shows beside the rows: recorded times, what drives go-live by the kept forecast, today and the data date."""

    moments: Moments
    recorded: dict[str, RecordedTimes] = field(default_factory=dict)
    chain: frozenset[str] = frozenset()
    whole: tuple[datetime, datetime] | None = None
    """From the first to the last date of all rows."""

    def bar(self, row: ListRow) -> Bar | None:
        """Return the bar of an activity. None if it has no dates, or nothing to do."""
        times = self.recorded.get(row.id, NEVER)
        start = times.started or row.planned_start or times.finished
        finish = row.planned_finish or times.finished
        if start is None or finish is None or row.state is State.NOT_APPLICABLE:
            return None
        if row.state in WORK_OVER:
            done = times.finished or finish
            return Bar(min(start, done), done, STATE_ROLES[row.state], worked=done, baseline=row.baseline_finish)
        is_driving = row.is_critical or row.id in self.chain
        role: Role = "bad" if is_driving else STATE_ROLES[row.state]
        finish = max(finish, start)
        return Bar(
            start,
            finish,
            role,
            self._worked(row, start, finish) if times.started else None,
            times.latest,
            row.baseline_finish,
            row.forecast_finish if row.days_later else None,
            is_driving,
        )

    def _worked(self, row: ListRow, start: datetime, finish: datetime) -> datetime:
        """Return until when work that has begun is done: as people say, else as time has passed."""
        if row.percent is None:
            return min(self.moments.now, finish)
        return start + (finish - start) * (row.percent / 100)


def times_of(snapshot: Snapshot, rows: Sequence[ListRow]) -> Times:
    """Return the times of some rows. Without a forecast the plan says what is critical."""
    kept, recorded = kept_forecast(snapshot), recorded_times(snapshot)
    chain = kept.forecast.critical if kept else [row.id for row in rows if row.is_critical]
    moments = Moments(snapshot.now, kept.forecast.as_of if kept else None)
    dates = [row.planned_start for row in rows] + [row.forecast_finish or row.planned_finish for row in rows]
    dates += [times.started for times in recorded.values()] + [times.finished for times in recorded.values()]
    known = [date for date in dates if date is not None] or [snapshot.now]
    return Times(moments, recorded, frozenset(chain), (min(known), max(known)))
