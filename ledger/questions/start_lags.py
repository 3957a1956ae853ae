"""How long software took to begin after the decision of a person that let it begin: the lag from sign-off to start."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from steps.stamps import moment

CLOCKS = timedelta(seconds=1)
"""By so much two clocks may differ: a database says when a decision was recorded, and the engine when a run began."""

_FIRST_RUNS = """
SELECT r.id, r.activity, r.started_at, e.at, (
  SELECT max(d.recorded_at) FROM link l JOIN event d ON d.subject = l."before" AND d.effective_at = l.satisfied_at
  WHERE l."after" = a.id AND l.side = 'start' AND l.satisfied_at = a.ready_from AND d.actor <> :engine)
FROM run r JOIN activity a ON a.id = r.activity LEFT JOIN release e ON e.activity = r.activity AND e.consumed_by = r.id
WHERE r.attempt = 1 ORDER BY r.started_at, r.id"""
"""Runs of first attempts: when each began, when it was released, and when a person decided what it waited for last."""


class StartLag(NamedTuple):
    """A run that a person's decision let begin: a sign-off of what it waited for last, or its own release."""

    run: str
    activity: str
    decided_at: datetime
    started_at: datetime

    @property
    def seconds(self) -> float:
        """How long after the decision the run began."""
        return max(0.0, (self.started_at - self.decided_at).total_seconds())


def start_lags(snapshot: Snapshot) -> list[StartLag]:
    """Return the lag of each run that began after a person's decision, oldest first.

    A run of a later attempt has none, and one that waited for other software, a delivery or the end of a lag of its link.
    """
    found = []
    for run, activity, started, *decided in snapshot.ask(_FIRST_RUNS, engine=ENGINE):
        decisions = [moment(at) for at in decided if at is not None]
        if decisions and max(decisions) <= moment(started) + CLOCKS:
            found.append(StartLag(run, activity, max(decisions), moment(started)))
    return found
