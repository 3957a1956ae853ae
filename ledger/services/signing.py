"""Approvals, refusals, waivers and releases: who may, after what, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.lapsing import RENEWABLE, is_renewable
from ledger.payloads import Rejected, Released, Signed, Waived
from ledger.services.blocked import refuse_blocked, refuse_unfinishable
from ledger.services.conforming import close_ncr, refuse_open_a, unless_open_a
from ledger.services.permitting import may
from ledger.services.policy import (
    after_work,
    approvals,
    judgements,
    missing_evidence,
    refuse_unmet,
)
from ledger.services.previewing import differences_seen
from ledger.services.witnessing import refuse_unwitnessed
from ledger.tables import Activity, EvidenceItem, Ncr, Release, Run, Waiver
from ledger.transitions import Action, State
from ledger.witnesses import witnesses_of
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError

__all__ = ["close_ncr", "reject", "release", "sign", "waive"]


def sign(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    role: str | None = None,
    meaning: str = "approval",
    comment: str = "",
    at: datetime | None = None,
) -> Event:
    """Approve finished work, pass a gate, or confirm what became stale; done once the quorum is there."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        chosen = may(writing, actor, "sign", row=row, role=role)
        begins = _passes_gate(writing, row, at)
        _refuse_needless(row, writing.when(at))
        _refuse_second(writing, row, actor)
        lacking = missing_evidence(writing, row)
        if lacking:
            raise NotSatisfiedError(
                f"{row.id} cannot be signed: evidence is missing: {', '.join(lacking)}",
                hint=f"clusterwright attach {row.id} --file FILE --kind {lacking[0]}",
            )
        if not row.attested and row.state != State.DONE:
            refuse_unmet(row, judgements(writing, row), "be signed")
        there = approvals(writing, row)
        refuse_open_a(writing, row)
        reached = len(there) + 1 >= row.quorum
        result = State.DONE if reached or row.state == State.DONE else State.AWAITING_SIGN_OFF
        writing.permitted(row, Action.SIGN, at, result)
        payload = _statement(writing, row, actor, chosen, meaning, comment, begins, result)
        if row.state == State.DONE and not reached:
            payload = payload.model_copy(update={"result": "stale"})
        return writing.append(actor, payload, subject=row.id, at=at)


def _refuse_needless(row: Activity, now: datetime) -> None:
    """Refuse to sign what is done, unless it is stale or its approval ends."""
    if row.state != State.DONE or row.stale_since is not None or is_renewable(row, now):
        return
    holds = "" if row.valid_until is None else f"; it holds until {row.valid_until:%Y-%m-%d}"
    again = "" if row.valid_until is None else f"it can be signed again from {row.valid_until - RENEWABLE:%Y-%m-%d}"
    raise NotSatisfiedError(f"{row.id} is done; nothing waits for a signature{holds}", hint=again)


def _passes_gate(writing: Writing, row: Activity, at: datetime | None) -> bool:
    """Say whether a gate is passed. It has no work of its own: signing it when it is ready begins and finishes it."""
    if row.state != State.OPEN:
        return False
    refuse_blocked(writing, row, at)
    if row.kind != "gate":
        raise NotSatisfiedError(
            f"{row.id} has not begun; there is nothing to approve yet",
            hint=f"clusterwright start {row.id}",
        )
    refuse_unfinishable(writing, row, writing.when(at))
    refuse_unwitnessed(writing, row, at)
    return True


def _refuse_second(writing: Writing, row: Activity, actor: str) -> None:
    """Refuse a person's second approval."""
    if any(there.person == actor for there in approvals(writing, row)):
        raise NotSatisfiedError(f"{actor} has signed {row.id} already; it needs {row.quorum} different people")


def _statement(
    writing: Writing,
    row: Activity,
    actor: str,
    role: str,
    meaning: str,
    comment: str,
    begins: bool,
    result: State,
) -> Signed:
    digests = writing.session.scalars(
        select(col(EvidenceItem.digest))
        .where(col(EvidenceItem.activity) == row.id, col(EvidenceItem.attempt) == row.attempt)
        .order_by(col(EvidenceItem.seq), col(EvidenceItem.ordinal))
    ).all()
    return Signed(
        role=role,
        meaning=meaning,
        comment=comment,
        assurance="recorded",
        policy_roles=tuple(row.roles),
        quorum=row.quorum,
        evidence=tuple(dict.fromkeys(digests)),
        begins=begins,
        result=result.value,
        delegation=writing.delegation(actor, role),
        witnesses=witnesses_of(writing.session, row),
    )


