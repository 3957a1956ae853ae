"""Storage, steps 121 to 140: file systems for data sets, checkpoints and results, their quotas, backups and speed."""

from __future__ import annotations

from typing import Any

from prefect.client.schemas.objects import State

from flows.phases.phase_flow import phase_flow, take_work
from steps.catalog.terms import Phase


@phase_flow(Phase.STORAGE)
def storage(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Take what is ready of this phase, until nothing is left. `activities` are those it began with."""
    return take_work()
