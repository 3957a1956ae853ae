"""A ledger is made, and plans are put in force."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select

from ledger.database import Ledger
from ledger.events import Event
from ledger.file import FORMAT
from ledger.payloads import Genesis, PlanAdopted
from ledger.plan_store import store_plan
from ledger.tables import PlanRevision
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError
from steps.schedule.plan import Plan

ADOPTERS = ("owner-pm", "sponsor")
"""Roles that may put a plan in force."""


def create_ledger(
    site_dir: Path,
    *,
    site_name: str,
    time_zone: str,
    rehearsal: bool,
    owner: str,
    clock: Callable[[], datetime],
    owner_key: str | None = None,
) -> Ledger:
    """Make a site's ledger; what genesis says can never be changed."""
    genesis = Genesis(
        site_uuid=str(uuid.uuid4()),
        format=FORMAT,
        name=site_name,
        time_zone=time_zone,
        rehearsal=rehearsal,
        owner=owner,
        owner_key=owner_key,
    )
    return Ledger.create(site_dir, genesis, clock=clock)


def adopt_plan(
    ledger: Ledger,
    actor: str,
    plan: Plan,
    *,
    reason: str,
    baseline: str | None = None,
    at: datetime | None = None,
) -> Event:
    """Put a plan in force as the next revision; activities keep their ids and what was done."""
    if not reason.strip():
        raise InputError("adopting a plan needs a reason", hint="give --reason")
    document = store_plan(ledger.site_dir, plan)
    with ledger.write() as writing:
        revision = writing.session.execute(select(func.max(PlanRevision.revision))).scalar() or 0
        _may_adopt(writing, actor, plan, first=revision == 0)
        payload = PlanAdopted(
            revision=revision + 1,
            document=document,
            reason=reason,
            baseline=baseline,
            activities=len(plan.activities),
            digests=plan.digests,
        )
        return writing.append(actor, payload, subject=f"plan/{revision + 1}", at=at)


def _may_adopt(writing: Writing, actor: str, plan: Plan, *, first: bool) -> None:
    """Refuse strangers. The first plan names its own people; afterwards only people in force count."""
    if actor == writing.site().owner:
        return
    if first:
        held = {role for person in plan.people if person.id == actor for role in person.roles}
    else:
        held = writing.roles(actor)
    if not held & set(ADOPTERS):
        raise NotSatisfiedError(
            f"{actor} may not adopt a plan",
            hint="roles that may: " + ", ".join(ADOPTERS) + ", or the owner named in genesis",
        )
