"""Runs of software: claimed, settled, asked for."""

from __future__ import annotations

import json
from decimal import Decimal

from sqlalchemy import insert

from ledger import evidence
from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection, next_attempt
from ledger.projector.facts import who_said
from ledger.projector.finishing import add_reading, reach
from ledger.projector.signing import open_ncr
from ledger.refresh import refresh
from ledger.tables import Activity, EvidenceItem, ItemResultRow, Release, Request, Run


def _claimed(p: Projection, event: Event, payload: say.RunClaimed) -> None:
    row = p.activity(event.subject)
    if payload.attempt != row.attempt:
        next_attempt(row, "running")
    row.state = "running"
    row.started_at = event.effective_at
    row.performers = who_said(p.session, row)
    p.session.add(
        Run(
            id=payload.run,
            activity=row.id,
            attempt=row.attempt,
            owner=payload.owner,
            host=payload.host,
            status="running",
            started_at=event.effective_at,
        )
    )
    if payload.release is not None:
        p.session.get_one(Release, payload.release).consumed_by = payload.run
    p.session.flush()
    refresh(p.session, [row.id])


def _settled(p: Projection, event: Event, payload: say.RunSettled) -> None:
    row = p.activity(event.subject)
    run = p.session.get_one(Run, payload.run)
    run.status = payload.status
    run.result = payload.result
    run.summary = payload.summary
    run.settled_at = event.effective_at
    run.playbook_digest = payload.playbook_digest
    run.simulated = payload.simulated
    run.items = sum(batch.rows for batch in payload.results)
    _keep_items(p, payload)
    _keep_readings(p, event, payload)
    _keep_artifacts(p, event, payload, row.attempt)
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
        p.session.flush()
        refresh(p.session, [row.id])
        return
    row.finished_at = event.effective_at
    row.simulated = row.simulated or payload.simulated
    reach(p, row, payload.result, event)


def _keep_items(p: Projection, payload: say.RunSettled) -> None:
    for batch in payload.results:
        rows = json.loads(evidence.load(p.site_dir, batch.digest))
        p.session.execute(
            insert(ItemResultRow),
            [row | {"run": payload.run, "duration_s": Decimal(row["duration_s"])} for row in rows],
        )


def _keep_readings(p: Projection, event: Event, payload: say.RunSettled) -> None:
    readings = list(payload.measurements)
    for batch in payload.measurement_batches:
        rows = json.loads(evidence.load(p.site_dir, batch.digest))
        readings += [say.Reading.model_validate(row) for row in rows]
    for ordinal, reading in enumerate(readings):
        add_reading(p, event, reading, ordinal)


def _keep_artifacts(p: Projection, event: Event, payload: say.RunSettled, attempt: int) -> None:
    for ordinal, left in enumerate(payload.artifacts):
        p.session.add(
            EvidenceItem(
                seq=event.seq,
                ordinal=ordinal,
                activity=event.subject,
                attempt=attempt,
                kind=left.evidence,
                name=left.name,
                digest=left.digest,
                size=left.size,
                person=event.actor,
                at=event.effective_at,
            )
        )


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
        p.session.flush()
        refresh(p.session, [row.id])


def _answered(p: Projection, event: Event, payload: say.RequestAnswered) -> None:
    request = p.session.get_one(Request, payload.request)
    request.answered_at = event.effective_at
    request.answer = payload.answer


HANDLERS: dict[str, Handler] = {
    say.RunClaimed.kind: _claimed,
    say.RunSettled.kind: _settled,
    say.RequestMade.kind: _asked,
    say.RequestAnswered.kind: _answered,
}
