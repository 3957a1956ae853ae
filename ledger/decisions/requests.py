"""What people ask the engine for: a run, another try, a stop."""

from __future__ import annotations

from datetime import datetime

from ledger.log.chain import Event
from ledger.log.payloads.runs import RequestAnswered, RequestMade
from ledger.questions.case import LookedUp
from ledger.questions.records import next_id, request
from ledger.rules import runs as rules
from ledger.rules.access import ENGINE
from ledger.writing import Ledger, Transaction
from steps.errors import InputError, NotSatisfiedError


def request_run(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Ask for a run of what is ready."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.request_run(case)
        return _request(writing, case, "run")


def request_retry(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Ask for another try of what failed or was not met. It is open again, in the next attempt.

    Where hosts do not depend on one another, those that are done stay done, and only the others are tried again.
    """
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.request_retry(case)
        plan, run = case.row.plan, case.last_run
        kept = () if run is None or plan.waves is None else rules.hosts_done(plan.criteria, run.hosts, case.reads)
        return _request(writing, case, "retry", kept)


def request_cancel(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Ask for a run to be stopped."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.request_cancel(case)
        return _request(writing, case, "cancel")


def answer_request(
    ledger: Ledger, request_id: str, answer: str, *, actor: str = ENGINE, at: datetime | None = None
) -> Event:
    """Say what became of a request. It is then closed."""
    with ledger.write() as writing:
        writing.may(actor, "answer_request", request_id)
        asked = writing.at(at)
        found = request(asked, request_id)
        if found is None:
            raise InputError(f"there is no request {request_id!r}")
        if found.answered_at is not None:
            raise NotSatisfiedError(f"{request_id} was answered: {found.answer}")
        payload = RequestAnswered(request=request_id, answer=answer)
        return writing.append(actor, payload, subject=found.activity, at=asked.now)


def _request(
    writing: Transaction,
    case: LookedUp,
    action: str,
    kept: tuple[str, ...] = (),
) -> Event:
    payload = RequestMade(request=next_id(case.snapshot, "request", "Q"), action=action, kept=kept)
    return writing.record(case, payload)
