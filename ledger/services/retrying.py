"""What stands of an attempt when only the hosts that failed are tried again."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import col

from ledger.judging import MET, Reading, judge_items
from ledger.tables import Activity, Criterion, ItemResultRow, Measurement, Run
from ledger.values import ItemResult, Measured
from ledger.writing import ENGINE, Writing
from steps.value import text_value

DONE = frozenset({"ok", "changed", "kept"})
NOT_DONE = frozenset({"failed", "unreachable"})


class Before(NamedTuple):
    """Results and readings of hosts that are not touched again."""

    results: tuple[ItemResult, ...]
    measurements: tuple[Measured, ...]


def hosts_done(writing: Writing, row: Activity) -> tuple[str, ...]:
    """Give the hosts on which the last attempt did everything and met every criterion."""
    run = run_of(writing, row, row.attempt)
    if run is None:
        return ()
    items = results_of(writing, run)
    read = _by_runs(writing, row, row.attempt)
    criteria = writing.session.scalars(select(Criterion).where(col(Criterion.activity) == row.id)).all()
    verdicts = [_verdicts(c, [m for m in read if m.metric == c.metric]) for c in criteria]
    met = [{item for item, verdict in each.items() if verdict == MET} for each in verdicts]
    return tuple(i.host for i in items if i.status in DONE and all(i.host in hosts for hosts in met))


def done_before(writing: Writing, row: Activity, touched: set[str]) -> Before:
    """Give what the attempt before showed of the hosts that this one keeps, and has not touched all the same."""
    kept, before = set(row.kept) - touched, row.attempt - 1
    return Before(
        tuple(ItemResult(host, "kept") for host in row.kept if host in kept),
        tuple(
            Measured(m.metric, text_value(m.value), m.unit, item=m.item, source=m.source, note=_said(m.note, before))
            for m in _by_runs(writing, row, before)
            if m.item in kept
        ),
    )


def _said(note: str, attempt: int) -> str:
    """Say when it was read, unless an earlier retry has said so."""
    return note if "read in attempt" in note else "; ".join(filter(None, (note, f"read in attempt {attempt}")))


def run_of(writing: Writing, row: Activity, attempt: int) -> Run | None:
    """Give the last run of an attempt."""
    found = select(Run).where(col(Run.activity) == row.id, col(Run.attempt) == attempt).order_by(col(Run.id).desc())
    return writing.session.scalars(found).first()


def results_of(writing: Writing, run: Run) -> list[ItemResultRow]:
    """Give what a run did, host by host."""
    found = select(ItemResultRow).where(col(ItemResultRow.run) == run.id).order_by(col(ItemResultRow.host))
    return list(writing.session.scalars(found))


def readings_of(writing: Writing, row: Activity, attempt: int) -> list[Measurement]:
    """Give every reading of an attempt, in the order in which they were recorded."""
    found = select(Measurement).where(col(Measurement.activity) == row.id, col(Measurement.attempt) == attempt)
    return list(writing.session.scalars(found.order_by(col(Measurement.seq), col(Measurement.ordinal))))


def _by_runs(writing: Writing, row: Activity, attempt: int) -> list[Measurement]:
    """Give what software read: what a person read belongs to their attempt alone, and to their name."""
    return [m for m in readings_of(writing, row, attempt) if m.person == ENGINE]


def _verdicts(criterion: Criterion, read: list[Measurement]) -> dict[str, str]:
    limit = text_value(criterion.value)
    assert limit is not None
    readings = [Reading(m.item, text_value(m.value), m.unit, m.note) for m in read]
    fleet_z = None if criterion.fleet_z is None else Decimal(criterion.fleet_z)
    judged = judge_items(criterion.op, limit, criterion.unit, readings, fleet_z=fleet_z)
    return {item: one.verdict for item, one in judged.items()}
