"""Artifacts of a run: tables that everyone reads in the dashboard. Text from people and hosts is escaped."""

from __future__ import annotations

from prefect.artifacts import create_markdown_artifact, create_table_artifact

from flows.engine_state import Engine
from ledger.questions.counts import PhaseRow, phases
from ledger.questions.forecast_words import go_live_lines
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.site import site_of
from ledger.rules.causes import Cause
from steps.design.calculations.calculation import Calculation
from steps.schedule.activity import PlanActivity
from steps.text import shown_in_line
from steps.value import value_text

CAUSES = 100
"""How many causes the table of a run has."""

MARKS = "\\`*_[]<>|#"


def escaped(text: object) -> str:
    """Return text that Markdown shows as it is."""
    return "".join("\\" + c if c in MARKS else c for c in shown_in_line(text))


def status_text(engine: Engine) -> str:
    """Return the site's status as a Markdown table."""
    with engine.snapshot() as snapshot:
        found, site = phases(snapshot), site_of(snapshot)
        go_live = go_live_lines(snapshot, kept_forecast(snapshot))
    head = "**REHEARSAL: nothing here was really done.**\n\n" if engine.rehearsal else ""
    lines = [
        f"{head}{escaped(site.name)}, plan revision {site.revision}, {snapshot.now:%Y-%m-%d %H:%M} UTC",
        "",
        *(f"- {escaped(line)}" for line in go_live),
        "",
        "| phase | done | running | in progress | awaiting sign-off | ready | blocked | failed | not applicable |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_line(p) for p in found),
    ]
    return "\n".join(lines)


def _line(p: PhaseRow) -> str:
    begun = (p.done, p.running, p.in_progress, p.awaiting)
    cells = (*begun, p.ready, p.blocked, p.failed, p.not_applicable)
    return f"| {p.phase} | " + " | ".join(map(str, cells)) + " |"


def publish_status(engine: Engine) -> None:
    """Write the site's status as the standing artifact `status`."""
    create_markdown_artifact(key="status", markdown=status_text(engine), description="The site's status")


def publish_causes(activity: PlanActivity, found: list[Cause]) -> None:
    """Write why hosts are not done as a table on the run: a line for each cause, failed hosts first."""
    rows = [
        {
            "hosts": cause.host_count,
            "result": cause.status,
            "which": escaped(cause.named),
            "task": escaped(cause.task),
            "why": escaped(cause.message),
        }
        for cause in found[:CAUSES]
    ]
    left_out = f", the first {CAUSES} of {len(found)} causes" if len(found) > CAUSES else ""
    create_table_artifact(
        key=f"not-done-{activity.step}-{activity.unit}".lower(),
        table=rows,
        description=escaped(f"{activity.title}: hosts that are not done, by cause{left_out}"),
    )


def publish_calculation(activity: PlanActivity, calculation: Calculation, summary: str) -> None:
    """Write a calculation as a table on the run: one line for each figure, results first."""
    limits = {c.metric: f"{c.op} {value_text(c.value)} {c.unit}" for c in activity.criteria}
    rows = [
        {
            "figure": figure.name,
            "value": f"{value_text(figure.value)} {figure.unit}",
            "must be": limits.get(figure.name, ""),
            "from": escaped(figure.source),
        }
        for figure in (*calculation.results, *calculation.inputs)
    ]
    doubts = [f"{f.severity}: {f.says}; {f.remedy}" for f in calculation.findings]
    create_table_artifact(
        key=f"calculation-{activity.step}-{activity.unit}".lower(),
        table=rows or [{"figure": "none", "value": "", "must be": "", "from": ""}],
        description=escaped(f"{activity.title}: {summary}. " + " ".join(doubts)),
    )
