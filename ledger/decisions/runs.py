"""Runs of software: a claim with a lease, its renewal, its settlement, and what check mode showed.

A claim is taken, renewed and settled by its owner only. Leases are machine time, never simulated. What an event says of when
is project time. A claim whose lease is over is settled as interrupted before the activity is claimed again, by whoever made
sure that the old process is dead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ledger.entries import Artifact, Claim, ItemResult, Measured, RunOutcome
from ledger.evidence.batches import INLINE_ROWS, kept_rows
from ledger.evidence.store import load, store
from ledger.log.chain import Event
from ledger.log.payloads.base import Batch, Left, ReadingPart
from ledger.log.payloads.runs import Previewed, RunClaimed, RunSettled
from ledger.questions.activities import shares_of
from ledger.questions.case import LookedUp
from ledger.questions.records import claims, live_releases, measurements, next_id, running, unclaimed_runs
from ledger.questions.site import revision as revision_in_force
from ledger.rules import runs as rules
from ledger.rules.access import ENGINE
from ledger.rules.activity import Action, State
from ledger.rules.approval import permitted, refuse_blocked, refuse_unfinishable, unless_open_a
from ledger.state.claims import drop_claim, keep_claim
from ledger.writing import Ledger
from steps.catalog.terms import Kind
from steps.errors import NotSatisfiedError
from steps.value import value_text

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


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
    at: datetime | None = None,
) -> Claim | None:
    """Take an activity to run it. Return None where somebody else has it, or one of its hosts, or a thing that it shares.

    A change or a destruction needs a release for exactly these hosts and this playbook.
    """
    with ledger.write() as writing:
        lease_until = (machine_now or writing.machine_time) + timedelta(seconds=lease_s)
        case = writing.case(activity, ENGINE, at)
        row = case.row
        if row.state is State.RUNNING or _is_taken(case, hosts):
            return None
        rules.claim(case)
        attempt = row.attempt + (row.state is not State.READY)
        payload = RunClaimed(
            run=next_id(case.snapshot, "run", "run"),
            owner=owner,
            attempt=attempt,
            host=host,
            hosts=tuple(hosts),
            release=_release(case, attempt, hosts, playbook_digest),
        )
        taken = Claim(
            row.id,
            attempt,
            payload.run,
            owner,
            lease_until,
            host,
            boot_id,
            pid,
            pgid,
            payload.hosts,
        )
        writing.record(case, payload)
        keep_claim(writing.projection, taken)
        return taken


def _is_taken(case: LookedUp, hosts: Sequence[str]) -> bool:
    """Return whether a host, or a shared thing, is another run's. A lapsed claim keeps what it has until it is settled."""
    if not hosts:
        return False
    shares = set(case.row.plan.shares)
    others = claims(case.snapshot)
    return any(set(hosts) & set(other.hosts) or shares & shares_of(case.snapshot, other.activity) for other in others)


def _release(
    case: LookedUp,
    attempt: int,
    hosts: Sequence[str],
    playbook_digest: str | None,
) -> str | None:
    """Return the release that this run uses up. A rehearsal touches no host and needs none."""
    if case.is_rehearsal:
        return None
    live = live_releases(case.snapshot, case.row.id, attempt)
    return rules.release_for(case.row, live, hosts, playbook_digest)


def renew(
    ledger: Ledger,
    owner: str,
    activity: str,
    lease_s: float,
    *,
    pid: int | None = None,
    pgid: int | None = None,
    machine_now: datetime | None = None,
) -> Claim:
    """Prolong a claim, and note its process once it is known. Raise where the claim is another's."""
    with ledger.write() as writing:
        until = (machine_now or writing.machine_time) + timedelta(seconds=lease_s)
        old = next((c for c in claims(writing.at()) if c.activity == activity and c.owner == owner), None)
        if old is None:
            raise _lost_lease(activity, owner)
        process, group = old.pid if pid is None else pid, old.pgid if pgid is None else pgid
        renewed = old._replace(lease_until=until, pid=process, pgid=group)
        keep_claim(writing.projection, renewed)
        return renewed


def lapsed_claims(ledger: Ledger, *, machine_now: datetime | None = None) -> list[Claim]:
    """Return claims whose lease is over, and runs that nobody has a claim to, as in a restored ledger."""
    with ledger.write() as writing:
        now, asked = machine_now or writing.machine_time, writing.at()
        lapsed = [claim for claim in claims(asked) if claim.lease_until <= now]
        orphans = unclaimed_runs(asked)
        return lapsed + [Claim(r.activity, r.attempt, r.id, r.owner, LONG_AGO, r.host) for r in orphans]


def _lost_lease(activity: str, owner: str) -> NotSatisfiedError:
    return NotSatisfiedError(
        f"lost lease: {owner} no longer holds {activity}",
        hint="another engine took it over; what this run did is not recorded",
    )


