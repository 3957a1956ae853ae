"""Witness points: who is told beforehand that an activity takes place, and who came to see it.

It waits for the notice, and not for the witness: once the time that they were told has come, it may go on without them, and
the sign-off says who was there and who was not. All of them there, or excused, it may begin at once.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from ledger.authority import roles_at
from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import WitnessInvited, WitnessNoted
from ledger.refresh import SiteCalendar, in_force
from ledger.services.permitting import may
from ledger.tables import Activity
from ledger.transitions import Action
from ledger.witnesses import attendance, invitation
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError


def invite(
    ledger: Ledger, actor: str, activity: str, on: datetime, *, agreed: bool = False, at: datetime | None = None
) -> Event:
    """Tell the witnesses when it takes place; too soon is refused, unless they agreed to a shorter notice."""
    if on.tzinfo is None:
        raise InputError(f"the time {on.isoformat()} has no time zone", hint="give UTC")
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "invite", row=row)
        _refuse_unasked(row)
        writing.permitted(row, Action.INVITE, at)
        now = writing.when(at)
        earliest = _earliest(writing, row, now)
        if on < now:
            raise InputError(f"{on:%Y-%m-%d %H:%M}Z is over; nobody can be invited to it")
        if on < earliest and not agreed:
            raise NotSatisfiedError(
                f"{row.id} gives its witnesses {row.notice_h:g} working hours' notice; {on:%Y-%m-%d %H:%M}Z is too soon",
                hint=f"{earliest:%Y-%m-%d %H:%M}Z or later, or --agreed where they agreed to it",
            )
        payload = WitnessInvited(
            roles=tuple(row.witnesses),
            on=on,
            notice_h=Decimal(str(row.notice_h)),
            earliest=earliest,
            agreed=agreed and on < earliest,
        )
        return writing.append(actor, payload, subject=row.id, at=at)


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
    """Record who came in a role, or that nobody did; before its time only the witness excuses themselves."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "attend", row=row)
        _refuse_unasked(row)
        if role not in row.witnesses:
            raise InputError(f"{row.id} invites no {role}", hint="it invites: " + ", ".join(row.witnesses))
        writing.permitted(row, Action.WITNESS, at)
        now = writing.when(at)
        held = invitation(writing.session, row)
        if held is None:
            raise _uninvited(writing, row, now)
        if person is not None:
            _refuse_other(writing, row, person, role, now)
        elif now < held.on and role not in roles_at(writing.session, actor, now):
            raise NotSatisfiedError(
                f"{row.id} takes place on {held.on:%Y-%m-%d %H:%M}Z; until then only a {role} says that none will come",
                hint=f"clusterwright witness {row.id} --absent {role}, after that time",
            )
        return writing.append(actor, WitnessNoted(role=role, person=person, note=note), subject=row.id, at=at)


def refuse_unwitnessed(writing: Writing, row: Activity, at: datetime | None) -> None:
    """Refuse to begin or finish before the witnesses were told, and before what they were told has come."""
    if not row.witnesses:
        return
    now, held = writing.when(at), invitation(writing.session, row)
    if held is None:
        raise _uninvited(writing, row, now)
    waited = [role for role in row.witnesses if role not in attendance(writing.session, row)]
    if now < held.on and waited:
        raise NotSatisfiedError(
            f"{row.id} takes place before witnesses on {held.on:%Y-%m-%d %H:%M}Z; not yet here: {', '.join(waited)}",
            hint=f"wait until then, or record who is here: clusterwright witness {row.id} --attended {waited[0]}",
        )


def _refuse_unasked(row: Activity) -> None:
    if not row.witnesses:
        raise NotSatisfiedError(f"{row.id} invites no witnesses", hint="`witness` in the step's sign-off policy")


def _refuse_other(writing: Writing, row: Activity, person: str, role: str, now: datetime) -> None:
    """Refuse a witness who does not hold the role, or did the work."""
    if role not in roles_at(writing.session, writing.person(person).id, now):
        raise NotSatisfiedError(f"{person} is no {role}", hint="another witness, or lend them the role")
    if person in row.performers:
        raise NotSatisfiedError(f"{person} did the work of {row.id} and is no witness to it")


def _uninvited(writing: Writing, row: Activity, now: datetime) -> NotSatisfiedError:
    day = _earliest(writing, row, now).date()
    return NotSatisfiedError(
        f"{row.id} is witnessed by {', '.join(row.witnesses)}, and nobody has told them when it takes place",
        hint=f"clusterwright witness {row.id} --for {day} or later: {row.notice_h:g} working hours' notice",
    )


def _earliest(writing: Writing, row: Activity, now: datetime) -> datetime:
    revision = in_force(writing.session)
    assert revision is not None
    return SiteCalendar(revision).add(now, row.notice_h) if row.notice_h else now
