"""Runs of software: claim an activity with a lease, renew the lease, settle the run, and record what check mode showed.

Only the owner of a claim renews and settles it. Leases are in machine time, which is never simulated. The times of events are
project time. When a lease is over, somebody first makes sure that the old process is dead. Then the old run is settled as
interrupted, and only then is the activity claimed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ledger.entries import Artifact, Claim, ItemResult, RunOutcome
from ledger.evidence.batches import inline_or_kept, kept_rows
from ledger.evidence.store import load, store
from ledger.log.chain import Event
from ledger.log.payload import Left, ReadingPart
from ledger.questions.case import LookedUp, reads
from ledger.questions.records import claims, live_releases, unclaimed_runs
from ledger.questions.site import revision as revision_in_force
from ledger.questions.turns import in_use, place_of, reservations
from ledger.rules.access import ENGINE
from ledger.rules.activity import State
from ledger.state.claims import drop_claim, drop_reservations, keep
from ledger.subjects.recording import about_activity
from ledger.subjects.runs import making as made
from ledger.subjects.runs import rules
from ledger.subjects.runs.queue_rules import Waiting, arrived, beginning, float_of, wants
from ledger.writing import Ledger

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
"""The end of the lease of a run that has no claim."""


def claim(
    ledger: Ledger,
    owner: str,
    activity: str,
    *,
    lease_s: float,
    host: str,
    boot_id: str,
    pid: int,
    pgid: int,
    hosts: Sequence[str] = (),
    playbook_digest: str | None = None,
    machine_now: datetime | None = None,
) -> Claim | None:
    """Claim an activity, in order to run it. Return None if it is not its turn: something that it wants is in use, or reserved.

    A step that changes or destroys something needs a release for exactly these hosts and this playbook.
    """
    with ledger.write() as writing:
        now = machine_now or writing.machine_time
        case = writing.case(activity, ENGINE)
        row = case.row
        if row.state is State.RUNNING or not _may_begin(case, owner, hosts, now):
            return None
        rules.claim(case)
        payload = made.claimed(
            case,
            owner=owner,
            host=host,
            hosts=hosts,
            release=_release(case, hosts, playbook_digest),
        )
        process = (host, boot_id, pid, pgid)
        run = (row.id, payload.attempt, payload.run, owner)
        taken = Claim(*run, now + timedelta(seconds=lease_s), *process, payload.hosts)
        case.record(payload)
        drop_reservations(writing.projection, row.id)
        keep(writing.projection, taken)
        return taken


def _may_begin(case: LookedUp, owner: str, hosts: Sequence[str], now: datetime) -> bool:
    """Return whether nothing that the run wants is in use, or reserved for what comes before it in the order.

    What was granted to the engine has had its turn. A lapsed claim keeps all until it is settled.
    """
    row, wanted = case.row, wants(hosts, case.row.plan.shares)
    if not wanted:
        return True
    engine = owner.rpartition(":")[0]
    kept, attempt = reservations(case.snapshot, now, engine), made.claimed_attempt(case)
    of_it = [one for one in kept if one.is_for(row.id, attempt, wanted)]
    granted = [one for one in of_it if one.granted and one.engine == engine]
    left = [one for one in kept if one not in granted]
    used = {thing for one in in_use(case.snapshot, left) for thing in one.wants}
    if granted:
        return used.isdisjoint(wanted)
    others = [place_of(one) for one in kept if not one.granted and one.activity != row.id]
    new = Waiting(float_of(row), now, row.id, wanted)
    place = place_of(of_it[0]) if of_it else arrived(new, others)
    return bool(beginning([place], others, used))


def _release(case: LookedUp, hosts: Sequence[str], playbook_digest: str | None) -> str | None:
    """Return the release that this run uses up. None in a rehearsal, which changes no hosts and needs no release."""
    if case.is_rehearsal:
        return None
    live = live_releases(case.snapshot, case.row.id, made.claimed_attempt(case))
    return rules.release_for(case.row, live, hosts, playbook_digest)


def renew(
    ledger: Ledger,
    owner: str,
    activity: str,
    lease_s: float,
    *,
    pgid: int | None = None,
    machine_now: datetime | None = None,
) -> Claim:
    """Prolong the lease of a claim, and store its process group once that is known. Raise NotSatisfiedError if the owner lost the claim."""
    with ledger.write() as writing:
        until = (machine_now or writing.machine_time) + timedelta(seconds=lease_s)
        held = {claim.activity: claim for claim in claims(writing.at())}
        old = held.get(activity)
        if old is None or old.owner != owner:
            raise made.lost_lease(activity, owner)
        group = old.pgid if pgid is None else pgid
        renewed = old._replace(lease_until=until, pgid=group)
        keep(writing.projection, renewed)
        return renewed


def lapsed_claims(ledger: Ledger, *, machine_now: datetime | None = None) -> list[Claim]:
    """Return the claims whose lease is over. A run without a claim is among them: a restored ledger may have such runs."""
    with ledger.write() as writing:
        now, asked = machine_now or writing.machine_time, writing.at()
        lapsed = [claim for claim in claims(asked) if claim.lease_until <= now]
        unclaimed = [
            Claim(
                run.activity,
                run.attempt,
                run.id,
                run.owner,
                LONG_AGO,
                run.host,
            )
            for run in unclaimed_runs(asked)
        ]
        return lapsed + unclaimed


def settle(
    ledger: Ledger,
    owner: str,
    activity: str,
    outcome: RunOutcome,
    *,
    attempt: int | None = None,
    needs_person: bool = False,
    revision: int | None = None,
) -> Event:
    """Record the outcome of a run. It decides the activity's next state. Raise NotSatisfiedError if the owner lost the claim.

    After an interrupted run the activity is open again, as its next attempt. With `needs_person` it is on hold instead: nobody
    could find out whether the old process is dead, so a person must look. A calculation that was made with an earlier plan
    `revision` than the one in force counts as interrupted. A calculation that links (FF, SF) do not permit to finish yet is
    refused.
    """
    results = tuple(kept_rows(ledger.site_dir, map(_item, outcome.results)))
    readings, batches = inline_or_kept(ledger.site_dir, [*map(ReadingPart.of, outcome.measurements)])
    with ledger.case(activity, ENGINE) as case:
        made.fenced(case, owner, attempt)
        if case.row.kept and outcome.status != "interrupted":
            before = _before(case, outcome)
            outcome = replace(
                outcome,
                results=(*before.results, *outcome.results),
                measurements=(*before.measurements, *outcome.measurements),
            )
            results = (*kept_rows(ledger.site_dir, map(_item, before.results)), *results)
            readings = (*map(ReadingPart.of, before.measurements), *readings)
        if revision is not None and (now := revision_in_force(case.snapshot)) != revision:
            outcome = RunOutcome("interrupted", summary=f"worked out under revision {revision}; {now} is in force")
            results = readings = batches = ()
        payload = made.run_settled(
            case,
            owner,
            outcome,
            needs_person=needs_person,
            results=results,
            readings=readings,
            reading_batches=batches,
            artifacts=[_left(ledger.site_dir, artifact) for artifact in outcome.artifacts],
        )
        event = case.record(payload)
        drop_claim(case.writing.projection, activity)
        return event


def _before(case: LookedUp, outcome: RunOutcome) -> rules.Before:
    """Return the results and readings of the last attempt for the hosts that this run did not touch again."""
    row = case.row
    earlier = reads(case.snapshot, row, row.attempt - 1)
    by_engine = [read for read in earlier if read.by_engine]
    return rules.done_before(row, {result.host for result in outcome.results}, by_engine)


def _item(r: ItemResult) -> dict[str, Any]:
    duration = f"{r.duration_s:.3f}"
    row = {"host": r.host, "status": r.status, "duration_s": duration, "failed_task": r.failed_task}
    return row | ({"message": r.message} if r.message else {})


def _left(site_dir: Path, artifact: Artifact) -> Left:
    size = len(load(site_dir, artifact.digest))
    return Left(
        digest=artifact.digest,
        evidence=artifact.kind,
        name=artifact.name or artifact.kind,
        size=size,
    )


def record_preview(
    ledger: Ledger,
    activity: str,
    *,
    hosts: Sequence[str],
    playbook_digest: str,
    differences: bytes,
    summary: str,
    changed: Sequence[str] = (),
) -> Event:
    """Record what check mode showed for these hosts and this playbook: before the release for who releases, afterwards as drift."""
    digest = store(ledger.site_dir, differences)
    with ledger.case(activity, ENGINE) as case:
        name = f"{case.row.plan.step}.diff"
        left = Left(digest=digest, evidence="differences", name=name, size=len(differences))
        return case.record(made.previewed(case, hosts, playbook_digest, summary, left, changed))


release = about_activity(made.released)
