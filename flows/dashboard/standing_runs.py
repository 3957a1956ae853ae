"""The standing runs in Prefect: one a phase, for the whole life of the site, with a node for each step that has work.

They are written by Prefect's REST interface alone: no process runs them, so none can end and leave a run that claims to be at
work. A run is found again by its idempotency key, a node by its id, which follows from the run and the step. What is sent is
the difference to what Prefect shows. No state has a time at which it lapses, so no service of Prefect changes one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID, uuid4, uuid5

from flows.dashboard.prefect_api import FINAL, PrefectApi
from flows.dashboard.standing_pictures import Node, Picture
from flows.dashboard.standing_words import NOTHING, Shown
from ledger.machine_time import machine_time

FLOW = "Phases"
TAG = "standing"
SLICE = "slice"
"""The tag of a run on a worker. Its dispatcher may have ended, and its processes not."""

RESTORED = "restored from ledger"
OPENED = Shown("RUNNING", "Opened")
"""The first state of a standing run. One that has no start would be "late" from then on."""

ADVANCES = "advances"
"""The node of a standing run of which all advances of the phase are children."""

BEGUN = {"RUNNING", *FINAL}
"""The types of Prefect's states in which work has begun."""

Links = dict[str, list[tuple[str, str]]]
"""By phase: which step comes before which."""


class Parent(NamedTuple):
    """The standing run of a phase, and its node of which advances are children."""

    run: str
    node: str


@dataclass
class _Run:
    """What Prefect shows of a standing run, as far as is known."""

    id: str
    name: str
    shown: Shown
    nodes: dict[str, Node] = field(default_factory=dict)
    artifact: str = ""
    text: str = ""


class StandingRuns:
    """The standing runs of one site."""

    def __init__(self, api: PrefectApi, site: str, uuid: str) -> None:
        self._api, self._uuid = api, uuid
        self._tags = [TAG, site]
        self._runs: dict[str, _Run] = {}

    def open(self, wanted: dict[str, Picture], restored: Collection[str] = ()) -> dict[str, Parent]:
        """Find or make the run of each phase, and the node of its advances. Those in `restored` are tagged so if they are made."""
        flow = self._api.post("/flows/", {"name": FLOW})["id"]
        # Prefect lists runs by their start, newest first: begun in reverse, they are listed in the order of the work
        for phase, picture in reversed(wanted.items()):
            tags = [*self._tags, phase, *([RESTORED] if phase in restored else [])]
            made = self._api.post(
                "/flow_runs/",
                {
                    "flow_id": flow,
                    "name": picture.name,
                    "tags": tags,
                    "idempotency_key": f"{TAG} {self._uuid} {phase}",
                    "state": OPENED._asdict(),
                },
            )
            self._runs[phase] = _Run(made["id"], made["name"], shown_of(made))
        return {phase: Parent(run.id, self._advances(run)) for phase, run in self._runs.items()}

    def load(self) -> None:
        """Ask what Prefect shows of the runs' nodes and artifacts. Somebody may have changed it there."""
        by_id = {run.id: run for run in self._runs.values()}
        among = {"flow_run_id": {"any_": list(by_id)}}
        for node in self._api.every("task_runs", {"task_runs": among}):
            # a node of an earlier release has no start, and is in no graph: it is sent again
            if node["task_key"] != ADVANCES and node["expected_start_time"]:
                by_id[node["flow_run_id"]].nodes[node["dynamic_key"]] = Node(node["name"], shown_of(node))
        for artifact in self._api.every("artifacts", {"artifacts": among}):
            run = by_id[artifact["flow_run_id"]]
            run.artifact, run.text = artifact["id"], str(artifact["data"])

    def send(self, wanted: dict[str, Picture], links: Links) -> None:
        """Make Prefect show the states and names that are wanted, of phases first. All nodes are sent in one request."""
        events: list[dict[str, Any]] = []
        for phase, picture in wanted.items():
            run = self._runs[phase]
            self._send_run(run, picture)
            for step, node in _changed(run, picture).items():
                events.append(_event(run, step, node, _earlier(step, picture, links.get(phase, []))))
        if events:
            self._api.post("/events", events)
        for phase, picture in wanted.items():
            run = self._runs[phase]
            run.nodes |= _changed(run, picture)

    def send_texts(self, wanted: dict[str, Picture]) -> None:
        """Write the standing artifact of each phase of which something has changed."""
        for phase, picture in wanted.items():
            run, text = self._runs[phase], picture.text()
            if run.text == text:
                continue
            artifact = {
                "key": f"{TAG}-{phase.replace('_', '-')}",
                "type": "markdown",
                "description": "What the phase waits for, by step",
                "flow_run_id": run.id,
                "data": text,
            }
            run.artifact, run.text = self._api.write_artifact(run.artifact, artifact), text

    def _send_run(self, run: _Run, picture: Picture) -> None:
        """Show a run's state and name, and no node of a step that the plan in force does not have."""
        if run.shown != picture.shown:
            self._api.set_state("flow_runs", run.id, picture.shown._asdict())
            run.shown = picture.shown
        if run.name != picture.name:
            self._api.post(f"/flow_runs/{run.id}", {"name": picture.name}, "PATCH")
            run.name = picture.name
        for step in run.nodes.keys() - picture.nodes.keys():
            self._api.post(f"/task_runs/{_node_id(run, step)}", {}, "DELETE")
            del run.nodes[step]

    def _advances(self, run: _Run) -> str:
        """Return the id of the node of which advances are children. Prefect shows the state of the last one on it."""
        node = {
            "id": _node_id(run, ADVANCES),
            "flow_run_id": run.id,
            "task_key": ADVANCES,
            "dynamic_key": ADVANCES,
            "name": "advances (state of the last one)",
            "tags": [TAG],
            "state": Shown("PENDING", "None yet")._asdict(),
        }
        return str(self._api.post("/task_runs/", node)["id"])


