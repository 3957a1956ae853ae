"""This machine as a site of one step, which waits for nothing before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from clusterwright.planning import plan_of
from ledger.project_time import project_now
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from steps.planning.plan import Plan
from tests.conftest import Command


def one_step_site(folder: Path, command: Command, name: str, **changed: Any) -> Path:
    """Make the site of the preset `localhost`, of whose plan one activity is left, with what is to be different of it."""
    only = one_activity(folder, command, name, **changed)
    with create_ledger(
        folder, site_name=only.site, time_zone=only.time_zone, rehearsal=False, owner="owner", clock=project_now
    ) as ledger:
        adopt_plan(ledger, "owner", only, reason="one step")
    return folder


def one_activity(folder: Path, command: Command, name: str, **changed: Any) -> Plan:
    """Make the site's folder, and return its plan with this activity alone."""
    assert command("init", folder, "--preset", "localhost").returncode == 0
    plan = plan_of(folder)
    wanted = tuple(replace(a, **changed) for a in plan.activities if a.id == name)
    return plan.model_copy(update={"activities": wanted, "links": (), "orders": ()})
