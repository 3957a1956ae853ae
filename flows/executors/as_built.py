"""Steps 070 and 094: the as-built network and power, written from what the ledger holds and from nothing else.

What discovery, inspection and people recorded is put together and counted. What was attested, or taken over
from before, was not recorded here: a count that would rest on it is left `not measured`, and a person settles it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from flows.artifacts import escaped
from flows.engine_state import Engine
from ledger.questions.activities import activities
from ledger.questions.facts import facts as recorded_facts
from ledger.questions.ncrs import ncrs
from ledger.questions.records import evidence, items, measurements, runs, sign_offs, waivers
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import criteria
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from steps.design.calculations.calculation import Calculation, Facts, Sheet, number
from steps.schedule.activity import PlanActivity
from steps.stamps import stamp
from steps.value import value_text

UNRECORDED = frozenset({"attested", "before"})
"""Flags of what was done outside: that it was done is known, what was found is not."""

AsBuilt = Callable[[Engine, PlanActivity, Facts], Calculation]


def network(engine: Engine, activity: PlanActivity, facts: Facts) -> Calculation:
    """Step 070: switches, links and addresses as discovery and configuration runs recorded them."""
    calculation = Calculation(evidence="as-built-network")
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        found = _records(snapshot, ("037", "044", "048", "049", "050", "053", "062", "H15"))
        covered = _switches_covered(engine, snapshot, found)
        differences = _differences(snapshot, found.get("062", []), "topology.")
    switches, cables = activity.items or 0, sum(row.plan.items or 0 for row in found.get("062", []))
    calculation.takes("switches", switches, "count", "design: leaf, spine, core and management switches")
    calculation.takes("cables", cables, "count", "links that discovery compares, pod by pod")
    if covered is not None and switches:
        calculation.gives(
            "as_built.switches_covered", covered, "count", "configured by a run, or installed and signed for"
        )
        calculation.gives(
            "as_built.switches_covered_ratio", min(1.0, covered / switches), "ratio", "over the switches of the design"
        )
    if differences is not None:
        count, named = differences
        calculation.gives(
            "as_built.unexplained_differences", count, "count", named or "discovery found nothing else than was drawn"
        )
    sampled, errors = number(facts, "cables.sampled"), number(facts, "cables.sample_errors")
    if sampled is not None and errors is not None and cables:
        calculation.gives(
            "as_built.sampled_cable_ratio", sampled / cables, "ratio", "cables followed by hand over all links"
        )
        calculation.gives("as_built.sampled_cable_errors", errors, "count", "of that sample")
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        calculation.records = [_record(snapshot, row) for rows in found.values() for row in rows]
    calculation.sheets.append(_page(engine, "as-built-network", "As-built network", calculation))
    return calculation


def power(engine: Engine, activity: PlanActivity, facts: Facts) -> Calculation:  # noqa: ARG001  one shape for both
    """Step 094: circuits as given, labelled and inspected; the engineer's single-line is laid beside it by a person."""
    calculation = Calculation(evidence="panel-schedule")
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        found = _records(snapshot, ("085", "086", "087", "088", "089", "091", "H13", "H31"))
        inspected = [row for step in ("085", "089", "091") for row in found.get(step, [])]
        differences = _differences(snapshot, inspected)
        asked = {row.id for step in ("021", "085") for row in activities(snapshot, step=step)}
        known = {fact.name: fact for fact in recorded_facts(snapshot, "site") if fact.activity in asked}
    for name, fact in known.items():
        calculation.takes(name, fact.value, fact.unit_of_measure, f"{fact.by}, {fact.source or 'as evidence shows'}")
    for name, figure, unit in (("feed.voltage", "rack_feed_v", "V"), ("feed.breaker", "rack_breaker_a", "A")):
        if name in known:
            calculation.gives(
                f"{name}_in_design",
                float(engine.plan.design[figure]),
                unit,
                "the design's figure, beside what is there",
            )
    if differences is not None:
        count, named = differences
        calculation.gives(
            "asbuilt.open_differences", count, "count", named or "nothing was found that is not as it should be"
        )
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        calculation.records = [_record(snapshot, row) for rows in found.values() for row in rows]
    calculation.sheets.append(_page(engine, "panel-schedule", "As-built power", calculation))
    return calculation


AS_BUILT: dict[str, AsBuilt] = {"070": network, "094": power}
"""Which steps are written from the ledger, and by what."""


def _records(snapshot: Snapshot, steps: Iterable[str]) -> dict[str, list[Activity]]:
    """Give the activities of these steps that apply, by step, in plan order."""
    found = {step: activities(snapshot, step=step) for step in steps}
    return {
        step: [row for row in rows if row.state is not State.NOT_APPLICABLE] for step, rows in found.items() if rows
    }


