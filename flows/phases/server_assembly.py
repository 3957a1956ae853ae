"""Server assembly, steps 013 to 035: servers are put together, racked and brought up, and burnt in."""

from __future__ import annotations

from typing import Any

from prefect.client.schemas.objects import State

from flows.phases.phase_flow import phase_flow, take_work
from steps.catalog.terms import Phase


@phase_flow(Phase.SERVER_ASSEMBLY)
def server_assembly(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Take what is ready of this phase, until nothing is left. `activities` are those it began with."""
    return take_work()
