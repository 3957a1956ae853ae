"""What the dashboard shows of phases and steps is what the ledger says, within two seconds, and green is only what is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.dashboard.board import Board
from flows.dashboard.earlier_engines import clear_abandoned
from flows.dashboard.prefect_api import FINAL, UNFINISHED
from flows.dashboard.server import PrefectServer
from flows.dashboard.standing_pictures import dates_of, pictures
from flows.dashboard.standing_words import phase_dates, shown, title
from ledger.project_time import project_now
from ledger.questions.standings import WorkStanding, of_phase, standings
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.writing import Ledger
from steps.planning.odds.milestone_odds import Chance, MilestoneOdds
from tests.flows.conftest import Running, Start, state, task_runs, until
from tests.flows.standing_watch import expected, green
from tests.flows.standing_watch import shown as shown_in_api
from tests.ledger.conftest import T0, Clock, activity, dates, small_plan
from tests.ledger.journey import bought
from tests.tui.test_morning_late import FORECAST

Runs = dict[str, dict[str, Any]]


@contextmanager
def board_of(server: PrefectServer, site: Path) -> Iterator[Board]:
    board = Board(server.api, site, project_now)
    board.open()
    board.start()
    try:
        yield board
    finally:
        board.stop()


@pytest.fixture
def alone(server: PrefectServer) -> None:
    """Remove the standing runs of other tests: in a dashboard there is one site."""
    for run in server.api.every("flow_runs", {"flow_runs": {"tags": {"all_": ["standing"]}}}):
        server.api.post(f"/flow_runs/{run['id']}", {}, "DELETE")


def standing_runs(server: PrefectServer) -> Runs:
    """Return the standing runs by the first word of their names."""
    found = server.api.every("flow_runs", {"flow_runs": {"tags": {"all_": ["standing"]}}})
    return {run["name"].partition(" ·")[0]: run for run in found}


def statuses(server: PrefectServer) -> list[str]:
    """Return the ids of the artifacts that show a site's status."""
    return [one["id"] for one in server.api.some("artifacts", {"artifacts": {"key": {"any_": ["status"]}}})]


def agrees(server: PrefectServer, site: Path) -> bool:
    seen = shown_in_api(server.api)
    return all(
        seen.get(key) == state for key, state in expected(site).items() if key in seen or state.type != "CANCELLED"
    )


def test_a_phase_says_what_it_waits_for_and_only_what_is_over_is_green() -> None:
    assert shown(_of(done=2, awaiting_sign_off=3, blocked=1, to_sign=3, deliveries=1))[:2] == (
        "PAUSED",
        "Waits for 3 sign-offs, 1 delivery",
    )
    assert shown(_of(done=2, blocked=1))[:2] == ("PENDING", "Waits for earlier work")
    assert shown(_of(done=2, running=1, checked_not_met=1))[:2] == ("FAILED", "1 not met, 1 running")
    assert shown(_of(done=2, not_applicable=1))[:2] == ("COMPLETED", "Done")
    assert shown(_of(done=2, again=1))[:2] == ("PAUSED", "Waits for 1 sign-off")
    assert shown(_of(not_applicable=2))[:2] == ("CANCELLED", "Nothing to do")


def test_what_was_rejected_and_what_is_late_is_in_the_names(site: Path) -> None:
    due = activity("081@site", phase="power", dates=dates(T0, T0 + timedelta(days=1)))
    plan = small_plan().model_dump()
    with Ledger.open(site, clock=Clock()) as ledger:
        adopt_plan(ledger, "pm", small_plan(activities=[*plan["activities"], due], links=plan["links"]), reason="dated")
        start(ledger, "tech", "001@site")
        finish(ledger, "tech", "001@site")
        reject(ledger, "lead", "001@site", reason="the quotes are missing")
    with open_snapshot(site, T0 + timedelta(days=2)) as snapshot:
        shown_by_phase = pictures(snapshot, dates_of(snapshot))
    procurement, power = shown_by_phase["procurement"], shown_by_phase["power"]

    assert "1 rejected, 1 NCR open" in procurement.name
    assert procurement.nodes["001"].name.endswith("1 rejected, 1 NCR open")
    assert "1 past its planned finish" in power.name
    assert power.nodes["081"].name.endswith("1 past its planned finish")


def test_a_phase_that_is_forecast_later_says_by_how_much() -> None:
    planned, later = (datetime(2027, 3, day, 12, tzinfo=UTC) for day in (1, 10))
    chance = Chance(later, later, later)
    networking = MilestoneOdds("networking", planned, later, chance, chance, chance, planned_share=0.1)
    forecast = replace(FORECAST, milestones=(networking,))

    assert phase_dates("networking", WorkStanding(Counter({State.BLOCKED: 1}), planned=planned), forecast, "UTC") == (
        "forecast 9 days later than planned: planned 2027-03-01, P50 2027-03-10, P80 2027-03-10"
    )


def _of(*, to_sign: int = 0, deliveries: int = 0, again: int = 0, **states: int) -> WorkStanding:
    counted = Counter({State(name): count for name, count in states.items()})
    return WorkStanding(counted, again, to_sign, deliveries=frozenset(map(str, range(deliveries))))


