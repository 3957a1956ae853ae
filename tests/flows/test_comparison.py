"""`doctor --engine` says where the dashboard does not tell what the ledger says. A person can change what is shown there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from flows.dashboard import comparison
from flows.dashboard.comparison import ShownOtherwise, lasting
from flows.dashboard.server import PrefectServer
from flows.dashboard.standing_runs import SLICE
from ledger.reading import open_snapshot
from tests.flows.conftest import until
from tests.flows.test_board import alone, board_of, standing_runs

__all__ = ["alone"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("alone")]
SERVING = "engine of-this-test"


@pytest.fixture
def compared(server: PrefectServer, site: Path) -> Callable[[], list[ShownOtherwise]]:
    """Return a function that compares the dashboard with the record of the small site."""
    return partial(lasting, server.api, partial(open_snapshot, site), SERVING)


RUNNING = {"type": "RUNNING", "name": "Running"}


def left_unfinished(server: PrefectServer, tag: str, name: str, parent: str | None = None) -> str:
    """Show a run as running that has a tag, as an engine leaves it that is killed. Return its id."""
    flow = server.api.post("/flows/", {"name": "Networking"})["id"]
    made = {"flow_id": flow, "name": name, "tags": [tag], "state": RUNNING, "parent_task_run_id": parent}
    return str(server.api.post("/flow_runs/", made)["id"])


def task_of(server: PrefectServer, run: str) -> str:
    """Show a task of a run as running. Return its id."""
    task = {"flow_run_id": run, "task_key": "deal", "dynamic_key": "034@pod-001", "name": "034", "state": RUNNING}
    return str(server.api.post("/task_runs/", task)["id"])


def test_a_state_that_a_person_changed_is_named_with_what_the_ledger_says(
    server: PrefectServer, site: Path, compared: Callable[[], list[ShownOtherwise]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with board_of(server, site):
        until(lambda: "Procurement" in standing_runs(server), seconds=30)
        until(lambda: not compared(), seconds=30)
    monkeypatch.setattr(comparison, "FOLLOWS_S", 0.0)
    run = standing_runs(server)["Procurement"]["id"]

    done = {"type": "COMPLETED", "name": "Done", "message": ""}
    server.api.post(f"/flow_runs/{run}/set_state", {"state": done, "force": True})
    (found,) = compared()

    assert found.about == "procurement"
    assert found.dashboard.endswith("COMPLETED, Done")
    assert "COMPLETED" not in found.ledger


def test_runs_of_an_engine_that_is_gone_are_named_and_those_of_the_one_that_serves_are_not(
    server: PrefectServer, site: Path, compared: Callable[[], list[ShownOtherwise]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with board_of(server, site):
        until(lambda: not compared(), seconds=30)
    monkeypatch.setattr(comparison, "FOLLOWS_S", 0.0)
    shown = [left_unfinished(server, SERVING, "mine"), left_unfinished(server, "engine gone", "left behind")]
    shown.append(left_unfinished(server, SLICE, "a slice on a worker", task_of(server, shown[0])))
    shown.append(left_unfinished(server, SLICE, "a slice of nobody"))

    found = compared()

    for run in shown:
        server.api.post(f"/flow_runs/{run}", {}, "DELETE")
    assert {one.about for one in found} == {"left behind", "a slice of nobody"}
    assert {one.ledger for one in found} == {"no engine is at work on it"}
