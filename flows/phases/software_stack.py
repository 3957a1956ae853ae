"""Software stack, steps 141 to 165: one operating system, drivers, libraries and schedulers on every node."""

from __future__ import annotations

from typing import Any

from prefect.client.schemas.objects import State

from flows.phases.phase_flow import phase_flow, take_work
from steps.catalog.terms import Phase


@phase_flow(Phase.SOFTWARE_STACK)
def software_stack(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Take what is ready of this phase, until nothing is left. `activities` are those it began with."""
    return take_work()
