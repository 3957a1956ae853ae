"""Artifacts of a run: tables that everyone reads in the dashboard. Text from people and hosts is escaped."""

from __future__ import annotations

from prefect.artifacts import create_table_artifact

from flows.dashboard.markdown import escaped
from ledger.subjects.runs.cause_rules import Cause
from steps.design.calculations.calculation import Calculation
from steps.planning.activity import PlanActivity
from steps.value import value_text

CAUSES = 100
"""How many causes the table of a run has."""


def publish_causes(activity: PlanActivity, found: list[Cause]) -> None:
    """Write why hosts are not done as a table on the run: a line for each cause, failed hosts first."""
    rows = [
        {
            "hosts": cause.host_count,
            "result": cause.status,
            "which": escaped(cause.named),
            "why": escaped(cause.message),
            "task": escaped(cause.task),
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
