"""People's work: start to finish, measurements, evidence, holds, what does not apply, what is reopened."""

from __future__ import annotations

from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection
from ledger.projector.checks import passed_items
from ledger.projector.finishing import add_reading, reach
from ledger.projector.reopening import mark_resting, open_again
from ledger.projector.signing import open_ncr
from ledger.refresh import refresh
from ledger.tables import Comment, EvidenceItem, OrderLine, Tranche


def _assigned(p: Projection, event: Event, payload: say.Assigned) -> None:
    p.activity(event.subject).assignee = payload.person


def _started(p: Projection, event: Event, payload: say.Started) -> None:  # noqa: ARG001
    row = p.activity(event.subject)
    row.state = "in_progress"
    row.started_at = event.effective_at
    row.performers = (event.actor,)
    refresh(p.unflushed, [row.id])


def _progressed(p: Projection, event: Event, payload: say.Progressed) -> None:
    row = p.activity(event.subject)
    if payload.items_done is not None:
        row.items_done = payload.items_done
    if payload.percent is not None:
        row.percent = float(payload.percent)
    row.last_note = payload.note or row.last_note


def _measured(p: Projection, event: Event, payload: say.MeasurementRecorded) -> None:
    add_reading(p, event, payload.reading, 0, ncr=payload.ncr or payload.under)
    if payload.ncr is not None:
        open_ncr(p, event, ncr=payload.ncr, ncr_class=payload.ncr_class, reason=payload.reason)
    if payload.result is not None:
        row = p.activity(event.subject)
        row.performers = tuple(dict.fromkeys((*row.performers, event.actor)))
        reach(p, row, payload.result, event)


def _finished(p: Projection, event: Event, payload: say.Finished) -> None:
    row = p.activity(event.subject)
    row.performers = tuple(dict.fromkeys((*row.performers, *payload.performers)))
    row.finished_at = event.effective_at
    if row.items is not None and (row.items_done is None or passed_items(p.unflushed, row) is None):
        row.items_done = row.items
    reach(p, row, payload.result, event)


def _attached(p: Projection, event: Event, payload: say.Attached) -> None:
    row = p.activity(event.subject)
    p.keep(
        EvidenceItem,
        seq=event.seq,
        ordinal=0,
        activity=row.id,
        attempt=row.attempt,
        kind=payload.evidence,
        name=payload.name,
        digest=payload.digest,
        size=payload.size,
        person=event.actor,
        at=event.effective_at,
    )


def _held(p: Projection, event: Event, payload: say.Held) -> None:
    row = p.activity(event.subject)
    row.held_from = row.state
    row.state = "on_hold"
    row.last_note = payload.reason


def _resumed(p: Projection, event: Event, payload: say.Resumed) -> None:
    row = p.activity(event.subject)
    row.state = payload.result
    row.held_from = None
    row.last_note = payload.reason or row.last_note


def _not_applicable(p: Projection, event: Event, payload: say.NotApplicable) -> None:
    row = p.activity(event.subject)
    row.state = "not_applicable"
    row.held_from = None
    row.na_reason = payload.reason
    row.na_at = event.effective_at
    row.na_decided = True
    refresh(p.unflushed, [row.id])


def _commented(p: Projection, event: Event, payload: say.Commented) -> None:
    p.keep(
        Comment,
        seq=event.seq,
        activity=event.subject,
        person=event.actor,
        text=payload.text,
        at=event.effective_at,
    )


def _reopened(p: Projection, event: Event, payload: say.Reopened) -> None:
    open_again(p, event.subject, payload.reason)
    refresh(p.unflushed, mark_resting(p, [event.subject], event.seq))


def _adopted(p: Projection, event: Event, payload: say.ProgressAdopted) -> None:
    for row in payload.rows:
        at = row.finished or event.effective_at
        if "#" not in row.subject:
            _activity_before(p, event, row)
        elif "/" in row.subject.partition("#")[2]:
            tranche = p.row(Tranche, row.subject)
            tranche.received_quantity = tranche.quantity
            tranche.received_at = at
        else:
            order = p.row(OrderLine, row.subject)
            order.placed_at = at
            order.placed_by = row.by or event.actor
    refresh(p.unflushed, [row.subject for row in payload.rows])


def _activity_before(p: Projection, event: Event, said: say.BeforeRow) -> None:
    row = p.activity(said.subject)
    row.before = True
    row.performers = (said.by or event.actor,)
    row.started_at = said.started or said.finished or event.effective_at
    row.last_note = said.note or "recorded from before"
    row.state = said.state
    if said.state == "done":
        row.finished_at = row.done_at = said.finished or event.effective_at


HANDLERS: dict[str, Handler] = {
    say.Assigned.kind: _assigned,
    say.Started.kind: _started,
    say.Progressed.kind: _progressed,
    say.MeasurementRecorded.kind: _measured,
    say.Finished.kind: _finished,
    say.Attached.kind: _attached,
    say.Held.kind: _held,
    say.Resumed.kind: _resumed,
    say.NotApplicable.kind: _not_applicable,
    say.Commented.kind: _commented,
    say.Reopened.kind: _reopened,
    say.ProgressAdopted.kind: _adopted,
}
