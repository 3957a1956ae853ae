"""On a real site: compute what can be computed, run what reads or was released, ask people for the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

from flows.engine_state import Engine
from flows.executors.automated import Automation
from flows.executors.compute import compute, compute_mark
from flows.executors.duplicate import complete_duplicate, duplicates_done
from flows.executors.people import ask_person, asked_role
from flows.performer import Outcome
from ledger.rules.activity import Activity
from steps.catalog.terms import Kind


class RealPerformer:
    """The performer of `up`."""

    def __init__(self, site_dir: Path, playbooks: Path, inventory: Path | None, *, hands_off: bool) -> None:
        """Keep where site, playbooks and inventory are; `hands_off` runs only what reads."""
        self.site_dir = site_dir
        self.automation = Automation(site_dir, playbooks, inventory, hands_off=hands_off)

    def wants(self, row: Activity) -> bool:
        """Everything ready is dealt with once an attempt; duplicates only when their others are done."""
        return not row.plan.completed_by or duplicates_done(self.site_dir, row, datetime.now(UTC))

    def mark(self, row: Activity) -> str:
        """Give playbook and live release, or the facts: with another one the step is handed out once more."""
        if row.plan.kind == Kind.COMPUTE and not row.plan.completed_by:
            return compute_mark(self.site_dir, row, datetime.now(UTC))
        return self.automation.mark(row)

    def hosts(self, row: Activity) -> tuple[str, ...]:
        """Give the hosts that a run of it would touch."""
        return () if row.plan.completed_by else self.automation.hosts(row)

    def asks(self, row: Activity) -> str:
        """Give the role that is asked, for people's work."""
        return asked_role(row) if _is_peoples(row) else ""

    def perform(self, engine: Engine, row: Activity) -> Outcome:
        """Deal with a ready activity by its kind."""
        if row.plan.completed_by:
            return complete_duplicate(engine, row)
        kind = Kind(row.plan.kind)
        match kind:
            case Kind.PROCURE | Kind.FIELD | Kind.GATE:
                return ask_person(row)
            case Kind.COMPUTE:
                return compute(engine, row)
            case Kind.AUTOMATE | Kind.VERIFY:
                return self.automation.perform(engine, row)
        assert_never(kind)

    def cancel(self, activity: str) -> bool:
        """Stop a run of this engine; say whether there was one."""
        return self.automation.cancel(activity)


def _is_peoples(row: Activity) -> bool:
    return row.plan.kind in {Kind.PROCURE, Kind.FIELD, Kind.GATE} and not row.plan.completed_by
