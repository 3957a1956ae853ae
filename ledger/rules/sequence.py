"""Out of sequence: what people did while something before it was still open. It is recorded when it happened.

A lease is signed before the study that should come first, or work begins early. The record says so, and why. What comes after it
still waits for what is missing. Gates and hold points wait too: each is approved when everything before it is done. Work of
software, and work at what is live or becomes live, is never out of sequence.
"""

from __future__ import annotations

from ledger.rules.activity import Action, Activity, State
from ledger.rules.approval import permitted
from ledger.rules.case import Case
from ledger.rules.readiness import GO_LIVE, refuse_waiting
from steps.catalog.terms import PEOPLES_WORK, Kind
from steps.errors import NotSatisfiedError

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


def early(case: Case, why: str, result: State) -> str:
    """Return why a blocked activity went on all the same. Raise if nobody says why, or if it may never be out of sequence."""
    row = case.row
    if not why.strip():
        option = "" if why_never(row) else "; if it happened all the same, add --out-of-sequence WHY"
        verb = "be passed" if row.plan.kind is Kind.GATE else "start"
        refuse_waiting(row.id, row.plan.title, verb, case.waits("start"), otherwise=option)
    refuse_never(row)
    permitted(case, Action.RECORD_EARLY, result)
    return why
