"""What a run's result leads to. Reading is not doing, and a host that was skipped was not done."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from ledger import evidence
from ledger.batches import INLINE_ROWS, kept_rows
from ledger.database import Ledger
from ledger.events import Event
from ledger.judging import Reading
from ledger.payloads import Batch, Left, RunSettled
from ledger.payloads import Reading as ReadingPart
from ledger.refresh import in_force
from ledger.services.blocked import refuse_unfinishable
from ledger.services.claiming import lost_lease
from ledger.services.conforming import unless_open_a
from ledger.services.policy import after_work, verdict_on
from ledger.services.retrying import NOT_DONE, done_before
from ledger.tables import Activity, ClaimRow, Criterion, Ncr, Run
from ledger.transitions import Action, State
from ledger.values import Artifact, ItemResult, Measured, RunOutcome
from ledger.writing import ENGINE, Writing
from steps.errors import InputError
from steps.value import value_text


def settle(
    ledger: Ledger,
    owner: str,
    activity: str,
    outcome: RunOutcome,
    *,
    attempt: int | None = None,
    needs_person: bool = False,
    revision: int | None = None,
    at: datetime | None = None,
) -> Event:
    """Record a run's result, fenced by owner and attempt; the result decides the state.

    An interrupted run leaves the activity open in the next attempt, or on hold when `needs_person`:
    where nobody can tell whether the old process is dead. A calculation under a plan `revision` that is no
    longer in force is interrupted, and one whose end others hold back (FF, SF) is refused.
    """
    results = tuple(kept_rows(ledger.site_dir, map(_item, outcome.results)))
    readings = tuple(_reading(m) for m in outcome.measurements)
    batches: tuple[Batch, ...] = ()
    if len(readings) > INLINE_ROWS:
        batches = tuple(kept_rows(ledger.site_dir, (r.model_dump(mode="json") for r in readings)))
        readings = ()
    with ledger.write() as writing:
        row = writing.activity(activity)
        run = _fenced(writing, row, owner, attempt)
        if row.kept and outcome.status != "interrupted":
            before = done_before(writing, row, {r.host for r in outcome.results})
            outcome = replace(
                outcome,
                results=(*before.results, *outcome.results),
                measurements=(*before.measurements, *outcome.measurements),
            )
            results = (*kept_rows(ledger.site_dir, map(_item, before.results)), *results)
            readings = (*map(_reading, before.measurements), *readings)
        if revision is not None and (now := _revision(writing)) != revision:
            outcome = RunOutcome("interrupted", summary=f"worked out under revision {revision}; {now} is in force")
            results = readings = batches = ()
        result = unless_open_a(writing, row, _result(writing, row, outcome, needs_person=needs_person))
        writing.permitted(row, Action.SETTLE, at, result)
        if row.kind == "compute" and result in {State.DONE, State.AWAITING_SIGN_OFF}:
            refuse_unfinishable(writing, row, writing.when(at))
        payload = _settlement(writing, row, run, outcome, result).model_copy(
            update={"results": results, "measurements": readings, "measurement_batches": batches}
        )
        event = writing.append(ENGINE, payload, subject=row.id, at=at)
        held = writing.session.get(ClaimRow, row.id)
        if held is not None:
            writing.session.delete(held)
        return event


def _settlement(writing: Writing, row: Activity, run: Run, outcome: RunOutcome, result: State) -> RunSettled:
    return RunSettled(
        run=run.id,
        owner=run.owner,
        attempt=row.attempt,
        status=outcome.status,
        result=result.value,
        summary=outcome.summary,
        results=(),
        tally=dict(sorted(Counter(r.status for r in outcome.results).items())),
        measurements=(),
        measurement_batches=(),
        artifacts=tuple(_left(writing.site_dir, a) for a in outcome.artifacts),
        playbook_digest=outcome.playbook_digest,
        simulated=outcome.simulated or outcome.status == "rehearsed",
        ncr=writing.next_id(Ncr, "NCR") if result is State.FAILED else None,
        ncr_class=row.ncr_class,
    )


def _revision(writing: Writing) -> int:
    held = in_force(writing.session)
    return 0 if held is None else held.revision


def _fenced(writing: Writing, row: Activity, owner: str, attempt: int | None) -> Run:
    run = writing.session.scalars(
        select(Run).where(
            col(Run.activity) == row.id,
            col(Run.attempt) == row.attempt,
            col(Run.owner) == owner,
            col(Run.status) == "running",
        )
    ).first()
    if run is None or attempt not in {None, row.attempt}:
        raise lost_lease(row.id, owner)
    return run


def _result(writing: Writing, row: Activity, outcome: RunOutcome, *, needs_person: bool) -> State:
    """Give the state a run's outcome leads to; nothing else decides it."""
    if outcome.status == "interrupted":
        return State.ON_HOLD if needs_person else State.OPEN
    if outcome.status == "rehearsed":
        if not writing.site().rehearsal:
            raise InputError(f"{row.id}: a rehearsed result has no place in a real site's ledger")
        return after_work(row, by_hand=False)
    if outcome.status == "failed" or any(r.status in NOT_DONE for r in outcome.results):
        return State.FAILED
    if _is_met(writing, row, outcome):
        return after_work(row, by_hand=False)
    return State.CHECKED_NOT_MET if row.effect in {None, "read"} else State.FAILED


def _is_met(writing: Writing, row: Activity, outcome: RunOutcome) -> bool:
    """Every criterion met on every host; a skipped host shows nothing unless something was read there."""
    criteria = writing.session.scalars(select(Criterion).where(col(Criterion.activity) == row.id)).all()
    read = {m.item for m in outcome.measurements}
    if any(r.status == "skipped" and r.host not in read for r in outcome.results):
        return False
    if not criteria:
        # an automate step that was only read shows nothing about what it should have changed
        return not (row.kind == "automate" and row.effect == "read")
    found: dict[str, list[Reading]] = {}
    for m in outcome.measurements:
        value = Decimal(str(m.value)) if isinstance(m.value, float) else m.value
        found.setdefault(m.metric, []).append(Reading(m.item, value, m.unit, m.note))
    return all(verdict_on(c, found.get(c.metric, [])).judged.verdict == "met" for c in criteria)


def _reading(m: Measured) -> ReadingPart:
    return ReadingPart(
        metric=m.metric,
        value=value_text(m.value),
        unit=m.unit,
        item=m.item or "",
        source=m.source,
        note=m.note,
    )


def _item(r: ItemResult) -> dict[str, Any]:
    return {
        "host": r.host,
        "status": r.status,
        "duration_s": f"{r.duration_s:.3f}",
        "failed_task": r.failed_task or "",
    }


def _left(site_dir: Path, artifact: Artifact | str) -> Left:
    a = Artifact(artifact) if isinstance(artifact, str) else artifact
    size = len(evidence.load(site_dir, a.digest))
    return Left(digest=a.digest, evidence=a.kind, name=a.name or a.kind, size=size)
