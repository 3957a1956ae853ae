"""Decisions about the work of an activity: assign, start, progress, measure, finish, hold, resume, reopen, not applicable."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.subjects.checklists.rules import named_item
from ledger.subjects.recording import about_activity
from ledger.subjects.work import making as made
from ledger.writing import Ledger
from steps.value import Value

assign = about_activity(made.assigned)
comment = about_activity(made.commented)
start = about_activity(made.started)
progress = about_activity(made.progressed)
finish = about_activity(made.finished)
hold = about_activity(made.held)
resume = about_activity(made.resumed)
na = about_activity(made.not_applicable)
reopen = about_activity(made.reopened)


def measure(
    ledger: Ledger,
    actor: str,
    activity: str,
    metric: str,
    value: Value | float,
    unit: str,
    *,
    item: str | None = None,
    source: str = "",
    instrument: str = "",
) -> Event:
    """Record a reading by a person. An item that the plan names is recorded under that name, however it was typed."""
    with ledger.case(activity, actor) as case:
        reading = made.measurement_recorded(
            case,
            metric,
            value,
            unit,
            item=named_item(case, metric, item),
            source=source,
            instrument=instrument,
        )
        return case.record(reading)
