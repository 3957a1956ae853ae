"""Sign-offs: approvals and rejections, waivers, emergency overrides, releases, and the witnesses of an activity.

Witnesses are invited to an activity for a certain time. The activity waits until that time, but not for the witnesses: from
then on it may go on without them. The sign-off records who came and who did not.
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
from ledger.rules.reasons import require_reason
from ledger.trust.proving import DECISIONS, Proof
from ledger.trust.statements import read_statement, statement_in
from ledger.writing import Ledger, require_zone
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
    """Approve finished work, pass a gate, or approve again what is stale. The activity is done when the quorum is reached."""
    with ledger.case(activity, actor, at) as case:
        approval, policy = rules.sign(case, role), case.row.plan.policy
        came = case.witnessed.items()
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
            witnesses=tuple(Witnessed(role=of, person=person) for of, person in came),
        )
        return case.record(payload)


def sign_elsewhere(ledger: Ledger, path: Path) -> Event:
    """Record an approval that was exported to FILE and signed elsewhere. Its signature is in FILE.sig beside it."""
    try:
        exported = path.read_text(encoding="utf-8")
        signature = path.with_name(path.name + ".sig").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreachableError(
            f"{path} or its signature cannot be read: {error}",
            hint=f"put the signature {path.name}.sig beside it",
        ) from None
    text = statement_in(exported)
    statement = read_statement(text)
    said = statement["predicate"]
    if said["decision"] != DECISIONS[Signed.kind]:
        raise InputError(f"{path} is no approval, but {said['decision']!r}", hint="only approvals are signed elsewhere")
    activity = statement["subject"][0]["name"]
    signed = {name: said[name] for name in ("role", "meaning", "comment")}
    return ledger.proved(
        Proof(text, signature),
        lambda: sign(ledger, said["person"], activity, **signed),
    )


def reject(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Reject finished work. This opens a non-conformance, and the work is done again as the next attempt."""
    require_reason(reason, "a rejection")
    with ledger.case(activity, actor, at) as case:
        role, result = rules.reject(case)
        payload = Rejected(
            role=role,
            reason=reason,
            ncr=next_id(case.snapshot, "ncr", "NCR"),
            ncr_class=case.row.plan.ncr_class,
            result=result.value,
        )
        return case.record(payload)


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
    """Decide to proceed although a criterion is not met. The waiver is a punch item, to be made good by `due`."""
    require_reason(reason, "a waiver")
    with ledger.case(activity, actor, at) as case:
        role, result = rules.waive(case, metric)
        payload = Waived(
            waiver=next_id(case.snapshot, "waiver", "W"),
            metric=metric,
            reason=reason,
            due=due,
            role=role,
            result=result.value,
        )
        return case.record(payload)


def break_glass(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Pass finished work against its sign-off policy, in an emergency. What the policy lacked is recorded and stays visible.

    This does not pass criteria. Each one that failed or was not measured needs a waiver first.
    """
    require_reason(reason, "breaking the glass")
    with ledger.case(activity, actor, at) as case:
        passed = rules.break_glass(case)
        payload = Overridden(
            role=passed.role,
            reason=reason,
            lacking=passed.lacking,
            result=State.DONE.value,
        )
        return case.record(payload)


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
    """Permit one run of this attempt to change exactly these hosts with exactly this playbook.

    `count` repeats the number of hosts. Raise InputError if it differs from `hosts`: a list may be longer than it looks.
    """
    if len(set(hosts)) != count:
        raise InputError(f"{len(set(hosts))} hosts are named, but the count says {count}")
    with ledger.case(activity, actor, at) as case:
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
        return case.record(payload)


def invite(
    ledger: Ledger,
    actor: str,
    activity: str,
    on: datetime,
    *,
    agreed: bool = False,
    at: datetime | None = None,
) -> Event:
    """Invite the witnesses to an activity at the time `on`. Raise if their notice is too short and they did not agree."""
    require_zone(on)
    with ledger.case(activity, actor, at) as case:
        witness = witnesses.invite(case, on, agreed=agreed)
        payload = WitnessInvited(
            roles=witness.roles,
            on=on,
            notice_h=Decimal(str(witness.notice_h)),
            earliest=case.earliest_witnessed,
            agreed=agreed and on < case.earliest_witnessed,
        )
        return case.record(payload)


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
    """Record who came as a witness in a role. None means that nobody came.

    Before the time of the invitation, only a person with this role may record that nobody will come.
    """
    with ledger.case(activity, actor, at) as case:
        witnesses.attend(case, role, None if person is None else actor_at(case.snapshot, person))
        return case.record(WitnessNoted(role=role, person=person, note=note))
