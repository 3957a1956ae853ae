"""The fabric's own diagnosis: the summary table of ibdiagnet, by stage."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

HEAD = re.compile(r"^-I- Stage\s+Warnings\s+Errors\s+Comment\s*$", re.MULTILINE)
ROW = re.compile(r"^-I- (?!.*-I-)(\S.*?)\s{2,}(\d+)\s+(\d+)(?:[ \t]+\S.*?)?[ \t]*$", re.MULTILINE | re.ASCII)
SKIPPED = re.compile(r"^-I- (\S.*?)\s{2,}NA\s+NA\b", re.MULTILINE)
END = re.compile(r"^-I- You can find detailed errors/warnings in: \S+", re.MULTILINE)


def stage_errors(handed: Handed, name: str) -> Found:
    """Count the errors and warnings of a stage; a stage that did not run is not measured."""
    stages = _stages(handed)
    if name not in stages:
        raise NotMeasuredError(f"ibdiagnet did not run {name}")
    return Found(sum(stages[name], Decimal(0)))


def _sum(handed: Handed, column: int) -> Found:
    """Count warnings (1) or errors (2) of all stages."""
    stages = {name: figures[column - 1] for name, figures in _stages(handed).items()}
    bad = [f"{name}: {count}" for name, count in stages.items() if count]
    return Found(sum(stages.values(), Decimal(0)), "; ".join(bad))


def _stages(handed: Handed) -> dict[str, tuple[Decimal, Decimal]]:
    """Return warnings and errors by stage; the line that names the file of details ends the summary."""
    said = handed.text("ibdiagnet", accept=(0, 1))
    head = HEAD.search(said)
    end = END.search(said, head.end()) if head else None
    if not head or not end:
        handed.garbled()
    table = said[head.end() : end.start()]
    found = ROW.findall(table)
    rows = {name: (number(warned), number(failed)) for name, warned, failed in found}
    lines = [line for line in table.splitlines() if line.strip()]
    if not rows or len(lines) != len(rows) + len(SKIPPED.findall(table)):
        handed.garbled()
    return rows


TOOL = Tool(
    "ibdiagnet",
    "ibdiagnet",
    "ibdiagnet --pc --pm_pause_time 600",
    (
        Metric("fabric.errors", "count", partial(_sum, column=2)),
        Metric("fabric.warnings", "count", partial(_sum, column=1)),
        Metric("fabric.speed_width_faults", "count", partial(stage_errors, name="Speed / Width checks")),
        Metric("fabric.counter_faults", "count", partial(stage_errors, name="Port Counters")),
    ),
)
