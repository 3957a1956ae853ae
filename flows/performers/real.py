"""The performer of a real site: compute what can be computed, run what reads or was released, ask people for the rest."""

from __future__ import annotations

from functools import partial

from flows.engine.performer import Job, Outcome
from flows.engine.state import Engine
from flows.performers.automated import Automation
from flows.performers.compute import compute_mark, prepare_compute
from flows.performers.duplicate import complete_duplicate, is_due
from flows.performers.people import ask_person, asked_role
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from steps.catalog.terms import Kind


class RealPerformer(Automation):
    """The performer of `clusterwright up`: what is automated, and all other kinds of work."""

    def wants(self, snapshot: Snapshot, row: Activity) -> bool:
        """Return True for everything ready, but for a duplicate only where the others are done."""
        return is_due(snapshot, row)

    def mark(self, snapshot: Snapshot, row: Activity) -> str:
        """Return the playbook and its release, or the facts of a calculation. A change is a reason for another look."""
        if row.plan.kind is Kind.COMPUTE and not row.plan.completed_by:
            return compute_mark(snapshot, row)
        return super().mark(snapshot, row)

    def hosts(self, snapshot: Snapshot, row: Activity) -> tuple[str, ...]:
        """Return the hosts that a run of it would touch now."""
        return () if row.plan.completed_by else super().hosts(snapshot, row)

    def question(self, row: Activity) -> Outcome | None:
        """Return what is asked of people. Return None where the work is not theirs."""
        return ask_person(row) if asked_role(row) else None

    def prepare(self, engine: Engine, snapshot: Snapshot, row: Activity) -> Job:
        """Return what deals with a ready activity that software does."""
        if row.plan.completed_by:
            return partial(complete_duplicate, engine, row)
        if row.plan.kind is Kind.COMPUTE:
            return prepare_compute(engine, snapshot, row)
        return super().prepare(engine, snapshot, row)
