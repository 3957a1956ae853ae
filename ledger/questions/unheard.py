"""Runs on which no engine is at work, though the record has them as running: their engine was killed, or its machine is gone."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.entries import Claim
from ledger.machine_time import machine_time
from ledger.questions.records import RunRow, claims, unclaimed_runs
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from steps.stamps import minute


class Unheard(NamedTuple):
    """A run whose engine has not renewed its claim in time, or a run without a claim: then `since` is None."""

    activity: str
    run: str
    host: str
    since: datetime | None

    def words(self, zone: str) -> str:
        """Return what is missing, as a need of the activity. Times are in the site's zone."""
        if self.since is None:
            return "an engine: no process has this run; `clusterwright up` settles it"
        since = minute(self.since, zone)
        return f"an engine: the one at {self.host} has not answered since {since}; `clusterwright up` settles its run"


def unheard(snapshot: Snapshot) -> list[Unheard]:
    """Return the runs on which no engine is at work, by activity. Leases are machine time, so the machine's clock is read.

    Empty for the past, since claims are not recorded, and in a rehearsal, where nothing is really at work.
    """
    if snapshot.as_of is not None or site_of(snapshot).rehearsal:
        return []
    now = machine_time()
    lapsed = (one for one in claims(snapshot) if one.lease_until <= now)
    found = [_of_claim(one) for one in lapsed]
    found += map(_of_run, unclaimed_runs(snapshot))
    return sorted(found)


def _of_run(run: RunRow) -> Unheard:
    return Unheard(run.activity, run.id, run.host, None)


def _of_claim(held: Claim) -> Unheard:
    return Unheard(held.activity, held.run, held.host, held.lease_until)
