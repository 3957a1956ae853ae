"""Requests of people to the engine: run an activity, try it again, or stop its run."""

from __future__ import annotations

from datetime import datetime

from ledger.log.chain import Event
from ledger.making import runs as made
from ledger.rules.access import ENGINE
from ledger.writing import Ledger


def request_run(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Request a run of an activity that is ready."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.run_requested(case))


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
        return case.record(made.retry_requested(case))


def request_cancel(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Request that a run is stopped."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.cancel_requested(case))


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
        moment = writing.moment(at)
        payload = made.request_answered(moment, actor, request_id, answer)
        found = made.open_request(moment, request_id)
        return writing.record(moment, actor, payload, subject=found.activity)
