"""Requests of people to the engine: run an activity, try it again, or stop its run."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.rules.access import ENGINE
from ledger.subjects.recording import about_activity
from ledger.subjects.runs import making as made
from ledger.writing import Ledger

request_run = about_activity(made.run_requested)
request_retry = about_activity(made.retry_requested)
request_cancel = about_activity(made.cancel_requested)


def answer_request(
    ledger: Ledger,
    request_id: str,
    answer: str,
    *,
    actor: str = ENGINE,
) -> Event:
    """Answer a request, and so close it. Raise if it was answered already."""
    with ledger.write() as writing:
        moment = writing.moment()
        payload = made.request_answered(moment, actor, request_id, answer)
        found = made.open_request(moment, request_id)
        return writing.record(moment, actor, payload, subject=found.activity)
