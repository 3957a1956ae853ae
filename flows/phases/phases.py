"""The nine phase flows, in the order of the work. A run takes what is ready of its phase, until nothing is left.

What they share is in `phase_flow`. `activities` are those with which a run began.
"""

from __future__ import annotations

from typing import Any

from prefect.client.schemas.objects import State

from flows.phases.phase_flow import PhaseFlow, phase_flow, take_work
from steps.catalog.terms import Phase


@phase_flow(Phase.PROCUREMENT)
def procurement(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Procurement, steps 001 to 012: what is bought a year ahead, the contracts behind it, and what the servers that come really are."""
    return take_work()


@phase_flow(Phase.SERVER_ASSEMBLY)
def server_assembly(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Server assembly, steps 013 to 035: servers are put together, racked and brought up, and burnt in."""
    return take_work()


@phase_flow(Phase.NETWORKING)
def networking(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Networking, steps 036 to 070: the fabric is designed, bought, pulled, configured and proven, and written down as it was built."""
    return take_work()


@phase_flow(Phase.POWER)
def power(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Power, steps 071 to 095: from the utility's service to energised racks. Nothing is energised without a hold point's sign-off."""
    return take_work()


@phase_flow(Phase.COOLING)
def cooling(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Cooling, steps 096 to 120: heat is counted, plant and pipes are built, flushed and balanced, and watched by alarms."""
    return take_work()


@phase_flow(Phase.STORAGE)
def storage(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Storage, steps 121 to 140: file systems for data sets, checkpoints and results, their quotas, backups and speed."""
    return take_work()


@phase_flow(Phase.SOFTWARE_STACK)
def software_stack(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Software stack, steps 141 to 165: one operating system, drivers, libraries and schedulers on every node."""
    return take_work()


@phase_flow(Phase.MONITORING)
def monitoring(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Monitoring, steps 166 to 185: metrics, logs, dashboards and alerts, and the speed of training as it is measured."""  # noqa: D401  its name
    return take_work()


@phase_flow(Phase.GO_LIVE)
def go_live(site: str, revision: int, activities: list[str]) -> State[Any]:
    """Go-live, steps 186 to 195: training at scale, failures on purpose, and the owner's acceptance."""
    return take_work()


PHASE_FLOWS: dict[Phase, PhaseFlow] = {
    Phase.PROCUREMENT: procurement,
    Phase.SERVER_ASSEMBLY: server_assembly,
    Phase.NETWORKING: networking,
    Phase.POWER: power,
    Phase.COOLING: cooling,
    Phase.STORAGE: storage,
    Phase.SOFTWARE_STACK: software_stack,
    Phase.MONITORING: monitoring,
    Phase.GO_LIVE: go_live,
}
