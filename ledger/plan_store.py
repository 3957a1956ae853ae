"""Adopted plans as content-addressed documents: writing one, and reading it back exactly."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path

from ledger import evidence
from ledger.stamps import Value
from steps.schedule.plan import Plan, PlanActivity


def store_plan(site_dir: Path, plan: Plan) -> str:
    """Keep a plan's document and give its SHA-256."""
    return evidence.store(site_dir, plan.model_dump_json().encode())


def load_plan(site_dir: Path, digest: str) -> Plan:
    """Give a stored plan, equal to the one that was stored."""
    plan = Plan.model_validate_json(evidence.load(site_dir, digest))
    activities = tuple(_restored(activity) for activity in plan.activities)
    return plan.model_copy(update={"activities": activities})


def read_plan(site_dir: Path, revision: int | None = None) -> Plan:
    """Give an adopted plan revision; the one in force if none is named."""
    from ledger.reads import Reader

    with Reader.open(site_dir) as reader:
        return load_plan(site_dir, reader.plan_document(revision))


def _restored(activity: PlanActivity) -> PlanActivity:
    """JSON has no decimals: a threshold comes back as text unless it is made a number again."""
    if not activity.criteria:
        return activity
    criteria = tuple(
        c.model_copy(update={"value": _number(c.value)}) if isinstance(c.value, str) else c for c in activity.criteria
    )
    return activity.model_copy(update={"criteria": criteria})


def _number(text: str) -> Value:
    try:
        return Decimal(text)
    except InvalidOperation:
        return text
