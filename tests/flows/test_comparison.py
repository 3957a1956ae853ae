"""`doctor --engine` says where the dashboard does not tell what the ledger says. A person can change what is shown there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from flows.dashboard import comparison
from flows.dashboard.comparison import ShownOtherwise, lasting
from flows.dashboard.server import PrefectServer
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


def left_unfinished(server: PrefectServer, tag: str, name: str) -> str:
    """Show a run as running that has a tag, as an engine leaves it that is killed. Return its id."""
    flow = server.api.post("/flows/", {"name": "Networking"})["id"]
    running = {"type": "RUNNING", "name": "Running"}
    made = server.api.post("/flow_runs/", {"flow_id": flow, "name": name, "tags": [tag], "state": running})
    return str(made["id"])


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

    found = compared()

    for run in shown:
        server.api.post(f"/flow_runs/{run}", {}, "DELETE")
    assert [(one.about, one.ledger) for one in found] == [("left behind", "no engine is at work on it")]
