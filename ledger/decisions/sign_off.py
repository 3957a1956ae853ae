"""Sign-offs: approvals and rejections, waivers, broken glass, releases, and the witnesses of an activity.

Witnesses are told beforehand when an activity takes place. It waits for the notice, and not for the witnesses: once the time
that they were told has come, it may go on without them. The sign-off then says who was there and who was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from ledger.log.chain import Event
from ledger.log.payloads.runs import Released
from ledger.log.payloads.sign_off import (
    Overridden,
    Rejected,
    Signed,
    Waived,
    Witnessed,
    WitnessInvited,
    WitnessNoted,
)
from ledger.questions.case import actor as actor_at
from ledger.questions.records import next_id
from ledger.rules import approval as rules
from ledger.rules import runs, witnesses
from ledger.rules.activity import State
from ledger.trust.proving import DECISIONS, Proof
from ledger.trust.statements import read_statement, statement_in
from ledger.writing import Ledger
from steps.errors import InputError, UnreachableError


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
    """Approve finished work, pass a gate, or confirm what became stale. It is done once the quorum is there."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        approval, policy = rules.sign(case, role), case.row.plan.policy
        payload = Signed(
            role=approval.role,
            meaning=meaning,
            comment=comment,
            assurance="recorded",
            policy_roles=policy.roles,
            quorum=policy.quorum,
            evidence=tuple(dict.fromkeys(digest for _, digest in case.evidence)),
            begins=approval.begins,
            result=approval.result,
            delegation=case.actor.roles.get(approval.role),
            witnesses=tuple(Witnessed(role=role, person=came) for role, came in case.witnessed.items()),
        )
        return writing.record(case, payload)


def sign_elsewhere(ledger: Ledger, path: Path) -> Event:
    """Record an approval that was signed elsewhere: the exported file, and FILE.sig beside it."""
    try:
        exported = path.read_text(encoding="utf-8")
        signature = path.with_name(path.name + ".sig").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreachableError(
            f"{path} or its signature cannot be read: {error}", hint=f"{path.name}.sig is beside it"
        ) from None
    text = statement_in(exported)
    statement = read_statement(text)
    said = statement["predicate"]
    if said["decision"] != DECISIONS[Signed.kind]:
        raise InputError(f"{path} is no approval, but {said['decision']!r}", hint="only approvals are signed elsewhere")
    activity, role = statement["subject"][0]["name"], said["role"]
    return ledger.proved(
        Proof(text, signature),
        lambda: sign(ledger, said["person"], activity, role=role, meaning=said["meaning"], comment=said["comment"]),
    )


def reject(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Refuse finished work: a non-conformance opens, and the work goes back as the next attempt."""
    if not reason.strip():
        raise InputError("a rejection needs a reason", hint="give --reason")
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        role, result = rules.reject(case)
        ncr, ncr_class = next_id(case.snapshot, "ncr", "NCR"), case.row.plan.ncr_class
        return writing.record(
            case, Rejected(role=role, reason=reason, ncr=ncr, ncr_class=ncr_class, result=result.value)
        )


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
        case = writing.case(activity, actor, at)
        role, result = rules.waive(case, metric)
        waiver = next_id(case.snapshot, "waiver", "W")
        payload = Waived(
            waiver=waiver,
            metric=metric,
            reason=reason,
            due=due,
            role=role,
            result=result.value,
        )
        return writing.record(case, payload)


def break_glass(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Pass finished work against its policy, in an emergency. What was lacking is recorded and shown for ever.

    Criteria are not passed by it: what failed or was not measured is waived, each by name.
    """
    if not reason.strip():
        raise InputError("breaking the glass needs a reason", hint="give --reason")
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        passed = rules.break_glass(case)
        payload = Overridden(
            role=passed.role,
            reason=reason,
            lacking=passed.lacking,
            result=State.DONE.value,
        )
        return writing.record(case, payload)


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
        case = writing.case(activity, actor, at)
        role, row = runs.release(case), case.row
        payload = Released(
            release=next_id(case.snapshot, "release", "R"),
            attempt=row.attempt,
            hosts=tuple(sorted(set(hosts))),
            count=count,
            playbook_digest=playbook_digest,
            role=role,
            differences=runs.differences_seen(row, case.preview, hosts, playbook_digest),
        )
        return writing.record(case, payload)


def invite(
    ledger: Ledger, actor: str, activity: str, on: datetime, *, agreed: bool = False, at: datetime | None = None
) -> Event:
    """Tell the witnesses when an activity takes place. Raise for too short a notice, unless they agreed to it."""
    if on.tzinfo is None:
        raise InputError(f"the time {on.isoformat()} has no time zone", hint="give UTC")
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        witness = witnesses.invite(case, on, agreed=agreed)
        payload = WitnessInvited(
            roles=witness.roles,
            on=on,
            notice_h=Decimal(str(witness.notice_h)),
            earliest=case.earliest_witnessed,
            agreed=agreed and on < case.earliest_witnessed,
        )
        return writing.record(case, payload)


def attend(
    ledger: Ledger,
    actor: str,
    activity: str,
    role: str,
    *,
    person: str | None,
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record who came in a role, or that nobody did. Before its time only a holder of the role says that none will come."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        witnesses.attend(case, role, None if person is None else actor_at(case.snapshot, person))
        return writing.record(case, WitnessNoted(role=role, person=person, note=note))
