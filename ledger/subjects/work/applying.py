"""People's work: start, progress, readings, evidence and finish. Holds, reopening, and activities that do not apply."""

from __future__ import annotations

from datetime import datetime

from ledger.log.chain import Event
from ledger.rules.activity import Activity, State
from ledger.rules.version import WHO_AND_WHEN
from ledger.state.hands import add_hands, together
from ledger.state.projection import Handlers, Projection
from ledger.state.readings import add_reading
from ledger.state.reopening import mark_resting, open_again
from ledger.subjects.later_words import said_later
from ledger.subjects.work.payloads import (
    Assigned,
    Attached,
    Attested,
    Commented,
    Finished,
    Held,
    MeasurementRecorded,
    NotApplicable,
    Progressed,
    Reopened,
    Resumed,
    Started,
)
from steps.stamps import stamp

_END_HOLD = "UPDATE hold SET until = :at WHERE activity = :activity AND attempt = :attempt AND until IS NULL"
_WAS_CHECKED = "SELECT 1 FROM item_check WHERE activity = :activity AND attempt = :attempt LIMIT 1"


def assign(p: Projection, event: Event, payload: Assigned) -> None:
    """Assign an activity to a person."""
    p.change(p.activity(event.subject), assignee=payload.person)


def start(p: Projection, event: Event, payload: Started) -> None:
    """Start people's work."""
    row, at = p.activity(event.subject), event.effective_at
    p.change(row, state=State.IN_PROGRESS, started_at=at, performers=(event.actor,))
    p.change(row, early_because=payload.out_of_sequence)
    add_hands(p, row, event.actor)
    p.touch(row.id)


def progress(p: Projection, event: Event, payload: Progressed) -> None:
    """Note how far the work had come. What a report of a later time says of it stays."""
    row = p.activity(event.subject)
    later = said_later(p, event, row.id, attempt=row.attempt)
    if payload.items_done is not None and "items_done" not in later:
        p.change(row, items_done=payload.items_done)
    if payload.percent is not None and "percent" not in later:
        p.change(row, percent=float(payload.percent))
    if payload.note and "last_note" not in later:
        p.change(row, last_note=payload.note)
    add_hands(p, row, event.actor)


def measure(p: Projection, event: Event, payload: MeasurementRecorded) -> None:
    """Add a reading, and the non-conformance that it opens."""
    add_reading(p, event, payload.reading, ncr=payload.ncr or payload.under)
    p.open_ncr(event, event.subject, payload, payload.reason)
    row = p.activity(event.subject)
    add_hands(p, row, event.actor)
    if payload.result is not None:
        p.change(row, performers=together(row.performers, event.actor))
        p.reach(row, payload.result, event)


def finish(p: Projection, event: Event, payload: Finished) -> None:
    """Finish the work. All items then count as done, unless a checklist counted them. Who is named besides is a performer in name."""
    row, items = p.activity(event.subject), p.activity(event.subject).plan.items
    performers = together(row.performers, *payload.performers)
    binds_named = p.rules < WHO_AND_WHEN
    add_hands(p, row, *(person for person in payload.performers if binds_named or person == event.actor))
    p.change(row, performers=performers, finished_at=event.effective_at)
    p.change(row, early_because=row.early_because or payload.out_of_sequence)
    if items is not None:
        was_counted = p.ask(_WAS_CHECKED, activity=row.id, attempt=row.attempt)
        if not was_counted or row.items_done is None:
            p.change(row, items_done=items)
    p.reach(row, payload.result, event)


def hold(p: Projection, event: Event, payload: Held) -> None:
    """Put an activity on hold."""
    row = p.activity(event.subject)
    before = row.state.value
    p.change(row, held_from=before, state=State.ON_HOLD, last_note=payload.reason)
    p.record("hold", event, payload, since=event.effective_at)


def _end_hold(p: Projection, row: Activity, at: datetime) -> None:
    """Note when the hold of an activity ended. A cancelled run that waits on hold has none of its own."""
    p.run(_END_HOLD, activity=row.id, attempt=row.attempt, at=stamp(at))


def resume(p: Projection, event: Event, payload: Resumed) -> None:
    """Resume an activity that is on hold."""
    row = p.activity(event.subject)
    note = payload.reason or row.last_note
    _end_hold(p, row, event.effective_at)
    p.change(row, state=State(payload.result), held_from=None, last_note=note)


def not_applicable(p: Projection, event: Event, payload: NotApplicable) -> None:
    """Note that an activity does not apply, by a person's decision."""
    row = p.activity(event.subject)
    if row.state is State.ON_HOLD:
        _end_hold(p, row, event.effective_at)
    p.change(row, state=State.NOT_APPLICABLE, held_from=None)
    p.change(row, na_reason=payload.reason, na_at=event.effective_at, na_decided=True)
    p.touch(row.id)


def reopen(p: Projection, event: Event, payload: Reopened) -> None:
    """Open an activity again, and mark as stale what is done and comes after it."""
    open_again(p, event.subject, payload.reason)
    row = p.activity(event.subject)
    p.change(row, kept=payload.kept)
    unit = row.plan.unit if payload.hosts else None
    mark_resting(p, [row.id], event.seq, unit)


def attest(p: Projection, event: Event, payload: Attested) -> None:
    """Note that a step was done outside Clusterwright."""
    row, at = p.activity(event.subject), event.effective_at
    p.record("attestation", event, payload)
    p.change(row, attested=True, performers=(event.actor,))
    add_hands(p, row, event.actor)
    p.change(row, started_at=row.started_at or at, finished_at=at)
    p.reach(row, payload.result, event, last_note=payload.reason)


HANDLERS: Handlers = {
    Assigned: assign,
    Started: start,
    Progressed: progress,
    MeasurementRecorded: measure,
    Finished: finish,
    Attached: lambda p, event, said: p.add_evidence(event, event.subject, said),
    Held: hold,
    Resumed: resume,
    NotApplicable: not_applicable,
    Commented: lambda p, event, said: p.record("comment", event, said),
    Reopened: reopen,
    Attested: attest,
}
