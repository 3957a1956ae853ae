"""On a real site: compute what can be computed, run what reads or was released, ask people for the rest."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from flows.engine_state import Engine, Outcome
from flows.executors.automated import Automation
from flows.executors.compute import compute
from flows.executors.duplicate import complete_duplicate, duplicates_done
from flows.executors.people import ask_person
from ledger.reads import ActivityRow, Reader
from steps.catalog.schema import Kind


class RealPerformer:
    """The performer of `up`."""

    def __init__(self, site_dir: Path, playbooks: Path, inventory: Path | None, *, hands_off: bool) -> None:
        """Keep where site, playbooks and inventory are; `hands_off` runs only what reads."""
        self.site_dir = site_dir
        self.automation = Automation(playbooks, inventory, hands_off=hands_off)

    def wants(self, row: ActivityRow) -> bool:
        """Everything ready is dealt with once an attempt; duplicates only when their others are done."""
        return not row.completed_by or duplicates_done(self.site_dir, row)

    def mark(self, row: ActivityRow) -> str:
        """Give the live release of a step that changes hosts: with it the step is handed out once more."""
        if row.effect == "read" or not row.playbook:
            return ""
        with Reader.open(self.site_dir) as reader:
            return next((r.id for r in reader.releases(row.id) if r.live and r.attempt == row.attempt), "")

    def perform(self, engine: Engine, row: ActivityRow) -> Outcome:
        """Deal with a ready activity by its kind."""
        if row.completed_by:
            return complete_duplicate(engine, row)
        kind = Kind(row.kind)
        match kind:
            case Kind.PROCURE | Kind.FIELD | Kind.GATE:
                return ask_person(engine, row)
            case Kind.COMPUTE:
                return compute(engine, row)
            case Kind.AUTOMATE | Kind.VERIFY:
                return self.automation.perform(engine, row)
        assert_never(kind)


    def cancel(self, activity: str) -> bool:
        """Stop a run of this engine; say whether there was one."""
        cancel = self.automation.cancels.get(activity)
        if cancel is not None:
            cancel.set()
        return cancel is not None
