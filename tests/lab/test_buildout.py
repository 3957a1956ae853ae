"""The lab after `clusterwright up` has built it, asserted from outside: what people and jobs find there, not what playbooks said.

`make lab` walks the lab through (`examples/lab.py`) and names the site's folder in LAB_SITE; nothing here runs a playbook.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import testinfra
from testinfra.host import Host

from ledger.questions.activities import activities
from ledger.questions.records import runs
from ledger.reading import open_snapshot
from ledger.trust.audit import audit
from tests.lab import lifecycle, supervisor
from tests.lab.lab import DEFAULT_NAME, Lab, find_lab
from tests.lab.reaching import service, ssh, until

SITE = os.environ.get("LAB_SITE", "")
pytestmark = [
    pytest.mark.lab,
    pytest.mark.xdist_group("lab"),
    pytest.mark.timeout(900),
    pytest.mark.skipif(not SITE, reason="no lab was built: `make lab`, or examples/lab.py and its folder in LAB_SITE"),
]

PERSON = "ada"
SERVERS = ("mgmt", "login", "node-01", "node-02", "node-03", "storage")
NODES = ("node-01", "node-02", "node-03")
SUBMIT = "sbatch --parsable --mem=64"

HostOf = Callable[[str], Host]


@pytest.fixture(scope="module", autouse=True)
def tools() -> Iterator[None]:
    """Let Ansible's commands be found, which testinfra and a test call by name, also where no environment is activated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def lab() -> Lab:
    """Return the lab that was built."""
    found = find_lab(os.environ.get("LAB_NAME", DEFAULT_NAME))
    assert found, "LAB_SITE is set, but no lab is up"
    return found


@pytest.fixture(scope="module")
def host() -> HostOf:
    """Return a function that reaches a host by name, as the site's inventory says."""
    inventory = Path(SITE) / "inventory" / "hosts.yml"
    return lambda name: testinfra.get_host(f"ansible://{name}?ansible_inventory={inventory}")