def settle(
    ledger: Ledger,
    owner: str,
    activity: str,
    outcome: RunOutcome,
    *,
    attempt: int | None = None,
    needs_person: bool = False,
    revision: int | None = None,
    at: datetime | None = None,
) -> Event:
    """Record a run's result, by its owner and for its attempt only. The result decides the state.

    An interrupted run leaves the activity open in the next attempt. It leaves it on hold where `needs_person`: where nobody
    can tell whether the old process is dead. A calculation under a plan `revision` that is no longer in force is interrupted.
    One whose end is held back by links (FF, SF) is refused.
    """
    results = tuple(kept_rows(ledger.site_dir, map(_item, outcome.results)))
    readings = tuple(map(_reading, outcome.measurements))
    batches: tuple[Batch, ...] = ()
    if len(readings) > INLINE_ROWS:
        batches = tuple(kept_rows(ledger.site_dir, (r.model_dump(mode="json") for r in readings)))
        readings = ()
    with ledger.write() as writing:
        case = writing.case(activity, ENGINE, at)
        run = _fenced(case, owner, attempt)
        if case.row.kept and outcome.status != "interrupted":
            before = _before(case, outcome)
            outcome = replace(
                outcome,
                results=(*before.results, *outcome.results),
                measurements=(*before.measurements, *outcome.measurements),
            )
            results = (*kept_rows(ledger.site_dir, map(_item, before.results)), *results)
            readings = (*map(_reading, before.measurements), *readings)
        if revision is not None and (now := revision_in_force(case.snapshot)) != revision:
            outcome = RunOutcome("interrupted", summary=f"worked out under revision {revision}; {now} is in force")
            results = readings = batches = ()
        result = _result(case, outcome, needs_person=needs_person)
        payload = _settlement(case, run, owner, outcome, result).model_copy(
            update={"results": results, "measurements": readings, "measurement_batches": batches}
        )
        event = writing.record(case, payload)
        drop_claim(writing.projection, activity)
        return event


def _result(case: LookedUp, outcome: RunOutcome, *, needs_person: bool) -> State:
    found = rules.result_of(case.row, outcome, is_rehearsal=case.is_rehearsal, needs_person=needs_person)
    result = unless_open_a(case, found)
    permitted(case, Action.SETTLE, result)
    if case.row.plan.kind is Kind.COMPUTE and result in {State.DONE, State.AWAITING_SIGN_OFF}:
        refuse_unfinishable(case)
    return result


def _settlement(
    case: LookedUp,
    run: str,
    owner: str,
    outcome: RunOutcome,
    result: State,
) -> RunSettled:
    """Return what the event says, without the rows of results and readings."""
    site_dir, row = case.snapshot.site_dir, case.row
    return RunSettled(
        run=run,
        owner=owner,
        attempt=row.attempt,
        status=outcome.status,
        result=result.value,
        summary=outcome.summary,
        results=(),
        tally=dict(sorted(Counter(r.status for r in outcome.results).items())),
        measurements=(),
        measurement_batches=(),
        artifacts=tuple(_left(site_dir, artifact) for artifact in outcome.artifacts),
        playbook_digest=outcome.playbook_digest,
        simulated=outcome.simulated or outcome.status == "rehearsed",
        ncr=next_id(case.snapshot, "ncr", "NCR") if result is State.FAILED else None,
        ncr_class=row.plan.ncr_class,
    )


def _fenced(case: LookedUp, owner: str, attempt: int | None) -> str:
    """Return the run that an owner is to settle. Raise where it is no longer theirs."""
    row = case.row
    run = running(case.snapshot, row.id, row.attempt, owner)
    if run is None or attempt not in {None, row.attempt}:
        raise _lost_lease(row.id, owner)
    return run


def _before(case: LookedUp, outcome: RunOutcome) -> rules.Before:
    """Return what the attempt before showed of the hosts that this run did not touch again."""
    by_engine = [
        Measured(m.metric, m.value, m.unit, m.item, m.source, m.note)
        for m in measurements(case.snapshot, case.row.id)
        if m.attempt == case.row.attempt - 1 and m.by == ENGINE
    ]
    return rules.done_before(case.row, {result.host for result in outcome.results}, by_engine)


def _reading(m: Measured) -> ReadingPart:
    return ReadingPart(
        metric=m.metric, value=value_text(m.value), unit=m.unit, item=m.item, source=m.source, note=m.note
    )


def _item(r: ItemResult) -> dict[str, Any]:
    duration = f"{r.duration_s:.3f}"
    return {"host": r.host, "status": r.status, "duration_s": duration, "failed_task": r.failed_task}


def _left(site_dir: Path, artifact: Artifact | str) -> Left:
    a = Artifact(artifact) if isinstance(artifact, str) else artifact
    size = len(load(site_dir, a.digest))
    return Left(
        digest=a.digest,
        evidence=a.kind,
        name=a.name or a.kind,
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
    at: datetime | None = None,
) -> Event:
    """Keep what check mode showed for these hosts and this playbook, for those who release it."""
    digest = store(ledger.site_dir, differences)
    with ledger.write() as writing:
        case = writing.case(activity, ENGINE, at)
        refuse_blocked(case)
        permitted(case, Action.RELEASE)
        name = f"{case.row.plan.step}.diff"
        payload = Previewed(
            attempt=case.row.attempt,
            hosts=tuple(sorted(set(hosts))),
            playbook_digest=playbook_digest,
            summary=summary,
            differences=Left(digest=digest, evidence="differences", name=name, size=len(differences)),
        )
        return writing.record(case, payload)