def reject(ledger: Ledger, actor: str, activity: str, reason: str, *, at: datetime | None = None) -> Event:
    """Refuse finished work: a non-conformance opens, and the work goes back as the next attempt."""
    if not reason.strip():
        raise InputError("a rejection needs a reason", hint="give --reason")
    with ledger.write() as writing:
        row = writing.activity(activity)
        role = may(writing, actor, "reject", row=row)
        result = _back_to(writing, row)
        writing.permitted(row, Action.REJECT, at, result)
        payload = Rejected(
            role=role,
            reason=reason,
            ncr=writing.next_id(Ncr, "NCR"),
            ncr_class=row.ncr_class,
            result=result.value,
        )
        return writing.append(actor, payload, subject=row.id, at=at)


def _back_to(writing: Writing, row: Activity) -> State:
    """People's work goes back to the people; what a run or an attestation did may run again."""
    ran = select(col(Run.id)).where(col(Run.activity) == row.id, col(Run.attempt) == row.attempt).limit(1)
    by_people = bool(row.performers) and not row.attested and not writing.session.execute(ran).first()
    return State.IN_PROGRESS if by_people else State.OPEN


def waive(
    ledger: Ledger,
    actor: str,
    activity: str,
    metric: str,
    reason: str,
    due: date,
    *,
    at: datetime | None = None,
) -> Event:
    """Decide to proceed with a criterion unmet: a punch item, to be made good by `due`."""
    if not reason.strip():
        raise InputError("a waiver needs a reason", hint="give --reason")
    with ledger.write() as writing:
        row = writing.activity(activity)
        role = may(writing, actor, "waive", row=row)
        writing.permitted(row, Action.WAIVE, at)
        result = _after_waiver(writing, row, metric)
        payload = Waived(
            waiver=writing.next_id(Waiver, "W"),
            metric=metric,
            reason=reason,
            due=due,
            role=role,
            result=result.value,
        )
        return writing.append(actor, payload, subject=row.id, at=at)


def _after_waiver(writing: Writing, row: Activity, metric: str) -> State:
    """Give the state once this criterion is waived; a checked step goes on when none is left."""
    found = judgements(writing, row)
    mine = [j for j in found if j.criterion.metric == metric]
    if not mine:
        names = ", ".join(j.criterion.metric for j in found) or "none"
        raise InputError(f"{row.id} has no criterion {metric!r}", hint=f"criteria: {names}")
    if not any(j.is_open for j in mine):
        raise NotSatisfiedError(f"{metric} of {row.id} is {mine[0].judged.verdict}; nothing to waive")
    left = [j for j in found if j.is_open and j.criterion.metric != metric]
    if row.state in {State.FAILED, State.CHECKED_NOT_MET} and not left:
        return unless_open_a(writing, row, after_work(row, by_hand=False))
    return State(row.state)


def release(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    hosts: Sequence[str],
    count: int,
    playbook_digest: str,
    at: datetime | None = None,
) -> Event:
    """Let software change these hosts, this many, with this playbook, once, in this attempt."""
    if len(set(hosts)) != count:
        raise InputError(f"{len(set(hosts))} hosts are named, but the count says {count}")
    with ledger.write() as writing:
        row = writing.activity(activity)
        role = may(writing, actor, "release", row=row)
        if row.effect not in {"change", "destructive"}:
            raise NotSatisfiedError(f"{row.id} changes nothing; it needs no release")
        refuse_blocked(writing, row, at)
        writing.permitted(row, Action.RELEASE, at)
        payload = Released(
            release=writing.next_id(Release, "R"),
            attempt=row.attempt,
            hosts=tuple(sorted(set(hosts))),
            count=count,
            playbook_digest=playbook_digest,
            role=role,
            differences=differences_seen(writing, row, hosts, playbook_digest),
        )
        return writing.append(actor, payload, subject=row.id, at=at)
