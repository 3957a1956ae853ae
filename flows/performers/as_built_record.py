"""What an as-built document says of each activity, and the same as a page for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flows.dashboard.markdown import escaped
from flows.engine.state import Engine
from ledger.questions.ncrs import ncrs
from ledger.questions.records import MeasurementRow, evidence, items, measurements, runs, sign_offs, waivers
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from steps.design.calculations.calculation import Calculation, Sheet
from steps.stamps import stamp
from steps.value import value_text

SHOWN = ("metric", "item", "value", "unit", "source")
"""What the page shows of a measurement, in this order."""

Record = dict[str, Any]
"""What an as-built document says of one activity."""


def record(snapshot: Snapshot, row: Activity) -> Record:
    """Return everything that the ledger holds of an activity's present attempt."""
    name, attempt = row.id, row.attempt
    played = [run for run in runs(snapshot, name) if run.attempt == attempt]
    read = [m for m in measurements(snapshot, name) if m.attempt == attempt]
    signed = [s for s in sign_offs(snapshot, name) if s.attempt == attempt]
    waived = [w for w in waivers(snapshot, name) if w.attempt == attempt]
    files = [e for e in evidence(snapshot, name) if e.attempt == attempt]
    hosts = {item.host for run in played for item in items(snapshot, run.id)}
    return {
        "activity": name,
        "title": row.plan.title,
        "state": row.state.words,
        "attempt": attempt,
        "flags": sorted(row.flags),
        "finished_at": None if row.ended_at is None else stamp(row.ended_at),
        "items": row.plan.items,
        "items_of": row.plan.items_of,
        "measurements": [_measurement(m) for m in read],
        "runs": [{"id": run.id, "status": run.status, "summary": run.summary} for run in played],
        "hosts": sorted(hosts),
        "evidence": [{"kind": e.kind, "name": e.name, "sha256": e.digest} for e in files],
        "signed_by": [f"{s.person} as {s.role}" for s in signed],
        "waivers": [f"{w.id} {w.metric}: {w.reason}" for w in waived],
        "non_conformances": [f"{n.id}: {n.reason} ({n.disposition or 'open'})" for n in ncrs(snapshot, name=name)],
    }


def _measurement(m: MeasurementRow) -> Record:
    return {
        "metric": m.metric,
        "item": m.item,
        "value": value_text(m.value),
        "unit": m.unit,
        "source": m.source,
        "by": m.by,
    }


def page(engine: Engine, title: str, calculation: Calculation) -> Sheet:
    """Return a calculation as a Markdown page. Text that hosts and people wrote is escaped."""
    kind = calculation.evidence or ""
    head = f"# {title} of {escaped(engine.plan.site)}"
    revision = f"Plan revision {engine.revision}."

    def write() -> str:
        return "\n".join((head, "", revision, "", *_body(calculation))) + "\n"

    return Sheet(kind, f"{kind}.md", write)


def _body(calculation: Calculation) -> Iterator[str]:
    yield from ("| what | value | from |", "|---|---|---|")
    for figure in (*calculation.inputs, *calculation.results):
        value = escaped(f"{value_text(figure.value)} {figure.unit}")
        yield f"| {escaped(figure.name)} | {value} | {escaped(figure.source)} |"
    for each in calculation.records:
        yield from _section(each)


def _section(each: Record) -> Iterator[str]:
    """Yield the lines about one activity."""
    finished = escaped(each["finished_at"] or "not finished")
    yield from ("", f"## {escaped(each['activity'])} {escaped(each['title'])}", "")
    yield f"{escaped(each['state'])}, attempt {each['attempt']}, {finished}"
    for m in each["measurements"]:
        metric, item, value, unit, source = (escaped(m[name]) for name in SHOWN)
        yield f"- {metric} {item}: {value} {unit} ({source})"
    for e in each["evidence"]:
        yield f"- evidence {escaped(e['kind'])} {escaped(e['name'])} `{e['sha256']}`"
    for part in ("signed_by", "waivers", "non_conformances"):
        for said in each[part]:
            yield f"- {part.replace('_', ' ')}: {escaped(said)}"
