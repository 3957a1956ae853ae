"""Decisions around the work: who does it, holds, what does not apply, what is opened again."""

from __future__ import annotations

from datetime import datetime

from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import (
    Assigned,
    Commented,
    DuplicateSettled,
    Held,
    NotApplicable,
    Reopened,
    Resumed,
)
from ledger.services.blocked import refuse_blocked
from ledger.services.conforming import refuse_open_a
from ledger.services.permitting import may, refuse_outsider
from ledger.transitions import Action, State
from steps.errors import InputError, NotSatisfiedError


def assign(ledger: Ledger, actor: str, activity: str, person: str, *, at: datetime | None = None) -> Event:
    """Give an activity to a person; what is an organisation's stays with its people."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "assign", row=row)
        refuse_outsider(writing, person, row, "assign")
        payload = Assigned(person=writing.person(person).id)
        return writing.append(actor, payload, subject=row.id, at=at)


def comment(ledger: Ledger, actor: str, activity: str, text: str, *, at: datetime | None = None) -> Event:
    """Write something down about an activity."""
    if not text.strip():
        raise InputError("the comment is empty")
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "comment", row=row)
        return writing.append(actor, Commented(text=text), subject=row.id, at=at)


def hold(ledger: Ledger, actor: str, activity: str, reason: str, *, at: datetime | None = None) -> Event:
    """Stop an activity until it is resumed; running software is cancelled, not held."""
    _reasoned(reason, "hold")
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "hold", row=row)
        writing.permitted(row, Action.HOLD, at, State.ON_HOLD)
        return writing.append(actor, Held(reason=reason), subject=row.id, at=at)


def resume(ledger: Ledger, actor: str, activity: str, reason: str = "", *, at: datetime | None = None) -> Event:
    """Let a held activity go on where it was."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "resume", row=row)
        back = State(row.held_from or State.OPEN)
        writing.permitted(row, Action.RESUME, at, back)
        payload = Resumed(reason=reason, result=back.value)
        return writing.append(actor, payload, subject=row.id, at=at)


def na(ledger: Ledger, actor: str, activity: str, reason: str, *, at: datetime | None = None) -> Event:
    """Decide that there is nothing to do; what follows inherits what it waited for."""
    _reasoned(reason, "not applicable")
    with ledger.write() as writing:
        row = writing.activity(activity)
        role = may(writing, actor, "na", row=row)
        writing.permitted(row, Action.NOT_APPLICABLE, at, State.NOT_APPLICABLE)
        payload = NotApplicable(reason=reason, role=role)
        return writing.append(actor, payload, subject=row.id, at=at)


def reopen(ledger: Ledger, actor: str, activity: str, reason: str, *, at: datetime | None = None) -> Event:
    """Open what was done again, as the next attempt; what rested on it becomes stale."""
    _reasoned(reason, "open again")
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "reopen", row=row)
        if row.state == State.NOT_APPLICABLE and not row.na_decided:
            raise NotSatisfiedError(
                f"{row.id} does not apply by the plan: {row.na_reason}",
                hint="change site.yaml and adopt the plan again",
            )
        writing.permitted(row, Action.REOPEN, at, State.OPEN)
        return writing.append(actor, Reopened(reason=reason), subject=row.id, at=at)


def settle_duplicate(ledger: Ledger, actor: str, activity: str, *, at: datetime | None = None) -> Event:
    """Record that the steps which complete this one are done, and so is this."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "settle_duplicate", row=row)
        if not row.completed_by:
            raise NotSatisfiedError(f"{row.id} is not completed by other steps")
        refuse_blocked(writing, row, at)
        writing.permitted(row, Action.SETTLE_DUPLICATE, at, State.DONE)
        others = [writing.activity(name) for name in row.completed_by]
        waiting = [o.id for o in others if o.state != "done" or o.stale_since is not None]
        if waiting:
            raise NotSatisfiedError(
                f"{row.id} is completed by {', '.join(row.completed_by)}; not done: {', '.join(waiting)}",
                hint=f"clusterwright why {waiting[0]}",
            )
        refuse_open_a(writing, row)
        payload = DuplicateSettled(by=row.completed_by)
        return writing.append(actor, payload, subject=row.id, at=at)


def _reasoned(reason: str, what: str) -> None:
    if not reason.strip():
        raise InputError(f"{what!r} needs a reason", hint="give --reason")
