"""Runs of software: releases, previews, claims, results, and requests."""

from __future__ import annotations

from decimal import Decimal
from json import dumps

from ledger.log.chain import Event
from ledger.log.payload import ReadingPart
from ledger.rules.activity import NOT_MET, Activity, State
from ledger.state.hands import add_hands
from ledger.state.projection import Handlers, Projection
from ledger.state.readings import add_reading
from ledger.subjects.runs.payloads import Previewed, Released, RequestAnswered, RequestMade, RunClaimed, RunSettled

_FORGET_PREVIEW = "DELETE FROM preview WHERE activity = :activity AND attempt = :attempt"
_ENTERED = (
    "SELECT name, person FROM fact WHERE unit = :unit AND name IN (SELECT value FROM json_each(:names)) ORDER BY seq"
)


def release(p: Projection, event: Event, payload: Released) -> None:
    """Add a release."""
    p.record("release", event, payload, id=payload.release)


def preview(p: Projection, event: Event, payload: Previewed) -> None:
    """Store a preview in the place of the attempt's earlier one."""
    p.run(_FORGET_PREVIEW, activity=event.subject, attempt=payload.attempt)
    p.record("preview", event, payload, differences=payload.differences.digest)
    p.add_evidence(event, event.subject, payload.differences)


def claim(p: Projection, event: Event, payload: RunClaimed) -> None:
    """Begin a run."""
    row, at = p.activity(event.subject), event.effective_at
    if payload.attempt != row.attempt:
        p.next_attempt(row, State.RUNNING)
    p.change(row, state=State.RUNNING, started_at=at, performers=_entered_by(p, row))
    add_hands(p, row, *row.performers)
    p.record(
        "run",
        event,
        payload,
        id=payload.run,
        attempt=row.attempt,
        status="running",
        started_at=at,
    )
    if payload.release is not None:
        p.update("release", payload.release, consumed_by=payload.run)
    p.touch(row.id)


def _entered_by(p: Projection, row: Activity) -> tuple[str, ...]:
    """Return the people who entered the facts from which an activity is worked out. They count as its performers."""
    names = [fact.name for fact in row.plan.facts]
    if not names:
        return ()
    found = p.ask(_ENTERED, unit=row.plan.unit, names=dumps(names))
    return tuple(dict.fromkeys(dict(found).values()))


def settle(p: Projection, event: Event, payload: RunSettled) -> None:
    """End a run, and add its results by host, its readings and its files."""
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
        item["duration_s"] = Decimal(item["duration_s"])
        item.setdefault("message", "")  # runs of earlier releases kept none
        p.add("item_result", run=payload.run, **item)
    kept = (ReadingPart.model_validate(reading) for reading in p.batched(payload.measurement_batches))
    for ordinal, reading in enumerate((*payload.measurements, *kept)):
        add_reading(p, event, reading, ordinal)
    p.add_evidence(event, row.id, *payload.artifacts)
    p.open_ncr(event, row.id, payload, payload.summary)
    p.change(row, last_note=payload.summary or row.last_note)
    if payload.status == "interrupted":
        _interrupt(p, row, payload)
    else:
        p.change(row, finished_at=event.effective_at, simulated=row.simulated or payload.simulated)
        p.reach(row, payload.result, event)


def _interrupt(p: Projection, row: Activity, payload: RunSettled) -> None:
    """Begin the next attempt. It is on hold if nobody knows whether the old process is dead, until a person decides."""
    if payload.result == State.ON_HOLD:
        p.next_attempt(row, State.ON_HOLD)
        p.change(row, held_from="open", started_at=None)
    else:
        p.next_attempt(row, State.OPEN)
    p.touch(row.id)


def ask(p: Projection, event: Event, payload: RequestMade) -> None:
    """Add a person's request to the engine. A retry begins the next attempt."""
    p.record("request", event, payload, id=payload.request)
    row = p.activity(event.subject)
    if payload.action == "retry" and row.state in NOT_MET:
        p.next_attempt(row, State.OPEN)
        p.change(row, kept=payload.kept)
        p.touch(row.id)


def answer(p: Projection, event: Event, payload: RequestAnswered) -> None:
    """Note the engine's answer."""
    p.update("request", payload.request, answered_at=event.effective_at, answer=payload.answer)


HANDLERS: Handlers = {
    Released: release,
    Previewed: preview,
    RunClaimed: claim,
    RunSettled: settle,
    RequestMade: ask,
    RequestAnswered: answer,
}