@pytest.fixture(scope="module")
def person(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> HostOf:
    """Return a function that reaches a host by name as the directory's person, with that person's key."""
    config = tmp_path_factory.mktemp("person") / "ssh_config"
    config.write_text(
        f"IdentityFile {Path(SITE).resolve() / 'person_key'}\nIdentitiesOnly yes\n"
        f"UserKnownHostsFile {lab.known_hosts}\nStrictHostKeyChecking yes\n",
        encoding="utf-8",
    )

    def reached(name: str) -> Host:
        address = lab.addresses.of(lab.topology.host(name).number)
        return testinfra.get_host(f"ssh://{PERSON}@{address}?ssh_config={config}")

    return reached


def series(lab: Lab, expression: str) -> dict[str, float]:
    """Return what Prometheus answers, by instance."""
    found = json.loads(service(lab, 9090, f"/api/v1/query?query={urllib.parse.quote(expression)}"))["data"]["result"]
    return {one["metric"].get("instance", ""): float(one["value"][1]) for one in found}


def states(host: HostOf, job: str, *options: str) -> list[str]:
    """Return the states that accounting has of a job."""
    return str(host("mgmt").check_output(f"sacct -nPX {' '.join(options)} -j {job} -o State")).split()


def filed_runs(lab: Lab) -> dict[str, dict[str, float]]:
    """Return the last metrics of each run in the tracking service, by the run's name."""

    words = ssh(lab, "node-01", "cat /etc/clusterwright/secrets/tracking.env").splitlines()
    account = ":".join(word.partition("=")[2] for word in words)

    def ask(path: str, body: dict[str, Any]) -> Any:
        return json.loads(service(lab, 5000, f"/api/2.0/mlflow/{path}", body, account))

    ids = [e["experiment_id"] for e in ask("experiments/search", {"max_results": 100})["experiments"]]
    runs = ask("runs/search", {"experiment_ids": ids, "max_results": 100})["runs"]
    return {r["info"]["run_name"]: {m["key"]: m["value"] for m in r["data"]["metrics"]} for r in reversed(runs)}


def test_every_step_with_a_playbook_was_run_or_decided_by_name() -> None:
    with open_snapshot(Path(SITE)) as reader:
        rows = [
            row
            for row in activities(reader.at(datetime.now(UTC)))
            if row.plan.playbook and row.state.value != "not_applicable"
        ]
        ran = {run.activity for run in runs(reader) if run.result}

    assert [row.id for row in rows if row.state.value != "done"] == []
    assert [row.id for row in rows if row.id not in ran and not row.plan.completed_by] == []
    assert audit(Path(SITE)) == []


def test_a_person_of_the_directory_logs_in_and_submits(person: HostOf, host: HostOf) -> None:
    assert person("login").check_output("id -un; pwd").split() == [PERSON, f"/home/{PERSON}"]
    assert PERSON not in host("login").file("/etc/passwd").content_string

    job = person("login").check_output(f"{SUBMIT} --wrap='hostname; pwd'")

    assert until(lambda: states(host, job), ["COMPLETED"].__eq__, seconds=90) == ["COMPLETED"]
    ran_on, folder = person("login").check_output(f"cat slurm-{job}.out").split()
    assert (ran_on in NODES, folder) == (True, f"/home/{PERSON}")
    assert host("mgmt").check_output(f"sacct -nPX -j {job} -o User,Account") == f"{PERSON}|research"


def test_a_person_loads_frameworks_and_gets_a_shell_in_a_job(person: HostOf) -> None:
    load = 'bash -lc "module load frameworks && command -v python3"'
    job = person("login").check_output(f"{SUBMIT} --wait --wrap='{load}'")
    assert person("login").check_output(f"cat slurm-{job}.out").startswith("/opt/frameworks/")

    said = person("login").check_output("script -qec 'srun --mem=64 --pty tty' /dev/null </dev/null")
    assert said.startswith("/dev/pts/")


def test_srun_over_three_hosts_runs_on_all_of_them_at_once(person: HostOf) -> None:
    said = (
        person("login")
        .check_output("srun -N3 --ntasks-per-node=1 --mem=64 sh -c 'hostname; date +%s; sleep 2'")
        .split()
    )

    assert sorted(word for word in said if word in NODES) == list(NODES)
    began = [int(word) for word in said if word.isdigit()]
    assert max(began) - min(began) <= 2


def test_a_displaced_job_requeues_and_accounting_shows_it(person: HostOf, host: HostOf) -> None:
    where = f"{SUBMIT} --nodelist=node-01 --exclusive --time=5"
    # it outlasts the half a minute of notice that the quality `low` is given
    low = person("login").check_output(f"{where} --qos=low --requeue --wrap='sleep 90'")
    until(lambda: host("mgmt").check_output(f"squeue -h -j {low} -o %T"), "RUNNING".__eq__, seconds=90)

    urgent = person("login").check_output(f"{where} --qos=urgent --wrap='sleep 1'")

    found = until(lambda: states(host, low, "-D"), lambda s: s[-1:] == ["COMPLETED"], seconds=420)
    assert found in (["PREEMPTED", "COMPLETED"], ["REQUEUED", "COMPLETED"])
    assert states(host, urgent) == ["COMPLETED"]


def test_a_line_of_every_host_is_found_in_the_central_store(host: HostOf) -> None:
    for name in SERVERS:
        host(name).check_output(f"logger -t outside okapi{name.replace('-', '')}")

    for name in SERVERS:
        word = f"okapi{name.replace('-', '')}"
        found = until(lambda n=name, w=word: host("mgmt").run(f"logsearch --host {n} {w}").stdout, bool, seconds=60)  # type: ignore[misc]
        assert name in found


def test_clocks_follow_the_management_host_within_a_millisecond(lab: Lab, host: HostOf) -> None:
    server = str(lab.addresses.of(lab.topology.host("mgmt").number))

    for name in SERVERS[1:]:
        fields = host(name).check_output("chronyc -c tracking").split(",")
        assert fields[1] == server
        assert abs(float(fields[4])) < 0.001


def test_prometheus_scrapes_every_server_and_every_device_answers(lab: Lab) -> None:
    up = until(lambda: series(lab, 'up{job="node"}'), lambda found: set(found.values()) == {1.0}, seconds=90)

    assert up == dict.fromkeys(SERVERS, 1.0)
    devices = [p.name for p in lab.topology.pdus] + [unit.name for unit in lab.topology.cooling]
    assert series(lab, 'up{job=~"snmp|modbus"}') == dict.fromkeys(devices, 1.0)
    assert series(lab, "redfish_power_on") == {h.name: 1.0 for h in lab.topology.hosts if h.bmc}


def test_a_node_that_stops_rings_the_channel_and_its_return_clears_it(lab: Lab) -> None:
    def told() -> list[str]:
        received = [json.loads(line)["notification"] for line in service(lab, 9595, "/").splitlines()]
        wanted = {"alertname": "HostDown", "instance": "node-03"}
        return [one["status"] for n in received for one in n["alerts"] if wanted.items() <= one["labels"].items()]

    before = len(told())
    supervisor.switch(lab, "off", "node-03")
    try:
        assert until(lambda: told()[before:], bool, seconds=180) == ["firing"]
    finally:
        supervisor.switch(lab, "on", "node-03")
        lifecycle.wait_for_ssh(lab, "node-03")
    assert until(lambda: told()[before:], lambda all_: "resolved" in all_, seconds=180) == ["firing", "resolved"]


def test_a_training_run_outlives_the_kill_of_a_node_and_its_curves_are_kept(lab: Lab, tmp_path: Path) -> None:
    run, steps = f"survivor-{time.time():.0f}", 1500
    play = tmp_path / "run.yml"
    tracking = f"https://{lab.addresses.of(lab.topology.host('mgmt').number)}:5000"
    terms = {
        "training_run_name": run,
        "training_run_steps": steps,
        "training_run_wait": False,
        "training_run_tracking_url": tracking,
    }
    play.write_text(
        json.dumps([{"hosts": "compute[0:1]", "gather_facts": False, "roles": [{"role": "training_run", **terms}]}])
    )
    playbooks = Path(__file__).parents[2] / "playbooks"
    subprocess.run(
        ["ansible-playbook", "-i", str(Path(SITE) / "inventory" / "hosts.yml"), str(play)],
        check=True,
        capture_output=True,
        env=os.environ | {"ANSIBLE_ROLES_PATH": str(playbooks / "roles")},
    )
    folder = f"/var/lib/training/{run}"
    mine = f'{{run="{run}",rank="0"}}'
    until(lambda: series(lab, f"training_step{mine}"), lambda s: max(s.values(), default=0) > 300, seconds=90)

    supervisor.switch(lab, "off", "node-02")
    restarts = f"systemctl show -P NRestarts training@{run}"
    until(lambda: ssh(lab, "node-01", restarts), lambda n: n != "0", seconds=120)
    supervisor.switch(lab, "on", "node-02")
    lifecycle.wait_for_ssh(lab, "node-02")

    outcomes = []
    for node in NODES[:2]:
        text = until(lambda n=node: ssh(lab, n, f"cat {folder}/outcome.json || true"), bool, seconds=240)  # type: ignore[misc]
        outcomes.append(json.loads(text))
        ssh(lab, node, f"systemctl disable -q training@{run}")
    assert [(one["rank"], one["step"]) for one in outcomes] == [(0, steps), (1, steps)]
    assert outcomes[0]["restarts"] >= 1
    resumed = ssh(lab, "node-02", f"journalctl -u training@{run} | grep -o 'resumes at step [0-9]*' | tail -1")
    assert int(resumed.split()[-1]) > 0
    loss = {"node-01": pytest.approx(outcomes[0]["loss"])}
    assert until(lambda: series(lab, f"training_loss{mine}"), loss.__eq__, seconds=60) == loss
    filed = filed_runs(lab)[run]
    assert filed["loss"] == loss["node-01"]
    assert filed["samples_per_second"] > 0
    assert max(series(lab, f"max_over_time(training_tokens_per_second{mine}[10m])").values()) > 0
