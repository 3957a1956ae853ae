"""Runs of software: claimed, settled, asked for."""

from __future__ import annotations

from decimal import Decimal

from ledger import payloads as say
from ledger.batches import rows_in
from ledger.events import Event
from ledger.projector.base import Handler, Projection, next_attempt
from ledger.projector.facts import who_said
from ledger.projector.finishing import add_evidence, add_reading, reach
from ledger.projector.signing import open_ncr
from ledger.refresh import refresh
from ledger.tables import Activity, ItemResultRow, Preview, Release, Request, Run


def _claimed(p: Projection, event: Event, payload: say.RunClaimed) -> None:
    row = p.activity(event.subject)
    if payload.attempt != row.attempt:
        next_attempt(row, "running")
    row.state = "running"
    row.started_at = event.effective_at
    row.performers = who_said(p.unflushed, row)
    p.keep(
        Run,
        id=payload.run,
        activity=row.id,
        attempt=row.attempt,
        owner=payload.owner,
        host=payload.host,
        status="running",
        result=None,
        summary="",
        started_at=event.effective_at,
        settled_at=None,
        playbook_digest=None,
        simulated=False,
        items=0,
    )
    if payload.release is not None:
        p.row(Release, payload.release).consumed_by = payload.run
    refresh(p.unflushed, [row.id])


def _settled(p: Projection, event: Event, payload: say.RunSettled) -> None:
    row = p.activity(event.subject)
    p.change(
        Run,
        payload.run,
        status=payload.status,
        result=payload.result,
        summary=payload.summary,
        settled_at=event.effective_at,
        playbook_digest=payload.playbook_digest,
        simulated=payload.simulated,
        items=sum(batch.rows for batch in payload.results),
    )
    _keep_items(p, payload)
    _keep_readings(p, event, payload)
    for ordinal, left in enumerate(payload.artifacts):
        add_evidence(p, event, left, ordinal)
    if payload.ncr is not None:
        open_ncr(p, event, ncr=payload.ncr, ncr_class=payload.ncr_class, reason=payload.summary)
    _land(p, event, payload, row)


def _land(p: Projection, event: Event, payload: say.RunSettled, row: Activity) -> None:
    row.last_note = payload.summary or row.last_note
    if payload.status == "interrupted":
        if payload.result == "on_hold":
            next_attempt(row, "on_hold")
            row.held_from, row.started_at = "open", None
        else:
            next_attempt(row, "open")
        refresh(p.unflushed, [row.id])
        return
    row.finished_at = event.effective_at
    row.simulated = row.simulated or payload.simulated
    reach(p, row, payload.result, event)


def _keep_items(p: Projection, payload: say.RunSettled) -> None:
    for row in rows_in(p.site_dir, payload.results):
        p.keep(ItemResultRow, **row | {"run": payload.run, "duration_s": Decimal(row["duration_s"])})


def _keep_readings(p: Projection, event: Event, payload: say.RunSettled) -> None:
    readings = list(payload.measurements)
    readings += [say.Reading.model_validate(row) for row in rows_in(p.site_dir, payload.measurement_batches)]
    for ordinal, reading in enumerate(readings):
        add_reading(p, event, reading, ordinal)


def _previewed(p: Projection, event: Event, payload: say.Previewed) -> None:
    p.session.merge(
        Preview(
            activity=event.subject,
            attempt=payload.attempt,
            hosts=payload.hosts,
            playbook_digest=payload.playbook_digest,
            summary=payload.summary,
            differences=payload.differences.digest,
            at=event.effective_at,
        )
    )
    add_evidence(p, event, payload.differences, 0)


def _asked(p: Projection, event: Event, payload: say.RequestMade) -> None:
    p.session.add(
        Request(
            id=payload.request,
            activity=event.subject,
            action=payload.action,
            person=event.actor,
            at=event.effective_at,
        )
    )
    row = p.activity(event.subject)
    if payload.action == "retry" and row.state in {"failed", "checked_not_met"}:
        next_attempt(row, "open")
        row.kept = payload.kept
        refresh(p.unflushed, [row.id])


def _answered(p: Projection, event: Event, payload: say.RequestAnswered) -> None:
    request = p.row(Request, payload.request)
    request.answered_at = event.effective_at
    request.answer = payload.answer


HANDLERS: dict[str, Handler] = {
    say.RunClaimed.kind: _claimed,
    say.RunSettled.kind: _settled,
    say.Previewed.kind: _previewed,
    say.RequestMade.kind: _asked,
    say.RequestAnswered.kind: _answered,
}
