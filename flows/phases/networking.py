"""Networking, steps 036 to 070: the fabric is designed, bought, pulled, configured and proven, and written down as it was built."""

from __future__ import annotations

from typing import Any

from prefect.client.schemas.objects import State

from flows.phases.phase_flow import phase_flow, take_work
from steps.catalog.terms import Phase


@phase_flow(Phase.NETWORKING)
def networking(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Take what is ready of this phase, until nothing is left. `activities` are those it began with."""
    return take_work()
