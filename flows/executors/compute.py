"""Compute steps: the calculator's figures are measured against the step's criteria and recorded."""

from __future__ import annotations

import os
import platform
from decimal import Decimal

from flows.ansible.orphans import boot_id
from flows.engine_state import Engine
from flows.performer import Outcome, settled
from ledger.payloads import RunSettled
from ledger.reads import ActivityRow
from ledger.services.runs import Measured, RunOutcome, claim, settle
from steps.design.calculated import calculated

LEASE_S = 60.0
SOURCE = "design of the plan in force"


def compute(engine: Engine, row: ActivityRow) -> Outcome:
    """Work out every metric that follows from the design; what does not is not measured, and waits."""
    owner = f"{engine.id}:{row.id}"
    held = claim(
        engine.ledger,
        owner,
        row.id,
        lease_s=LEASE_S,
        host=platform.node(),
        boot_id=boot_id(),
        pid=os.getpid(),
        pgid=0,
    )
    if held is None:
        return Outcome("Taken", "another engine computes it")
    figures = calculated(engine.plan, row.unit)
    measured = [_measured(c.metric, c.unit, figures) for c in engine.activities[row.id].criteria]
    lacking = [m.metric for m in measured if m.value is None]
    summary = f"{len(measured) - len(lacking)} figures from the design"
    if lacking:
        summary += f"; not measured: {', '.join(lacking)}; a person measures them, or attests"
    outcome = RunOutcome("ok", measurements=tuple(measured), summary=summary)
    event = settle(engine.ledger, owner, row.id, outcome, attempt=held.attempt)
    assert isinstance(event.payload, RunSettled)
    return settled(event.payload.result, summary)


def _measured(metric: str, unit: str, figures: dict[str, tuple[Decimal, str]]) -> Measured:
    if metric in figures:
        value, given = figures[metric]
        return Measured(metric, value, given, source=SOURCE)
    return Measured(metric, None, unit, source=SOURCE, note="no calculator gives this figure yet")
