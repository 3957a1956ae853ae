"""A team: the flows where the dispatcher leads, playbooks on Prefect's workers."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from importlib.metadata import version
from signal import SIGINT
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import pytest
import yaml

from flows.team.exchange_folder import SharedFolder
from flows.team.pool import Pool, Standing
from ledger.trust.audit import audit
from steps.design.team import Team
from tests.commands import called, run
from tests.flows.conftest import until
from tests.flows.team_site import LOGIN, TeamSite
from tests.needs import needs, needs_postgres
from tests.postgres_server import ON_POSTGRES, Server

if TYPE_CHECKING:
    from prefect.client.schemas.objects import TaskRun

pytestmark = [
    pytest.mark.slow,
    needs("ssh-keygen", "redis-server"),
    needs_postgres,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("team"),
]


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, postgres: Server) -> Iterator[TeamSite]:
    """A site whose first run, over five hosts, is done by a worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ON_POSTGRES, "yes")
        site = TeamSite(tmp_path_factory.mktemp("team"), postgres, hosts=5, slice_hosts=2)
        try:
            site.serve_apart()
            site.add_worker("worker-1", at_once=3)
            site.dispatch()
            site.work("worker-1")
            until(lambda: site.states()["200@pod-001"] == "done", seconds=240)
            yield site
        finally:
            site.end()


def test_a_run_goes_out_to_workers_in_slices_and_comes_back_whole(team: TeamSite) -> None:
    until(lambda: not SharedFolder(team.exchange).slices(), seconds=60)

    worked = sorted((stretch.host, stretch.begun, stretch.ended) for stretch in team.witness.stretches())
    assert worked == [(host, 1, 1) for host in team.hosts]
    until(
        lambda: [run["state"]["type"] for run in team.slices()] == ["COMPLETED"] * 3, seconds=30
    )  # 5 hosts in slices of 2
    found = team.slices()
    (parent,) = {run["parent_task_run_id"] for run in found}
    task = {"task_runs": {"id": {"any_": [parent]}}}
    until(lambda: team.api.some("task_runs", task)[0]["state"]["name"] == "Done", seconds=60)  # their activity's
    assert {tuple(run["parameters"]) for run in found} == {("digest", "slice_name")}
    assert list((team.folder / "worker-1" / "runs").iterdir()) == []
    assert list((team.exchange / "live").iterdir()) == []
    assert not audit(team.site)


def test_what_no_dispatcher_asked_for_is_not_run(team: TeamSite) -> None:
    """Anybody who may use Prefect can start the deployment `play`."""
    worked = team.witness.stretches()
    (deployment,) = team.api.some("deployments", {"deployments": {"name": {"any_": ["clusterwright-site"]}}})

    run = {"name": "by hand", "parameters": {"slice_name": "by-hand.01234567", "digest": "0" * 64}}
    made = team.api.post(f"/deployments/{deployment['id']}/create_flow_run", run)
    until(lambda: state_of(team, made["id"])["type"] == "FAILED", seconds=120)

    assert state_of(team, made["id"])["message"].startswith("the exchange has no slice by-hand.01234567")
    until(lambda: "Finished in state Refused" in team.said("worker-1"), seconds=30)
    time.sleep(1)
    assert "Traceback" not in team.said("worker-1")
    assert team.witness.stretches() == worked


def state_of(team: TeamSite, run: str) -> dict[str, Any]:
    """Return the state of a flow run."""
    (found,) = team.api.some("flow_runs", {"flow_runs": {"id": {"any_": [run]}}})
    return dict(found["state"])


@pytest.mark.parametrize(
    ("prefect", "login", "says"),
    [
        ("http://127.0.0.1:1/api", LOGIN, "Prefect's server does not answer at http://127.0.0.1:1/api"),
        (None, "team:another-word", "refuses: HTTP Error 401: Unauthorized"),
        (None, "", "the environment has no login for Prefect's server"),
    ],
)
def test_a_worker_says_what_keeps_it_from_its_server(
    team: TeamSite, prefect: str | None, login: str, says: str
) -> None:
    folder = team.folder / "worker-1"
    text = (folder / "worker.yaml").read_text()
    other = team.folder / "other"
    other.mkdir(exist_ok=True)
    (other / "worker.yaml").write_text(
        text if prefect is None else text.replace(f"http://127.0.0.1:{team.port}/api", prefect)
    )
    shutil.copy(folder / "key", other)

    done = run(["worker", "--folder", other], env={"PREFECT_API_AUTH_STRING": login})

    assert done.returncode == (3 if login else 2)
    assert says in done.stderr


