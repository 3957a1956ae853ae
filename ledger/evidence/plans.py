"""Adopted plans as documents in the evidence store: store one, and read it again."""

from __future__ import annotations

from pathlib import Path

from ledger.evidence.store import load, store
from ledger.questions.site import plan_document
from ledger.questions.snapshot import Snapshot
from steps.planning.plan import Plan
from steps.planning.plan_document import document_of, frame_of, plan_of


def store_plan(site_dir: Path, plan: Plan) -> str:
    """Store a plan as a document and return its SHA-256."""
    return store(site_dir, document_of(plan))


def load_plan(site_dir: Path, digest: str) -> Plan:
    """Return a stored plan, equal to the one that was stored."""
    return plan_of(load(site_dir, digest))


def read_plan(snapshot: Snapshot, revision: int | None = None) -> Plan:
    """Return an adopted plan. None as revision means the plan in force."""
    return load_plan(snapshot.site_dir, plan_document(snapshot, revision))


def read_frame(snapshot: Snapshot) -> Plan:
    """Return the plan in force without its activities and links: what is ordered, figures, units and people."""
    return frame_of(load(snapshot.site_dir, plan_document(snapshot, None)))


def forget_plans() -> None:
    """Forget the plans that were read last, for a process that goes on for months with what it took from them."""
    plan_of.cache_clear()