def _switches_covered(engine: Engine, snapshot: Snapshot, found: Mapping[str, list[Activity]]) -> int | None:
    """Give how many switches the ledger has word of; None where one of the steps was done outside of it."""
    covered = 0
    for row in (*found.get("048", []), *found.get("050", []), *found.get("H15", [])):
        hosts = {
            item.host
            for run in runs(snapshot, row.id)
            if run.attempt == row.attempt
            for item in items(snapshot, run.id)
            if item.status in {"ok", "changed"}
        }
        if row.state is not State.DONE:
            continue
        if not hosts and row.flags & UNRECORDED:
            return None
        if row.plan.step == "H15":
            covered += int(engine.plan.design["management_switches"])
        else:
            covered += len(hosts) or row.items_done or 0
    return covered


def _differences(snapshot: Snapshot, rows: Iterable[Activity], about: str = "") -> tuple[int, str] | None:
    """Count what was found and is not as it should be, waived or not; None where something was not recorded.

    `about` is how the metrics begin that are differences. A waiver lets the work proceed and closes nothing: what
    was waived is still there. A metric in counts counts as many; open non-conformances count one each.
    """
    count, named = 0, []
    for row in rows:
        if row.flags & UNRECORDED or row.state is not State.DONE:
            return None
        for criterion in criteria(snapshot, row.id):
            if not criterion.metric.startswith(about) or criterion.verdict == "met":
                continue
            value = _last(snapshot, row, criterion.metric)
            if value is None:
                return None
            count += max(1, int(value)) if criterion.unit == "count" else 1
            named.append(f"{row.id} {criterion.metric} {criterion.measured} ({criterion.verdict})")
        for ncr in ncrs(snapshot, open_only=True, name=row.id):
            count += 1
            named.append(f"{ncr.id} of {row.id}: {ncr.reason}")
    return count, "; ".join(named)


def _last(snapshot: Snapshot, row: Activity, metric: str) -> Decimal | None:
    """Give the sum over items of what was last read of a metric in this attempt, None where nothing was."""
    read = {m.item: m.value for m in measurements(snapshot, row.id) if m.attempt == row.attempt and m.metric == metric}
    numbers = [value for value in read.values() if isinstance(value, Decimal) and not isinstance(value, bool)]
    return sum(numbers, Decimal(0)) if numbers and len(numbers) == len(read) else None


def _record(snapshot: Snapshot, row: Activity) -> dict[str, Any]:
    """Give everything an as-built document says of one activity."""
    mine = [e for e in evidence(snapshot, row.id) if e.attempt == row.attempt]
    played = [run for run in runs(snapshot, row.id) if run.attempt == row.attempt]
    return {
        "activity": row.id,
        "title": row.plan.title,
        "state": row.state.words,
        "attempt": row.attempt,
        "flags": sorted(row.flags),
        "finished_at": None if row.ended_at is None else stamp(row.ended_at),
        "items": row.plan.items,
        "items_of": row.plan.items_of,
        "measurements": [
            {
                "metric": m.metric,
                "item": m.item,
                "value": value_text(m.value),
                "unit": m.unit,
                "source": m.source,
                "by": m.by,
            }
            for m in measurements(snapshot, row.id)
            if m.attempt == row.attempt
        ],
        "runs": [{"id": run.id, "status": run.status, "summary": run.summary} for run in played],
        "hosts": sorted({item.host for run in played for item in items(snapshot, run.id)}),
        "evidence": [{"kind": e.kind, "name": e.name, "sha256": e.digest} for e in mine],
        "signed_by": [f"{s.person} as {s.role}" for s in sign_offs(snapshot, row.id) if s.attempt == row.attempt],
        "waivers": [f"{w.id} {w.metric}: {w.reason}" for w in waivers(snapshot, row.id) if w.attempt == row.attempt],
        "non_conformances": [f"{n.id}: {n.reason} ({n.disposition or 'open'})" for n in ncrs(snapshot, name=row.id)],
    }


def _page(engine: Engine, kind: str, title: str, calculation: Calculation) -> Sheet:
    """Give the same as a Markdown page for people; everything that hosts and people wrote is escaped."""

    def write() -> str:
        lines = [f"# {title} of {escaped(engine.plan.site)}", "", f"Plan revision {engine.revision}.", ""]
        lines += ["| what | value | from |", "|---|---|---|"]
        for figure in (*calculation.inputs, *calculation.results):
            value = f"{value_text(figure.value)} {figure.unit}"
            lines.append(f"| {escaped(figure.name)} | {escaped(value)} | {escaped(figure.source)} |")
        for record in calculation.records:
            lines += ["", f"## {escaped(record['activity'])} {escaped(record['title'])}", ""]
            lines.append(
                f"{escaped(record['state'])}, attempt {record['attempt']}, {escaped(record['finished_at'] or 'not finished')}"
            )
            lines += [
                f"- {escaped(m['metric'])} {escaped(m['item'])}: {escaped(m['value'])} {escaped(m['unit'])} ({escaped(m['source'])})"
                for m in record["measurements"]
            ]
            lines += [
                f"- evidence {escaped(e['kind'])} {escaped(e['name'])} `{e['sha256']}`" for e in record["evidence"]
            ]
            for part in ("signed_by", "waivers", "non_conformances"):
                lines += [f"- {part.replace('_', ' ')}: {escaped(said)}" for said in record[part]]
        return "\n".join(lines) + "\n"

    return Sheet(kind, f"{kind}.md", write)
