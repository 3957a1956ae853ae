"""The S-curve of a site: which share of its activities the plan has finished by a time, and which share was done by then."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from steps.stamps import moment

_FINISHES = "SELECT early_finish, done_at FROM activity WHERE state <> 'not_applicable' AND in_plan"


class Curve(NamedTuple):
    """Shares from 0 to 1 at equal steps of time from `start` to `finish`. `done` ends with the time of looking."""

    start: datetime
    finish: datetime
    planned: list[float]
    done: list[float]
    planned_now: float
    done_now: float
    activities: int


def progress_curve(snapshot: Snapshot, points: int) -> Curve | None:
    """Return the curve of all activities that apply, each counted once. None where no activity has dates."""
    found = snapshot.ask(_FINISHES)
    planned = sorted(moment(finish) for finish, _ in found if finish)
    done = sorted(moment(at) for _, at in found if at)
    if not planned:
        return None
    now = snapshot.now
    start = min([planned[0], *done[:1]])
    finish = max([planned[-1], *done[-1:]])
    step = (finish - start) / max(points - 1, 1) or timedelta(days=1)
    times = [start + step * number for number in range(points)]

    def share(dates: list[datetime], at: datetime) -> float:
        return bisect_right(dates, at) / len(found)

    return Curve(
        start,
        finish,
        [share(planned, at) for at in times],
        [share(done, at) for at in times if at <= now],
        share(planned, now),
        share(done, now),
        len(found),
    )
