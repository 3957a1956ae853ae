"""The flow of each phase."""

from __future__ import annotations

from flows.phases.cooling import cooling
from flows.phases.go_live import go_live
from flows.phases.monitoring import monitoring
from flows.phases.networking import networking
from flows.phases.power import power
from flows.phases.procurement import procurement
from flows.phases.server_assembly import server_assembly
from flows.phases.software_stack import software_stack
from flows.phases.storage import storage
from steps.catalog.terms import Phase

PHASE_FLOWS = {
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
