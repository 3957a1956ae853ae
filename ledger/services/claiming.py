"""Who runs what: claims with leases in machine time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.payloads import RunClaimed
from ledger.services.blocked import refuse_blocked
from ledger.services.witnessing import refuse_unwitnessed
from ledger.tables import Activity, ClaimRow, Release, Run
from ledger.transitions import Action, State
from ledger.values import Claim
from ledger.writing import ENGINE, Writing
from steps.errors import NotSatisfiedError

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
    """Take an activity to run it; None where someone else has it, or one of its hosts, or a thing that it shares.

    A change or a destruction needs a live release for exactly these hosts and this playbook.
    """
    with ledger.write() as writing:
        lease_until = (machine_now or writing.machine()) + timedelta(seconds=lease_s)
        row = writing.activity(activity)
        if row.state == State.RUNNING or _is_taken(writing, row, hosts):
            return None
        refuse_blocked(writing, row, at)
        refuse_unwitnessed(writing, row, at)
        writing.permitted(row, Action.CLAIM, at, State.RUNNING)
        attempt = row.attempt + (row.state != State.OPEN)
        payload = RunClaimed(
            run=writing.next_id(Run, "run"),
            owner=owner,
            attempt=attempt,
            host=host,
            hosts=tuple(hosts),
            release=_leave(writing, row, attempt, hosts, playbook_digest),
        )
        held = Claim(row.id, attempt, payload.run, owner, lease_until, host, boot_id, pid, pgid, payload.hosts)
        writing.append(ENGINE, payload, subject=row.id, at=at)
        writing.session.merge(ClaimRow(**asdict(held)))
        return held


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
    """Prolong a claim, and note its process once known; refused where the claim is another's."""
    with ledger.write() as writing:
        now = machine_now or writing.machine()
        held = writing.session.get(ClaimRow, activity)
        if held is None or held.owner != owner:
            raise lost_lease(activity, owner)
        held.lease_until = now + timedelta(seconds=lease_s)
        held.pid = held.pid if pid is None else pid
        held.pgid = held.pgid if pgid is None else pgid
        return _claim(held)


def lapsed_claims(ledger: Ledger, *, machine_now: datetime | None = None) -> list[Claim]:
    """Give claims whose lease is over, and runs that nobody has a claim to (a restored ledger)."""
    with ledger.write() as writing:
        now = machine_now or writing.machine()
        held = writing.session.scalars(select(ClaimRow).order_by(col(ClaimRow.activity))).all()
        claimed = {row.run for row in held}
        lapsed = [_claim(row) for row in held if row.lease_until <= now]
        running = select(Run).where(col(Run.status) == "running").order_by(col(Run.id))
        orphans = [run for run in writing.session.scalars(running).all() if run.id not in claimed]
        return lapsed + [Claim(r.activity, r.attempt, r.id, r.owner, LONG_AGO, r.host) for r in orphans]


def lost_lease(activity: str, owner: str) -> NotSatisfiedError:
    """Give the refusal for someone who no longer holds a claim."""
    return NotSatisfiedError(
        f"lost lease: {owner} no longer holds {activity}",
        hint="another engine took it over; what this run did is not recorded",
    )


def _is_taken(writing: Writing, row: Activity, hosts: Sequence[str]) -> bool:
    """No two runs touch one host or one shared thing; a lapsed claim holds what it has until it is settled."""
    if not hosts:
        return False
    held = writing.session.execute(
        select(ClaimRow, Activity).join(Activity, col(Activity.id) == col(ClaimRow.activity))
    )
    return any(set(hosts) & set(run.hosts) or set(row.shares) & set(theirs.shares) for run, theirs in held)


def _leave(
    writing: Writing,
    row: Activity,
    attempt: int,
    hosts: Sequence[str],
    playbook_digest: str | None,
) -> str | None:
    """Give the release this run uses up; a rehearsal touches no host and needs none."""
    if row.effect not in {"change", "destructive"} or writing.site().rehearsal:
        return None
    live = writing.session.scalars(
        select(Release)
        .where(
            col(Release.activity) == row.id,
            col(Release.attempt) == attempt,
            col(Release.consumed_by).is_(None),
        )
        .order_by(col(Release.at).desc(), col(Release.id).desc())
    ).all()
    for release in live:
        same_playbook = playbook_digest in {None, release.playbook_digest}
        if same_playbook and (not hosts or set(hosts) == set(release.hosts)):
            return release.id
    why = "the released hosts or playbook differ" if live else "nobody released it"
    raise NotSatisfiedError(
        f"{row.id} ({row.effect}) waits for a release: {why}",
        hint=f"clusterwright release {row.id}",
    )


def _claim(row: ClaimRow) -> Claim:
    return Claim(
        activity=row.activity,
        attempt=row.attempt,
        run=row.run,
        owner=row.owner,
        lease_until=row.lease_until,
        host=row.host,
        boot_id=row.boot_id,
        pid=row.pid,
        pgid=row.pgid,
        hosts=tuple(row.hosts),
    )
