"""Requests of people to the engine: run an activity, try it again, or stop its run."""

from __future__ import annotations

from datetime import datetime

from ledger.log.chain import Event
from ledger.log.payloads.runs import RequestAnswered, RequestMade
from ledger.questions.records import next_id, request
from ledger.rules import runs as rules
from ledger.rules.access import ENGINE
from ledger.writing import DecisionCase, Ledger
from steps.errors import InputError, NotSatisfiedError


def request_run(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Request a run of an activity that is ready."""
    with ledger.case(activity, actor, at) as case:
        rules.request_run(case)
        return _request(case, "run")


def request_retry(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Request another run of an activity that failed or did not meet its criteria. It is opened again as its next attempt.

    If its hosts do not depend on one another, the hosts that are done stay done, and only the others run again.
    """
    with ledger.case(activity, actor, at) as case:
        rules.request_retry(case)
        plan, run = case.row.plan, case.last_run
        kept: tuple[str, ...] = ()
        if run is not None and plan.waves is not None:
            kept = rules.hosts_done(plan.criteria, run.hosts, case.reads)
        return _request(case, "retry", kept)


def request_cancel(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Request that a run is stopped."""
    with ledger.case(activity, actor, at) as case:
        rules.request_cancel(case)
        return _request(case, "cancel")


def answer_request(
    ledger: Ledger,
    request_id: str,
    answer: str,
    *,
    actor: str = ENGINE,
    at: datetime | None = None,
) -> Event:
    """Answer a request, and so close it. Raise if it was answered already."""
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
    case: DecisionCase,
    action: str,
    kept: tuple[str, ...] = (),
) -> Event:
    payload = RequestMade(request=next_id(case.snapshot, "request", "Q"), action=action, kept=kept)
    return case.record(payload)
