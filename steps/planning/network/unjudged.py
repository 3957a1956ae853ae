"""Metrics that an activity reads and that no criterion of its design judges."""

from __future__ import annotations

from collections.abc import Collection

from steps.catalog.loader import shipped_step
from steps.catalog.schema import Step
from steps.catalog.terms import AlsoRead


def noted(step: Step, judged: Collection[str]) -> tuple[AlsoRead, ...]:
    """Return what a step reads besides the metrics in `judged`.

    A criterion that does not hold in a design (its `when`) judges nothing there, and its metric is still read.
    """
    by_software = [criterion for criterion in step.accept if not criterion.by_hand]
    left_out = [AlsoRead(metric=c.metric, unit=c.unit) for c in by_software]
    found = {read.metric: read for read in (*left_out, *step.also_reads)}
    return tuple(read for metric, read in found.items() if metric not in judged)


def noted_before(step_id: str, judged: Collection[str]) -> tuple[AlsoRead, ...]:
    """Return what an activity reads besides `judged`, for a plan from before 0.2, which does not say it.

    Such plans left it to the program: a table of the installed program named the metrics of each step. The step's file in
    the installed catalog took that table's place, and decides for these plans. A site's own step has none.
    """
    step = shipped_step(step_id)
    return () if step is None else noted(step, judged)
