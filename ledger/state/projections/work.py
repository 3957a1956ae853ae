"""People's work: start to finish, readings, evidence, holds, what does not apply, what is opened again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.log.payloads.work import (
    Assigned,
    Attached,
    Attested,
    Commented,
    DuplicateSettled,
    Finished,
    Held,
    MeasurementRecorded,
    NotApplicable,
    OrganisationAssigned,
    Progressed,
    Reopened,
    Resumed,
    Started,
)
from ledger.rules.activity import State
from ledger.state.projection import Handler, Projection

if TYPE_CHECKING:
    from ledger.log.chain import Event

_WAS_CHECKED = "SELECT 1 FROM item_check WHERE activity = :activity AND attempt = :attempt LIMIT 1"


def assign(p: Projection, event: Event, payload: Assigned) -> None:
    """Let an activity be a person's."""
    p.change(p.activity(event.subject), assignee=payload.person)


def assign_organisation(p: Projection, event: Event, payload: OrganisationAssigned) -> None:
    """Let an activity or an order be an organisation's. Who had the activity before no longer has it."""
    if "#" in event.subject:
        p.update("order_line", event.subject, organisation=payload.organisation)
    else:
        p.change(p.activity(event.subject), organisation=payload.organisation, assignee=None)


def start(p: Projection, event: Event, payload: Started) -> None:  # noqa: ARG001  the handlers' shape
    """Let people be at work."""
    row, at = p.activity(event.subject), event.effective_at
    p.change(row, state=State.IN_PROGRESS, started_at=at, performers=(event.actor,))
    p.touch(row.id)


def progress(p: Projection, event: Event, payload: Progressed) -> None:
    """Keep how far the work has come."""
    row = p.activity(event.subject)
    if payload.items_done is not None:
        p.change(row, items_done=payload.items_done)
    if payload.percent is not None:
        p.change(row, percent=float(payload.percent))
    p.change(row, last_note=payload.note or row.last_note)


def measure(p: Projection, event: Event, payload: MeasurementRecorded) -> None:
    """Keep a reading, and the non-conformance that it opens."""
    p.add_reading(event, payload.reading, 0, ncr=payload.ncr or payload.under)
    if payload.ncr is not None:
        p.open_ncr(
            event,
            event.subject,
            ncr=payload.ncr,
            ncr_class=payload.ncr_class,
            reason=payload.reason,
        )
    if payload.result is not None:
        row = p.activity(event.subject)
        p.change(row, performers=_and(row.performers, event.actor))
        p.reach(row, payload.result, event)


def finish(p: Projection, event: Event, payload: Finished) -> None:
    """Let the work be finished. Items that nobody counted are all done then."""
    row = p.activity(event.subject)
    p.change(
        row,
        performers=_and(row.performers, *payload.performers),
        finished_at=event.effective_at,
    )
    items = row.plan.items
    if items is not None:
        counted = p.ask(_WAS_CHECKED, activity=row.id, attempt=row.attempt)
        p.change(row, items_done=row.items_done if counted and row.items_done is not None else items)
    p.reach(row, payload.result, event)


def attach(p: Projection, event: Event, payload: Attached) -> None:
    """Keep that a file is evidence."""
    p.add_evidence(event, event.subject, payload, 0)


def hold(p: Projection, event: Event, payload: Held) -> None:
    """Stop an activity."""
    row = p.activity(event.subject)
    p.change(
        row,
        held_from=row.state.value,
        state=State.ON_HOLD,
        last_note=payload.reason,
    )


def resume(p: Projection, event: Event, payload: Resumed) -> None:
    """Let an activity go on."""
    row = p.activity(event.subject)
    p.change(
        row,
        state=State(payload.result),
        held_from=None,
        last_note=payload.reason or row.last_note,
    )


def not_applicable(p: Projection, event: Event, payload: NotApplicable) -> None:
    """Let an activity have nothing to do, by decision."""
    row = p.activity(event.subject)
    p.change(row, state=State.NOT_APPLICABLE, held_from=None)
    p.change(row, na_reason=payload.reason, na_at=event.effective_at, na_decided=True)
    p.touch(row.id)


def comment(p: Projection, event: Event, payload: Commented) -> None:
    """Keep what somebody wrote."""
    p.add(
        "comment",
        seq=event.seq,
        activity=event.subject,
        person=event.actor,
        text=payload.text,
        at=event.effective_at,
    )


def reopen(p: Projection, event: Event, payload: Reopened) -> None:
    """Open an activity again; what rested on it becomes stale."""
    p.open_again(event.subject, payload.reason)
    p.mark_resting([event.subject], event.seq)


def attest(p: Projection, event: Event, payload: Attested) -> None:
    """Keep that a step was done outside."""
    row, at = p.activity(event.subject), event.effective_at
    p.add(
        "attestation",
        seq=event.seq,
        activity=row.id,
        attempt=row.attempt,
        person=event.actor,
        reason=payload.reason,
        digests=payload.digests,
        at=at,
    )
    p.change(
        row,
        attested=True,
        performers=(event.actor,),
        started_at=row.started_at or at,
        finished_at=at,
    )
    p.reach(row, payload.result, event, last_note=payload.reason)


def settle_duplicate(p: Projection, event: Event, payload: DuplicateSettled) -> None:
    """Let an activity be done by what others did."""
    row = p.activity(event.subject)
    p.reach(row, State.DONE, event, last_note="completed by " + ", ".join(payload.by))


def _and(performers: tuple[str, ...], *more: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*performers, *more)))


HANDLERS: dict[str, tuple[Handler, ...]] = {
    Assigned.kind: (assign,),
    OrganisationAssigned.kind: (assign_organisation,),
    Started.kind: (start,),
    Progressed.kind: (progress,),
    MeasurementRecorded.kind: (measure,),
    Finished.kind: (finish,),
    Attached.kind: (attach,),
    Held.kind: (hold,),
    Resumed.kind: (resume,),
    NotApplicable.kind: (not_applicable,),
    Commented.kind: (comment,),
    Reopened.kind: (reopen,),
    Attested.kind: (attest,),
    DuplicateSettled.kind: (settle_duplicate,),
}
