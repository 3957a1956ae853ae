"""Witness points: who is invited to witness an activity, and who came."""

from __future__ import annotations

from datetime import datetime

from ledger.rules.activity import Action
from ledger.rules.approval import allowed, permitted, uninvited
from ledger.rules.case import Case
from ledger.rules.permission import Actor, refuse_stranger
from schedule.errors import InputError, NotSatisfiedError
from steps.planning.activity import PlanWitness
from steps.stamps import minute


def invite(case: Case, on: datetime, *, agreed: bool) -> PlanWitness:
    """Let somebody invite the witnesses to the time `on`. Return the roles that the policy names, and their notice."""
    allowed(case, "invite")
    witness, row = _wanted(case), case.row
    permitted(case, Action.INVITE)
    if on < case.now:
        raise InputError(f"{minute(on, case.zone)} is over; nobody can be invited to it")
    earliest = case.earliest_witnessed
    if on < earliest and not agreed:
        raise NotSatisfiedError(
            f"{row.id} gives its witnesses {witness.notice_h:g} working hours' notice; {minute(on, case.zone)} is too soon",
            hint=f"{minute(earliest, case.zone)} or later, or --agreed where they agreed to it",
        )
    return witness


def attend(case: Case, role: str, person: Actor | None) -> None:
    """Let somebody record who came in a role. `person` is None if nobody came."""
    allowed(case, "attend")
    witness, row = _wanted(case), case.row
    if role not in witness.roles:
        raise InputError(f"{row.id} invites no {role}", hint="it invites: " + ", ".join(witness.roles))
    permitted(case, Action.WITNESS)
    if case.invited is None:
        raise uninvited(case)
    on = case.invited.on
    if person is not None:
        refuse_stranger(person)
        if role not in person.roles:
            raise NotSatisfiedError(f"{person.id} is no {role}", hint="another witness, or lend them the role")
        if person.id in row.hands:
            raise NotSatisfiedError(f"{person.id} did the work of {row.id} and is no witness to it")
    elif case.now < on and role not in case.actor.roles:
        raise NotSatisfiedError(
            f"{row.id} takes place on {minute(on, case.zone)}; until then only a {role} says that none will come",
            hint=f"clusterwright witness {row.id} --absent {role}, after that time",
        )


def _wanted(case: Case) -> PlanWitness:
    witness = case.row.plan.policy.witness
    if witness is None:
        raise NotSatisfiedError(f"{case.row.id} invites no witnesses", hint="`witness` in the step's sign-off policy")
    return witness
