"""What people ask the dispatcher for: a run, another try, a stop."""

from __future__ import annotations

from datetime import datetime

from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import RequestAnswered, RequestMade
from ledger.services.blocked import refuse_blocked
from ledger.services.permitting import may
from ledger.services.policy import PEOPLES_WORK
from ledger.services.retrying import hosts_done
from ledger.tables import Activity, Request
from ledger.transitions import Action, State
from ledger.writing import ENGINE, Writing
from steps.errors import InputError, NotSatisfiedError


def request_run(ledger: Ledger, actor: str, activity: str, *, at: datetime | None = None) -> Event:
    """Ask for a run of what is ready."""
    with ledger.write() as writing:
        row = _automated(writing, actor, activity, "request_run")
        refuse_blocked(writing, row, at)
        writing.permitted(row, Action.CLAIM, at, State.RUNNING)
        return _made(writing, actor, row, "run", at)


def request_retry(ledger: Ledger, actor: str, activity: str, *, at: datetime | None = None) -> Event:
    """Ask for another try of what failed or was not met: it is open again, in the next attempt.

    Where hosts do not depend on one another, those that are done stay so, and only the others are tried again.
    """
    with ledger.write() as writing:
        row = _automated(writing, actor, activity, "request_retry")
        writing.permitted(row, Action.RETRY, at, State.OPEN)
        return _made(writing, actor, row, "retry", at, kept=hosts_done(writing, row) if row.by_waves else ())


def request_cancel(ledger: Ledger, actor: str, activity: str, *, at: datetime | None = None) -> Event:
    """Ask for a run to be stopped."""
    with ledger.write() as writing:
        row = _automated(writing, actor, activity, "request_cancel")
        if row.state != State.RUNNING:
            raise NotSatisfiedError(f"{row.id} is not running; there is nothing to stop")
        return _made(writing, actor, row, "cancel", at)


def answer_request(
    ledger: Ledger, request: str, answer: str, *, actor: str = ENGINE, at: datetime | None = None
) -> Event:
    """Say what became of a request; it is then closed."""
    with ledger.write() as writing:
        may(writing, actor, "answer_request", request)
        held = writing.session.get(Request, request)
        if held is None:
            raise InputError(f"there is no request {request!r}")
        if held.answered_at is not None:
            raise NotSatisfiedError(f"{request} was answered: {held.answer}")
        payload = RequestAnswered(request=request, answer=answer)
        return writing.append(actor, payload, subject=held.activity, at=at)


def _automated(writing: Writing, actor: str, activity: str, action: str) -> Activity:
    row = writing.activity(activity)
    may(writing, actor, action, row=row)
    if row.kind in PEOPLES_WORK:
        raise NotSatisfiedError(
            f"{row.id} is people's work; software does not run it",
            hint=f"clusterwright start {row.id}",
        )
    return row


def _made(
    writing: Writing, actor: str, row: Activity, action: str, at: datetime | None, *, kept: tuple[str, ...] = ()
) -> Event:
    payload = RequestMade(request=writing.next_id(Request, "Q"), action=action, kept=kept)
    return writing.append(actor, payload, subject=row.id, at=at)
