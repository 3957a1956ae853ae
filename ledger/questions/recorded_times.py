"""When each activity began and ended, and until when it may end and delay nothing: what a chart needs beside the lists' rows."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from steps.stamps import instant

_TIMES = """
SELECT id, started_at, coalesce(finished_at, done_at), late_finish FROM activity
WHERE coalesce(started_at, finished_at, done_at, late_finish) IS NOT NULL"""


class RecordedTimes(NamedTuple):
    """When an activity began, when its work ended, and the latest finish that the plan has for it. None where there is none."""

    started: datetime | None
    finished: datetime | None
    latest: datetime | None


NEVER = RecordedTimes(None, None, None)


def recorded_times(snapshot: Snapshot) -> dict[str, RecordedTimes]:
    """Return the times of every activity that has some, by id."""
    return {
        name: RecordedTimes(instant(started), instant(finished), instant(latest))
        for name, started, finished, latest in snapshot.ask(_TIMES)
    }
