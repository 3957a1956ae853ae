"""Out of sequence: what people did while something before it was still open. It is recorded when it happened.

A lease is signed before the study that should come first, or work begins early. The record says so, and why. What comes after it
still waits for what is missing. Gates and hold points wait too: each is approved when everything before it is done. Work of
software, and work at what is live or becomes live, is never out of sequence.
"""

from __future__ import annotations

from ledger.rules.activity import Activity, State
from ledger.rules.case import Case
from ledger.rules.readiness import GO_LIVE, refuse_waiting
from schedule.errors import NotSatisfiedError
from steps.catalog.terms import PEOPLES_WORK, Kind

LIVE = frozenset({"arc flash", "live connections"})
"""Hazards of work that energises something, or that is done on what is energised."""


def why_never(row: Activity) -> str:
    """Return why an activity may never be out of sequence. Empty if it may."""
    if row.plan.step == GO_LIVE:
        return "it is the end of the project"
    if row.plan.kind not in PEOPLES_WORK:
        return "software does it"
    hazards = ", ".join(sorted(LIVE.intersection(row.plan.hazards)))
    return f"it is dangerous ({hazards})" if hazards else ""


def refuse_never(row: Activity) -> None:
    """Raise NotSatisfiedError for an activity that may never be out of sequence."""
    never = why_never(row)
    if never:
        raise NotSatisfiedError(
            f"{row.id} cannot be recorded out of sequence: {never}", hint=f"clusterwright why '{row.id}'"
        )


def early(case: Case, why: str) -> str:
    """Return why a blocked activity went on all the same. Raise if nobody says why, or if it may never be out of sequence."""
    if not why.strip():
        refuse_blocked(case)
    refuse_never(case.row)
    return why


def refuse_blocked(case: Case) -> None:
    """Raise while the activity waits for what comes before it. The hint says how to record what happened all the same."""
    if case.row.state is not State.BLOCKED:
        return
    row, is_gate = case.row, case.row.plan.kind is Kind.GATE
    verb = "finish" if is_gate else "start"
    option = f"; if it happened all the same: clusterwright {verb} {row.id} --out-of-sequence WHY"
    refuse_waiting(
        row.id,
        row.plan.title,
        "be passed" if is_gate else "start",
        case.waits("start"),
        otherwise="" if why_never(row) else option,
    )
