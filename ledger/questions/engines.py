"""Which engines hold something of a site: the runs that they have claimed, what they keep for work that waits, and runs without an engine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ledger.entries import Claim, Reservation
from ledger.machine_processes import has_ended
from ledger.machine_time import machine_time
from ledger.questions.records import RunRow, claims, unclaimed_runs
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import reservations
from steps.stamps import minute

SENTENCE = "It is running in the record only: no engine is at work on it."
"""What the state `running` means where no engine is at work."""


class EngineRow(NamedTuple):
    """An engine, and what it holds. `has_ended` is true only where that is certain: its process was on this machine, and is gone."""

    id: str
    host: str
    pid: int
    has_ended: bool
    leases: tuple[Claim, ...]
    reservations: tuple[Reservation, ...]


class Unheard(NamedTuple):
    """A run whose engine has ended, or has not renewed its claim in time, or a run without a claim: then `since` is None.

    `pid` is the process of this machine that has ended. It is None where nobody can tell that from here.
    """

    activity: str
    run: str
    host: str
    since: datetime | None
    pid: int | None = None

    def words(self, zone: str) -> str:
        """Return what is missing, as a need of the activity. Times are in the site's zone."""
        if self.since is None:
            return "an engine: no process has this run; `clusterwright up` settles it"
        if self.pid is not None:
            return f"an engine: process {self.pid} of {self.host} has ended; `clusterwright up` settles its run"
        since = minute(self.since, zone)
        return f"an engine: the one at {self.host} has not answered since {since}; `clusterwright up` settles its run"


def engines(snapshot: Snapshot) -> list[EngineRow]:
    """Return every engine that has a claim, or a reservation that has not lapsed, by its id."""
    held: dict[str, list[Claim | Reservation]] = {}
    for claim in claims(snapshot):
        held.setdefault(claim.owner.partition(":")[0], []).append(claim)
    for kept in reservations(snapshot, machine_time()):
        held.setdefault(kept.engine, []).append(kept)
    return [_engine(name, held[name]) for name in sorted(held)]


def _engine(name: str, held: Sequence[Claim | Reservation]) -> EngineRow:
    leases = tuple(one for one in held if isinstance(one, Claim))
    kept = tuple(one for one in held if isinstance(one, Reservation))
    first = held[0]
    return EngineRow(name, first.host, first.pid, has_ended(first), leases, kept)


def unheard(snapshot: Snapshot, activity: str | None = None) -> list[Unheard]:
    """Return the runs of an activity, or of all, on which no engine is at work. Leases are machine time, so the machine is asked.

    Empty for the past, since claims are not recorded, and in a rehearsal, where nothing is really at work.
    """
    if snapshot.as_of is not None or site_of(snapshot).rehearsal:
        return []
    found = [one for one in map(_of_claim, claims(snapshot)) if one is not None]
    found += map(_of_run, unclaimed_runs(snapshot))
    return sorted(one for one in found if activity in {None, one.activity})


def _of_run(run: RunRow) -> Unheard:
    return Unheard(run.activity, run.id, run.host, None)


def _of_claim(held: Claim) -> Unheard | None:
    """Return the run of a claim whose engine has ended, or whose lease is over. None where an engine is at work."""
    if has_ended(held):
        return Unheard(held.activity, held.run, held.host, held.lease_until, held.pid)
    if held.lease_until <= machine_time():
        return Unheard(held.activity, held.run, held.host, held.lease_until)
    return None
