"""Payloads of sign-offs: approvals, rejections, waivers, overrides, releases, and the witnesses of an activity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from ledger.happened import require_zone
from ledger.log.payloads.runs import Released
from ledger.log.payloads.sign_off import (
    Overridden,
    Rejected,
    Signed,
    Waived,
    WaiverMoved,
    Witnessed,
    WitnessInvited,
    WitnessNoted,
)
from ledger.making.again import Tables, about_activity, about_case
from ledger.questions.case import LookedUp, actor
from ledger.questions.records import waivers
from ledger.rules import approval as rules
from ledger.rules import runs, witnesses
from ledger.rules.activity import State
from ledger.rules.reasons import require_reason
from schedule.errors import InputError


def signed(
    case: LookedUp,
    *,
    role: str | None = None,
    meaning: str = "approval",
    comment: str = "",
) -> Signed:
    """Return an approval: of finished work, of a gate, or again of what is stale. It is done when the quorum is reached.

    It has the policy that it was made under, and the state to which it leads.
    """
    approval, policy = rules.sign(case, role), case.row.plan.policy
    came = case.witnessed.items()
    return Signed(
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


def rejected(case: LookedUp, reason: str) -> Rejected:
    """Return a rejection, with the non-conformance that it opens. The work is done again as the next attempt."""
    require_reason(reason, "a rejection")
    role, result = rules.reject(case)
    return Rejected(
        role=role,
        reason=reason,
        ncr=case.next_id("ncr"),
        ncr_class=case.row.plan.ncr_class,
        result=result.value,
    )


def waived(case: LookedUp, metric: str, reason: str, due: date) -> Waived:
    """Return a waiver of a criterion, with the state to which it leads. It is a punch item, to be made good by `due`."""
    require_reason(reason, "a waiver")
    rules.refuse_past_day(case, due)
    role, result = rules.waive(case, metric)
    return Waived(
        waiver=case.next_id("waiver"),
        metric=metric,
        reason=reason,
        due=due,
        role=role,
        result=result.value,
    )


def waiver_moved(case: LookedUp, waiver: str, due: date, reason: str) -> WaiverMoved:
    """Return another day for a waiver, with the day that it replaces. Who may waive the criterion may set it."""
    require_reason(reason, "another day")
    there = {row.id: row for row in waivers(case.snapshot, case.row.id)}
    found = there.get(waiver)
    if found is None:
        raise InputError(f"{case.row.id} has no waiver {waiver!r}", hint="`clusterwright punch` lists them")
    role = rules.move_waiver(case, waiver, found.due, due)
    return WaiverMoved(waiver=waiver, due=due, due_before=found.due, reason=reason, role=role)


def overridden(case: LookedUp, reason: str) -> Overridden:
    """Return an override of a sign-off policy, in an emergency, with what the policy lacked. That stays visible.

    This does not pass criteria. Each one that failed or was not measured needs a waiver first.
    """
    require_reason(reason, "breaking the glass")
    passed = rules.break_glass(case)
    return Overridden(
        role=passed.role,
        reason=reason,
        lacking=passed.lacking,
        result=State.DONE.value,
    )


def released(
    case: LookedUp,
    *,
    hosts: Sequence[str],
    count: int,
    playbook_digest: str,
) -> Released:
    """Return the release of one run of this attempt, to change exactly these hosts with exactly this playbook.

    `count` repeats the number of hosts. Raise InputError if it differs from `hosts`: a list may be longer than it looks.
    """
    if len(set(hosts)) != count:
        raise InputError(f"{len(set(hosts))} hosts are named, but the count says {count}")
    role, row = runs.release(case), case.row
    return Released(
        release=case.next_id("release"),
        attempt=row.attempt,
        hosts=tuple(sorted(set(hosts))),
        count=count,
        playbook_digest=playbook_digest,
        role=role,
        differences=runs.differences_seen(row, case.preview, hosts, playbook_digest),
    )


def witnesses_invited(case: LookedUp, on: datetime, *, agreed: bool = False) -> WitnessInvited:
    """Return an invitation of witnesses to the time `on`. Raise if their notice is too short and they did not agree."""
    require_zone(on)
    witness = witnesses.invite(case, on, agreed=agreed)
    return WitnessInvited(
        roles=witness.roles,
        on=on,
        notice_h=Decimal(str(witness.notice_h)),
        earliest=case.earliest_witnessed,
        agreed=agreed and on < case.earliest_witnessed,
    )


def witness_noted(
    case: LookedUp,
    role: str,
    *,
    person: str | None,
    note: str = "",
) -> WitnessNoted:
    """Return who came as a witness in a role. None means that nobody came.

    Before the time of the invitation, only a person with this role may record that nobody will come.
    """
    witnesses.attend(case, role, None if person is None else actor(case.snapshot, person))
    return WitnessNoted(role=role, person=person, note=note)


def _signed_again(case: LookedUp, p: Signed) -> Signed:
    """Return an approval again. It counts as signed if it has a statement, whatever it says itself."""
    made = signed(case, role=p.role, meaning=p.meaning, comment=p.comment)
    return made if p.statement is None else made.model_copy(update={"assurance": "signed"})


AGAIN: Tables = {
    Signed: about_case(_signed_again),
    Rejected: about_activity(rejected),
    Waived: about_activity(waived),
    WaiverMoved: about_activity(waiver_moved),
    Overridden: about_activity(overridden),
    Released: about_activity(released),
    WitnessInvited: about_activity(witnesses_invited),
    WitnessNoted: about_activity(witness_noted),
}
"""How each kind of event about sign-offs is made again."""
