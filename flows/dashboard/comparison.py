"""Whether a dashboard tells what the ledger says: its standing runs, and what is shown as unfinished though nobody is at work on it.

Nothing is changed: the next engine, or the board of the one that runs, does that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from flows.dashboard.prefect_api import UNFINISHED, PrefectApi
from flows.dashboard.standing_pictures import Node, Picture, dates_of, pictures
from flows.dashboard.standing_runs import ADVANCES, TAG, shown_of
from ledger.questions.snapshot import Snapshot

FOLLOWS_S = 10.0
"""How long, in seconds, a dashboard may be behind: two for the board, one for Prefect's recorder, and the rest on a busy machine."""
LOOK_S = 0.5


class ShownOtherwise(NamedTuple):
    """What a dashboard shows of a phase, a run or a task, and what the ledger says."""

    about: str
    dashboard: str
    ledger: str


def lasting(api: PrefectApi, open_record: Callable[[], Snapshot], role: str) -> list[ShownOtherwise]:
    """Return what differs for longer than a dashboard may need to follow. `role` is that of who serves it."""
    began = time.monotonic()
    while True:
        with open_record() as snapshot:
            found = [*_standing(api, snapshot), *_unfinished(api, role)]
        if not found or time.monotonic() - began > FOLLOWS_S:
            return found
        time.sleep(LOOK_S)


def _standing(api: PrefectApi, snapshot: Snapshot) -> list[ShownOtherwise]:
    """Return the phases whose standing run, or a step of it, is not shown as the ledger says."""
    runs: dict[str, dict[str, Any]] = {}
    for run in api.every("flow_runs", {"flow_runs": {"tags": {"all_": [TAG]}}}):
        runs |= dict.fromkeys(run["tags"], run)
    found = []
    for phase, wanted in pictures(snapshot, dates_of(snapshot)).items():
        if phase not in runs:
            found.append(ShownOtherwise(phase, "no standing run", wanted.name))
            continue
        shown, right = _named(runs[phase]), Node(wanted.name, wanted.shown)
        if shown != right:
            found.append(ShownOtherwise(phase, _words(shown), _words(right)))
        found += _steps(api, runs[phase]["id"], wanted)
    return found


def _steps(api: PrefectApi, run: str, wanted: Picture) -> list[ShownOtherwise]:
    """Return the steps of a phase that are shown otherwise than the ledger says. One that never had work has no node."""
    nodes = api.every("task_runs", {"task_runs": {"flow_run_id": {"any_": [run]}}})
    shown = {node["dynamic_key"]: _named(node) for node in nodes if node["task_key"] != ADVANCES}
    return [
        ShownOtherwise(step, _words(node), _words(wanted.nodes[step]) if step in wanted.nodes else "not in the plan")
        for step, node in shown.items()
        if node != wanted.nodes.get(step)
    ]


def _unfinished(api: PrefectApi, role: str) -> list[ShownOtherwise]:
    """Return what is shown as unfinished, and is no run of the engine that serves, no task of one, and no slice of such a task."""
    flows, tasks = _not_standing(api, "flow_runs"), _not_standing(api, "task_runs")
    mine = {run["id"] for run in flows if role in run["tags"]}
    mine |= {task["id"] for task in tasks if task["flow_run_id"] in mine}
    left = [run for run in (*flows, *tasks) if mine.isdisjoint({run["id"], run.get("parent_task_run_id")})]
    return [ShownOtherwise(run["name"], run["state_name"], "no engine is at work on it") for run in left]


def _not_standing(api: PrefectApi, kind: str) -> list[dict[str, Any]]:
    unfinished = api.every(kind, {kind: {"state": {"type": {"any_": UNFINISHED}}}})
    return [run for run in unfinished if TAG not in run["tags"]]


def _named(run: dict[str, Any]) -> Node:
    return Node(run["name"], shown_of(run))


def _words(node: Node) -> str:
    return f"{node.name}: {node.shown.type}, {node.shown.name}"
