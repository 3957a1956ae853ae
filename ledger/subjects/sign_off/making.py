"""Payloads of sign-offs: rejections, waivers, overrides, and the witnesses of an activity."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from ledger.happened import require_zone
from ledger.questions.case import LookedUp, actor
from ledger.questions.records import waivers
from ledger.rules import approval as rules
from ledger.rules.activity import State
from ledger.rules.text import require_reason
from ledger.subjects.again import Tables, about_activity
from ledger.subjects.sign_off import witness_rules as witnesses
from ledger.subjects.sign_off.payloads import Overridden, Rejected, Waived, WaiverMoved, WitnessInvited, WitnessNoted
from schedule.errors import InputError


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


AGAIN: Tables = {
    Rejected: about_activity(rejected),
    Waived: about_activity(waived),
    WaiverMoved: about_activity(waiver_moved),
    Overridden: about_activity(overridden),
    WitnessInvited: about_activity(witnesses_invited),
    WitnessNoted: about_activity(witness_noted),
}
