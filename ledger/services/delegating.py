"""Authority lent for a time, and glass broken: both are decisions with a name, a reason and an end."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import Delegated, Overridden, Withdrawn
from ledger.services.conforming import refuse_open_a
from ledger.services.permitting import may
from ledger.services.policy import approvals, judgements, missing_evidence
from ledger.tables import Delegation, PersonRole
from ledger.transitions import Action, State
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError


def delegate(
    ledger: Ledger,
    actor: str,
    to: str,
    role: str,
    *,
    since: datetime,
    until: datetime,
    reason: str,
    at: datetime | None = None,
) -> Event:
    """Let another person act in one of the actor's own roles from a time until another; it cannot be passed on."""
    if not reason.strip():
        raise InputError("a delegation needs a reason", hint="give --reason")
    if until <= since:
        raise InputError(
            "a delegation ends after it begins", hint=f"it would run from {since:%Y-%m-%d} to {until:%Y-%m-%d}"
        )
    with ledger.write() as writing:
        may(writing, actor, "delegate", role, theirs=_holders(writing, role))
        if writing.person(to).id == actor:
            raise InputError("one cannot delegate to oneself")
        payload = Delegated(
            delegation=writing.next_id(Delegation, "D"), role=role, to=to, since=since, until=until, reason=reason
        )
        return writing.append(actor, payload, subject=f"role/{role}", at=at)


def withdraw(ledger: Ledger, actor: str, delegation: str, reason: str, *, at: datetime | None = None) -> Event:
    """End a delegation early: by whoever gave it, or the owner."""
    if not reason.strip():
        raise InputError("withdrawing a delegation needs a reason", hint="give --reason")
    with ledger.write() as writing:
        held = writing.session.get(Delegation, delegation)
        if held is None:
            raise InputError(f"there is no delegation {delegation!r}")
        may(writing, actor, "withdraw", delegation, theirs={held.person})
        if held.withdrawn_at is not None or held.until <= writing.when(at):
            raise NotSatisfiedError(f"{delegation} has ended already")
        payload = Withdrawn(delegation=delegation, role=held.role, reason=reason)
        return writing.append(actor, payload, subject=f"role/{held.role}", at=at)


def break_glass(ledger: Ledger, actor: str, activity: str, reason: str, *, at: datetime | None = None) -> Event:
    """Pass finished work against its policy, in an emergency: recorded with what was lacking, and shown for ever.

    Criteria are not passed by it: what failed or was not measured is waived, each by name.
    """
    if not reason.strip():
        raise InputError("breaking the glass needs a reason", hint="give --reason")
    with ledger.write() as writing:
        row = writing.activity(activity)
        role = may(writing, actor, "break_glass", row=row)
        writing.permitted(row, Action.OVERRIDE, at, State.DONE)
        unmet = [str(found) for found in judgements(writing, row) if found.is_open]
        if unmet:
            raise NotSatisfiedError(
                f"{row.id} has unmet criteria: {'; '.join(unmet)}", hint="waive each by name, with a due date"
            )
        refuse_open_a(writing, row)
        there = len(approvals(writing, row))
        lacking = [f"{there} of {row.quorum} approvals by {', '.join(row.roles)}"]
        lacking += [f"evidence {kind}" for kind in missing_evidence(writing, row)]
        lacking += ["another person than the performer"] if actor in row.performers else []
        payload = Overridden(role=role, reason=reason, lacking=tuple(lacking), result=State.DONE.value)
        return writing.append(actor, payload, subject=row.id, at=at)


def _holders(writing: Writing, role: str) -> set[str]:
    """Give whose own role it is; what was lent cannot be lent on."""
    return set(writing.session.scalars(select(col(PersonRole.person)).where(col(PersonRole.role) == role)))
