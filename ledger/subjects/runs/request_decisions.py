"""Requests of people to the engine: run an activity, try it again, or stop its run."""

from __future__ import annotations

from ledger.subjects.recording import about_activity, about_named
from ledger.subjects.runs import making as made

request_run = about_activity(made.run_requested)
request_retry = about_activity(made.retry_requested)
request_cancel = about_activity(made.cancel_requested)
answer_request = about_named(made.REQUEST, made.request_answered)