def shown_of(run: dict[str, Any]) -> Shown:
    """Return the state of a run or a node as Prefect shows it."""
    state = run["state"] or {"type": "", "name": "", "message": ""}
    return Shown(state["type"], state["name"], state["message"] or "")


def _node_id(run: _Run, step: str) -> str:
    return str(uuid5(UUID(run.id), step))


def _earlier(step: str, picture: Picture, links: list[tuple[str, str]]) -> list[str]:
    """Return the steps that a step follows. A link of units that runs against the order of the steps would make a cycle."""
    end = picture.order.get(step)
    return [
        before
        for before, after in links
        if after == step and end is not None and before in picture.order and picture.order[before] < end
    ]


def _changed(run: _Run, picture: Picture) -> dict[str, Node]:
    """Return the nodes that Prefect does not show as they are wanted. A step that never had anything to do gets none."""
    return {
        step: node
        for step, node in picture.nodes.items()
        if run.nodes.get(step) != node and (step in run.nodes or node.shown.name != NOTHING)
    }


def _times(before: Node | None, node: Node, now: str) -> dict[str, str | None]:
    """Return when a node began and ended, as far as its new state changes that. Prefect's graph has no node without a start."""
    times: dict[str, str | None] = {} if before else {"expected_start_time": now}
    was, new = before.shown.type if before else "", node.shown.type
    if new in BEGUN and was not in BEGUN:
        times["start_time"] = now
    if (new in FINAL) != (was in FINAL):
        times["end_time"] = now if new in FINAL else None
    return times


def _event(run: _Run, step: str, node: Node, earlier: list[str]) -> dict[str, Any]:
    """Return the event by which Prefect's client reports a task run. The server makes the run, or changes its name and state."""
    node_id, now = _node_id(run, step), machine_time().isoformat()
    inputs = [{"input_type": "task_run", "id": _node_id(run, one)} for one in earlier]
    return {
        "id": str(uuid4()),
        "occurred": now,
        "event": f"prefect.task-run.{node.shown.name}",
        "resource": {
            "prefect.resource.id": f"prefect.task-run.{node_id}",
            "prefect.resource.name": node.name,
            "prefect.orchestration": "client",
        },
        "related": [{"prefect.resource.id": f"prefect.flow-run.{run.id}", "prefect.resource.role": "flow-run"}],
        "payload": {
            "validated_state": node.shown._asdict(),
            "task_run": {
                "task_key": "step",
                "dynamic_key": step,
                "name": node.name,
                "tags": [TAG],
                "task_inputs": {"wait_for": inputs},
                **_times(run.nodes.get(step), node, now),
            },
        },
    }
