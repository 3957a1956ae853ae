"""Adopted plans as content-addressed documents: writing one, and reading it back exactly."""

from __future__ import annotations

from pathlib import Path

from ledger import evidence
from steps.schedule.plan import Plan


def store_plan(site_dir: Path, plan: Plan) -> str:
    """Keep a plan's document and give its SHA-256."""
    return evidence.store(site_dir, plan.model_dump_json().encode())


def load_plan(site_dir: Path, digest: str) -> Plan:
    """Give a stored plan, equal to the one that was stored."""
    return Plan.model_validate_json(evidence.load(site_dir, digest))


def read_plan(site_dir: Path, revision: int | None = None) -> Plan:
    """Give an adopted plan revision; the one in force if none is named."""
    from ledger.reads import Reader

    with Reader.open(site_dir) as reader:
        return load_plan(site_dir, reader.plan_document(revision))