def test_what_a_phase_waits_for_follows_from_the_record(site: Path) -> None:
    with Ledger.open(site, clock=Clock()) as ledger:
        bought(ledger)
    with open_snapshot(site) as snapshot:
        phases = {phase: shown(of_phase(steps)).name for phase, steps in standings(snapshot).items()}

    assert phases["procurement"] == "Done"
    assert phases["networking"] == "Waits for 2 deliveries"
    assert phases["go_live"] == "Waits for earlier work"


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_a_decision_is_seen_and_a_rejection_too(server: PrefectServer, site: Path) -> None:
    with board_of(server, site), Ledger.open(site, clock=Clock()) as ledger:
        until(lambda: agrees(server, site) and bool(statuses(server)), seconds=60)
        assert not green(server.api)
        for status in statuses(server):  # as where Prefect's database was put back to an earlier day
            server.api.post(f"/artifacts/{status}", {}, "DELETE")
        work = "001@site"
        decisions: list[Callable[[], object]] = [
            lambda: start(ledger, "tech", work),
            lambda: finish(ledger, "tech", work),
            lambda: reject(ledger, "lead", work, reason="the quotes are missing"),
            lambda: finish(ledger, "tech", work),
            lambda: sign(ledger, "lead", work),
        ]
        for decide in decisions:
            decide()
            until(lambda: agrees(server, site), seconds=60)
        until(lambda: bool(statuses(server)), seconds=60)

    assert green(server.api) == {("procurement", ""), ("procurement", "001")}


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_the_next_engine_finds_the_same_runs_and_repairs_what_was_changed_meanwhile(
    server: PrefectServer, site: Path
) -> None:
    with board_of(server, site):
        until(lambda: agrees(server, site), seconds=60)
    before = standing_runs(server)
    forged = {"state": {"type": "COMPLETED", "name": "Completed"}, "force": True}
    server.api.post(f"/flow_runs/{before['Go-live']['id']}/set_state", forged)
    (node, *_) = server.api.some("task_runs", {"task_runs": {"flow_run_id": {"any_": [before["Networking"]["id"]]}}})
    server.api.post(f"/task_runs/{node['id']}", {}, "DELETE")
    with Ledger.open(site, clock=Clock()) as ledger:
        bought(ledger)

    unfinished = {"flow_runs": {"tags": {"all_": ["Small"]}, "state": {"type": {"any_": UNFINISHED}}}}
    kinds = ("flow_runs", "task_runs")
    counts = [server.api.count(kind, unfinished) for kind in kinds]
    clear_abandoned(server.api, "Small")
    assert [server.api.count(kind, unfinished) for kind in kinds] == counts, "standing runs are nobody's"
    with board_of(server, site):
        until(lambda: agrees(server, site), seconds=60)

    after = standing_runs(server)
    assert {name: run["id"] for name, run in after.items()} == {name: run["id"] for name, run in before.items()}
    assert ("go_live", "") not in green(server.api)


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_no_state_is_one_that_services_of_prefect_change_by_themselves(server: PrefectServer, site: Path) -> None:
    """Late runs are scheduled ones, and a pause expires at its time. The standing runs have neither."""
    with board_of(server, site):
        until(lambda: agrees(server, site), seconds=60)
    states = [run["state"] for run in standing_runs(server).values()]

    assert {one["type"] for one in states} <= {"PAUSED", "RUNNING", "CANCELLED"}, "a pending run's page is empty"
    assert not [one for one in states if one["type"] == "SCHEDULED" or one["state_details"].get("pause_timeout")]


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_the_runs_are_listed_in_the_order_of_the_work_and_none_is_late(server: PrefectServer, site: Path) -> None:
    """Prefect calls a run late that is not over and has no start, and lists runs by their start, newest first."""
    with board_of(server, site):
        until(lambda: agrees(server, site), seconds=60)
    networking = standing_runs(server)["Networking"]["id"]
    graph = server.api.post(f"/flow_runs/{networking}/graph-v2", {}, "GET")
    assert {node["label"][:3] for _, node in graph["nodes"]} >= {"010", "020", "030", "040"}, "its steps are its nodes"
    wanted = {"flow_runs": {"tags": {"all_": ["standing"]}}, "sort": "START_TIME_DESC"}
    runs = server.api.some("flow_runs", wanted)

    with open_snapshot(site) as snapshot:
        assert [run["name"].partition(" ·")[0] for run in runs] == [title(phase) for phase in standings(snapshot)]
    assert {run["estimated_start_time_delta"] for run in runs} == {0}


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_advances_are_children_of_their_phase_and_not_green_while_people_are_waited_for(
    server: PrefectServer, site: Path, start: Start
) -> None:
    with board_of(server, site) as board:
        parents = board.open()
        running = start(site)
        running.engine.parents = parents
        until(lambda: running.engine.looked >= 0, seconds=60)  # before what it looks at is over
        with Ledger.open(site, clock=Clock()) as ledger:
            bought(ledger)
        mine = {"flow_runs": {"tags": {"all_": [running.engine.tag]}}}
        until(
            lambda: [r for r in server.api.some("flow_runs", mine) if r["state"]["name"].startswith("Over")], seconds=60
        )
        advances = server.api.some("flow_runs", mine)
        until(lambda: ended(server, running) >= {"001", "080"}, seconds=60)

    assert {run["parent_task_run_id"] for run in advances} <= {parent.node for parent in parents.values()}
    nodes = {run["name"][:3]: run["state"]["type"] for run in task_runs(server, running)}
    assert nodes["080"] == "CANCELLED"
    assert nodes["001"] in {"CANCELLED", "COMPLETED"}, "it was done before its advance was over, or after"
    assert state(site, "080@site") == "ready"


def ended(server: PrefectServer, running: Running) -> set[str]:
    """Return the steps whose tasks Prefect shows as ended."""
    return {run["name"][:3] for run in task_runs(server, running) if run["state"] and run["state"]["type"] in FINAL}
