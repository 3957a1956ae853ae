"""Runs of software: released, seen in check mode, claimed, settled, asked for."""

from __future__ import annotations

from decimal import Decimal
from json import dumps
from typing import TYPE_CHECKING

from ledger.log.payloads.base import ReadingPart
from ledger.log.payloads.runs import Previewed, Released, RequestAnswered, RequestMade, RunClaimed, RunSettled
from ledger.rules.activity import NOT_MET, Activity, State
from ledger.state.projection import Handler, Projection, stored

if TYPE_CHECKING:
    from ledger.log.chain import Event

_PREVIEWED = """
INSERT INTO preview (activity, attempt, hosts, playbook_digest, summary, differences, at)
VALUES (:activity, :attempt, :hosts, :digest, :summary, :differences, :at)
ON CONFLICT (activity, attempt) DO UPDATE SET
  hosts = :hosts, playbook_digest = :digest, summary = :summary, differences = :differences, at = :at"""
_ENTERED = (
    "SELECT name, person FROM fact WHERE unit = :unit AND name IN (SELECT value FROM json_each(:names)) ORDER BY seq"
)


def release(p: Projection, event: Event, payload: Released) -> None:
    """Keep that hosts may be changed."""
    p.add(
        "release",
        id=payload.release,
        activity=event.subject,
        attempt=payload.attempt,
        hosts=payload.hosts,
        count=payload.count,
        playbook_digest=payload.playbook_digest,
        person=event.actor,
        role=payload.role,
        at=event.effective_at,
        consumed_by=None,
    )


def preview(p: Projection, event: Event, payload: Previewed) -> None:
    """Keep what check mode showed; the last of an attempt counts."""
    p.run(
        _PREVIEWED,
        activity=event.subject,
        attempt=payload.attempt,
        hosts=stored(payload.hosts),
        digest=payload.playbook_digest,
        summary=payload.summary,
        differences=payload.differences.digest,
        at=stored(event.effective_at),
    )
    p.add_evidence(event, event.subject, payload.differences, 0)


def claim(p: Projection, event: Event, payload: RunClaimed) -> None:
    """Let software be at work."""
    row = p.activity(event.subject)
    if payload.attempt != row.attempt:
        p.next_attempt(row, State.RUNNING)
    p.change(
        row,
        state=State.RUNNING,
        started_at=event.effective_at,
        performers=_who_said(p, row),
    )
    p.add(
        "run",
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
        p.update("release", payload.release, consumed_by=payload.run)
    p.touch(row.id)


def _who_said(p: Projection, row: Activity) -> tuple[str, ...]:
    """Return who entered the facts that an activity rests on: they took part in its work, and do not approve it."""
    names = [fact.name for fact in row.plan.facts]
    if not names:
        return ()
    entered = dict(p.ask(_ENTERED, unit=row.plan.unit, names=dumps(names)))
    return tuple(dict.fromkeys(entered.values()))


def settle(p: Projection, event: Event, payload: RunSettled) -> None:
    """Keep what a run did, host by host and reading by reading."""
    row = p.activity(event.subject)
    p.update(
        "run",
        payload.run,
        status=payload.status,
        result=payload.result,
        summary=payload.summary,
        settled_at=event.effective_at,
        playbook_digest=payload.playbook_digest,
        simulated=payload.simulated,
        items=sum(batch.rows for batch in payload.results),
    )
    for item in p.batched(payload.results):
        p.add("item_result", **item | {"run": payload.run, "duration_s": Decimal(item["duration_s"])})
    kept = (ReadingPart.model_validate(reading) for reading in p.batched(payload.measurement_batches))
    for ordinal, reading in enumerate((*payload.measurements, *kept)):
        p.add_reading(event, reading, ordinal)
    for ordinal, file in enumerate(payload.artifacts):
        p.add_evidence(event, row.id, file, ordinal)
    if payload.ncr is not None:
        p.open_ncr(
            event,
            row.id,
            ncr=payload.ncr,
            ncr_class=payload.ncr_class,
            reason=payload.summary,
        )
    p.change(row, last_note=payload.summary or row.last_note)
    if payload.status == "interrupted":
        _interrupt(p, row, payload)
    else:
        p.change(row, finished_at=event.effective_at, simulated=row.simulated or payload.simulated)
        p.reach(row, payload.result, event)


def _interrupt(p: Projection, row: Activity, payload: RunSettled) -> None:
    """Begin the next attempt; where nobody knows whether the old process is dead, on hold until a person decides."""
    if payload.result == State.ON_HOLD:
        p.next_attempt(row, State.ON_HOLD)
        p.change(row, held_from="open", started_at=None)
    else:
        p.next_attempt(row, State.OPEN)
    p.touch(row.id)


def ask(p: Projection, event: Event, payload: RequestMade) -> None:
    """Keep what a person asks of the engine. A retry begins the next attempt."""
    p.add(
        "request",
        id=payload.request,
        activity=event.subject,
        action=payload.action,
        person=event.actor,
        at=event.effective_at,
        answered_at=None,
        answer="",
    )
    row = p.activity(event.subject)
    if payload.action == "retry" and row.state in NOT_MET:
        p.next_attempt(row, State.OPEN)
        p.change(row, kept=payload.kept)
        p.touch(row.id)


def answer(p: Projection, event: Event, payload: RequestAnswered) -> None:
    """Keep the engine's answer."""
    p.update("request", payload.request, answered_at=event.effective_at, answer=payload.answer)


HANDLERS: dict[str, tuple[Handler, ...]] = {
    Released.kind: (release,),
    Previewed.kind: (preview,),
    RunClaimed.kind: (claim,),
    RunSettled.kind: (settle,),
    RequestMade.kind: (ask,),
    RequestAnswered.kind: (answer,),
}
