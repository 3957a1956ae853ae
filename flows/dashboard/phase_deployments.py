"""The nine phases under Deployments, in the order of the work, and the quick runs that people ask for there.

No work pool has them, so no worker of Prefect can take their runs: only the engine asks for these, and ends each at once.
"""

from __future__ import annotations

from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.standing_words import Shown, title
from flows.phases.phases import PHASE_FLOWS
from ledger.machine_time import machine_time
from ledger.rules.rows import grouped
from steps.catalog.terms import Phase

ABOUT = """\
A run takes what is ready of this phase, until nothing is left. `activities` are those it began with.

A quick run asks the engine to look now. It starts what is ready and nothing else, and it approves nothing."""


class PhaseDeployments:
    """The deployments of one site's phases in Prefect."""

    def __init__(self, api: PrefectApi) -> None:
        self._api = api
        self._phases: dict[str, Phase] = {}

    def register(self, site: str, revision: int) -> None:
        """Make the deployments, or bring them up to date with the plan revision in force."""
        parameters = {"site": site, "revision": revision, "activities": []}
        for number, (phase, flow) in enumerate(PHASE_FLOWS.items(), start=1):
            wanted = {
                "name": f"{number} {title(phase)}",
                "flow_id": self._api.post("/flows/", {"name": title(phase)})["id"],
                "entrypoint": f"{flow.fn.__module__}.{flow.fn.__name__}",
                "description": f"{flow.description}\n\n{ABOUT}",
                "tags": [site, phase],
                "parameters": parameters,
                "enforce_parameter_schema": False,
            }
            self._phases[self._api.post("/deployments/", wanted)["id"]] = phase
        self._due()  # Prefect shows deployments as ready once their runs were asked for so

    def asked(self) -> dict[Phase, list[str]]:
        """Return the quick runs that are due, by phase. As a rule there is none, and a count is the cheapest question."""
        scheduled = {"deployment_id": {"any_": list(self._phases)}, "state": {"type": {"any_": ["SCHEDULED"]}}}
        return self._due() if self._api.count("flow_runs", {"flow_runs": scheduled}) else {}

    def answer(self, run: str, state: Shown) -> None:
        """End a quick run with a state that says what came of it."""
        self._api.set_state("flow_runs", run, state._asdict())

    def _due(self) -> dict[Phase, list[str]]:
        wanted = {"deployment_ids": list(self._phases), "scheduled_before": machine_time().isoformat()}
        found = self._api.post("/deployments/get_scheduled_flow_runs", wanted)
        return grouped((self._phases[run["deployment_id"]], run["id"]) for run in found)