def test_doctor_lists_the_workers_and_says_within_a_minute_which_queue_has_none(team: TeamSite) -> None:
    def looked() -> dict[str, Any]:
        done = called(["doctor", "--engine", "--json", "--site", team.site], env={"PREFECT_API_AUTH_STRING": LOGIN})
        assert done.stdout, done.stderr
        return dict(json.loads(done.stdout)) | {"code": done.returncode}

    def is_unserved() -> bool:
        time.sleep(5.0)  # a look takes a processor a second
        return bool(looked()["team"]["unserved"] == ["default"])

    found = looked()
    checks = {check["name"]: check["state"] for check in found["checks"]}
    assert found["code"] == 0, found["checks"]
    assert checks["leader"] == checks["server"] == checks["queues"] == checks["dashboard"] == checks["slots"] == "ok"
    assert found["team"]["leader"].startswith("engine ")
    (worker,) = found["team"]["workers"]
    assert (worker["name"], worker["queues"], worker["taken"], worker["free"]) == ("worker-1", ["default"], 0, 3)
    assert worker["last_seen"]
    assert worker["version"] == version("clusterwright")
    team.processes["redis"].kill()
    team.processes["redis"].wait()
    (server,) = (check for check in looked()["checks"] if check["name"] == "server")
    assert server["state"] == "fault"
    assert server["remedy"] == "start its Redis; work that waits for a worker begins once it is back"
    team.start("redis")
    team.processes["worker-1"].terminate()
    team.processes["worker-1"].wait(60)
    until(is_unserved, seconds=60)
    assert looked()["code"] == 1
    shown = called(["doctor", "--engine", "--site", team.site], env={"PREFECT_API_AUTH_STRING": LOGIN})
    assert "no worker serves default" in shown.stdout


def test_a_dispatcher_that_is_stopped_while_another_leads_never_leads(team: TeamSite) -> None:
    team.dispatch("there")
    until(lambda: "another dispatcher leads" in team.said("dispatcher there"), seconds=60)
    waiting = team.processes.pop("dispatcher there")
    waiting.send_signal(SIGINT)

    assert waiting.wait(20) == 0
    assert "stopped before anything ran" in team.said("dispatcher there")
    assert "this dispatcher leads" not in team.said("dispatcher there")


def test_down_stops_a_teams_dispatcher_which_has_no_server_of_its_own(team: TeamSite) -> None:
    done = run(["down", "--site", team.site])

    assert done.returncode == 0, done.stderr
    assert "stopped engine" in done.stdout
    assert "dashboard on" not in done.stdout
    assert team.processes["dispatcher site"].wait(10) == 0
    assert team.api.answers()


def test_what_prefect_has_lost_keeps_no_slice_from_its_worker(team: TeamSite) -> None:
    """Its database was put back to an earlier day. Each run failed, with a non-conformance: the server refused what it did not know."""
    of_team = yaml.safe_load((team.site / "site.yaml").read_text(encoding="utf-8"))["team"]
    api, pool, names = team.api, Pool(team.api, "restored"), (f"engine-run-0001.0000000{number}" for number in (1, 2))
    pool.open(Team.model_validate(of_team))
    (deployment,) = api.some("deployments", {"deployments": {"name": {"any_": [pool.name]}}})
    lost = {"id": uuid4(), "flow_run_id": uuid4(), "task_key": "deal", "dynamic_key": "034@pod-001", "name": "034"}

    assert pool.recorded(cast("TaskRun", SimpleNamespace(**lost))) is None
    first = pool.submit(next(names), "digest", "default", str(uuid4()))
    assert pool.standing(first) == Standing("", is_stuck=False)
    api.post(f"/deployments/{deployment['id']}", {}, "DELETE")
    assert pool.standing(first) is None
    second = pool.submit(next(names), "digest", "default", None)
    assert pool.standing(second) == Standing("", is_stuck=False)
