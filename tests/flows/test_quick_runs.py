"""The phases under Deployments: a quick run asks the dispatcher to look now, and neither starts nor approves what is not ready."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from flows.dashboard.earlier_engines import clear_abandoned
from flows.dashboard.server import PrefectServer
from flows.threads import beside
from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.writing import Ledger
from steps.catalog.terms import Phase
from tests.flows.conftest import Running, Start, engine_plan, state, until
from tests.ledger.conftest import Clock
from tests.ledger.journey import bought, passed, racked

SOFTWARE = "030@pod-001"
PATIENCE_S = 60


@contextmanager
def answering(server: PrefectServer, running: Running) -> Iterator[None]:
    """Answer the quick runs of an engine while the block lasts."""
    from flows.engine.quick_runs import QuickRuns

    with beside(QuickRuns(server.api, running.engine).follow, "quick runs"):
        until(lambda: len(deployments(server)) == len(Phase), seconds=PATIENCE_S)
        yield


def deployments(server: PrefectServer) -> dict[str, dict[str, Any]]:
    """Return the deployments by their names, in the order in which Prefect's page lists them."""
    found = server.api.post("/deployments/filter", {"sort": "NAME_ASC"})
    return {each["name"]: each for each in found}


def asked(server: PrefectServer, name: str, **more: Any) -> str:
    """Make a quick run, as the button of the page does. Return its id."""
    path = f"/deployments/{deployments(server)[name]['id']}/create_flow_run"
    return str(server.api.post(path, {"state": {"type": "SCHEDULED"}, **more})["id"])


def answer(server: PrefectServer, run: str) -> dict[str, Any]:
    """Return the state with which a quick run ended, once it has ended."""

    def shown() -> dict[str, Any]:
        (found,) = server.api.some("flow_runs", {"flow_runs": {"id": {"any_": [run]}}})
        return dict(found["state"])

    until(lambda: shown()["type"] != "SCHEDULED", seconds=PATIENCE_S)
    return shown()


@pytest.mark.slow
def test_the_nine_phases_are_listed_in_the_order_of_the_work(server: PrefectServer, site: Path, start: Start) -> None:
    with answering(server, start(site)):
        until(lambda: {each["status"] for each in deployments(server).values()} == {"READY"}, seconds=PATIENCE_S)
        found = deployments(server)

    assert list(found)[:3] == ["1 Procurement", "2 Server assembly", "3 Networking"]
    assert list(found)[-1] == "9 Go-live"
    assert {each["work_pool_name"] for each in found.values()} == {None}, "no worker of Prefect may take their runs"
    networking = found["3 Networking"]
    assert networking["description"].startswith("Networking, steps 036 to 070")
    assert networking["parameters"] == {"site": engine_plan().site, "revision": 1, "activities": []}
    module, _, function = networking["entrypoint"].rpartition(".")
    assert getattr(importlib.import_module(module), function).name == "Networking"


@pytest.mark.slow
def test_a_quick_run_approves_nothing_and_says_what_is_waited_for(
    server: PrefectServer, site: Path, start: Start
) -> None:
    running = start(site)
    with answering(server, running):
        until(lambda: running.engine.looked >= 0 and not at_work(), seconds=PATIENCE_S)
        with open_snapshot(site) as snapshot:
            before = head(snapshot)
        ended = answer(server, asked(server, "3 Networking", parameters={"activities": [SOFTWARE]}))

    assert ended["type"] == "CANCELLED", "what is not done is never green"
    assert ended["name"] == "The dispatcher looked: nothing could begin"
    assert ended["message"].startswith("Waits for")
    assert state(site, SOFTWARE) == "blocked"
    with open_snapshot(site) as snapshot:
        assert head(snapshot) == before, "nothing was recorded"


@pytest.mark.slow
def test_a_quick_run_says_how_much_began_since_it_was_asked_for(
    server: PrefectServer, site: Path, start: Start
) -> None:
    running = start(site)
    engine = running.engine
    until(lambda: engine.looked >= 0 and not at_work(), seconds=PATIENCE_S)
    quiet = engine.wakeup.count
    # as while no key of the engine is in force; then only a quick run wakes the dispatcher
    engine.may_record = lambda _: engine.wakeup.count > quiet
    clock = Clock()
    with Ledger.open(site, clock=clock) as ledger:
        bought(ledger)
        for pod in (1, 2):
            racked(ledger, pod)
            passed(ledger, clock, pod)
    with answering(server, running):
        assert state(site, SOFTWARE) == "ready"
        ended = answer(server, asked(server, "3 Networking"))
        until(lambda: state(site, SOFTWARE) != "ready", seconds=PATIENCE_S)

    assert ended["name"] == "The dispatcher looked: 2 activities began"


def at_work() -> list[str]:
    """Return the advances whose threads have not ended."""
    return [thread.name for thread in threading.enumerate() if " · advance " in thread.name]


@pytest.mark.slow
def test_what_was_asked_for_while_no_engine_ran_is_answered_by_the_next_one(
    server: PrefectServer, site: Path, start: Start
) -> None:
    running = start(site)
    with answering(server, running):
        pass
    run = asked(server, "4 Power")
    clear_abandoned(server.api, running.engine.plan.site)  # as the next engine does first
    with answering(server, running):
        ended = answer(server, run)

    assert ended["name"].startswith("The dispatcher looked")


@pytest.mark.slow
def test_the_deployments_follow_the_plan_revision(server: PrefectServer, site: Path, start: Start) -> None:
    running = start(site)
    with answering(server, running):
        with Ledger.open(site, clock=Clock()) as ledger:
            adopt_plan(ledger, "pm", engine_plan(), reason="the same again")
        until(
            lambda: deployments(server)["9 Go-live"]["parameters"]["revision"] == running.engine.revision == 2,
            seconds=PATIENCE_S,
        )
