"""The slice of the lab that every run of the tests makes: real hosts, a real network, a BMC whose button is real."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event

import pytest
import yaml

from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunEvent, RunSpec, run_playbook
from tests.lab import kernel, lifecycle
from tests.lab.conftest import made
from tests.lab.lab import Lab, home
from tests.lab.reaching import Bmc, answers, neighbours, ssh, until
from tests.lab.traces import left_over, traces

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("lab")]

NAME = "cwci"
NODES = ("node-01", "node-02")


@pytest.fixture(scope="module")
def before() -> Iterator[dict[str, list[str]]]:
    """What the machine is like without the slice. Other runs of these tests on it wait until we are done."""
    if reason := kernel.why_no_lab():
        pytest.skip(f"no lab can run here: {reason}")
    home().mkdir(parents=True, exist_ok=True)
    with (home() / "slice.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lifecycle.down(NAME, print)
        yield traces()


@pytest.fixture(scope="module")
def lab(before: dict[str, list[str]]) -> Iterator[Lab]:
    """Two compute hosts on a leaf, beside whatever lab is up; listed first is what the machine was like without."""
    yield from made(NAME, "slice", "10.78.4.0/22")


def test_hosts_run_systemd_and_answer_under_their_own_keys(lab: Lab) -> None:
    for node in NODES:
        assert ssh(lab, node, "hostname") == node
        assert ssh(lab, node, "cat /proc/1/comm") == "systemd"
        ssh(lab, node, "systemctl is-system-running --wait || true")
        assert ssh(lab, node, "systemctl --failed --plain --no-legend") == ""


def test_a_host_installs_a_package_and_the_next_one_has_it_from_the_cache(lab: Lab) -> None:
    for node in NODES:
        ssh(lab, node, "apt-get install -y -qq ethtool")

        assert "eth1" in ssh(lab, node, "ethtool -i eth1 >/dev/null && echo eth1")


def test_neighbours_see_each_other_on_the_ports_of_the_topology(lab: Lab) -> None:
    for host, expected in (
        ("leaf-1", {"swp1": "node-01 eth1", "swp2": "node-02 eth1"}),
        ("node-02", {"eth1": "leaf-1 swp2"}),
    ):
        assert until(partial(neighbours, lab, host), expected.__eq__, seconds=30) == expected


def test_the_button_of_the_bmc_stops_and_starts_the_host(lab: Lab) -> None:
    bmc = Bmc(lab, "node-01")
    boot = "cat /proc/sys/kernel/random/boot_id"
    first, other = ssh(lab, "node-01", boot), ssh(lab, "node-02", boot)

    assert bmc.reset("ForceOff") == 204
    assert bmc.power() == "Off"
    assert not answers(lab, "node-01")
    assert ssh(lab, "node-02", boot) == other

    assert bmc.reset("On") == 204
    lifecycle.wait_for_ssh(lab, "node-01")
    assert bmc.power() == "On"
    assert ssh(lab, "node-01", boot) != first


def test_a_run_that_ends_leaves_another_on_the_same_host_its_connection(lab: Lab, tmp_path: Path) -> None:
    begun = Event()

    def run(name: str, seconds: int, on_event: Callable[[RunEvent], None]) -> PlaybookResult:
        play = {
            "hosts": "all",
            "gather_facts": False,
            "tasks": [{"name": "Work", "ansible.builtin.command": f"sleep {seconds}"}],
        }
        playbook = tmp_path / "playbooks" / "phase" / f"{name}.yml"
        playbook.parent.mkdir(parents=True, exist_ok=True)
        playbook.write_text(yaml.safe_dump([play]), encoding="utf-8")
        spec = RunSpec(playbook, lab.inventory, ("node-02",), {}, tmp_path / "runs" / name, tmp_path / f"{name}.log")
        return run_playbook(spec, on_event=on_event, on_pgid=lambda _: None, cancel=Event())

    with ThreadPoolExecutor() as pool:
        short = pool.submit(run, "short", 6, lambda _: begun.set())
        assert begun.wait(60)
        time.sleep(2)  # the first has its connection by now
        long = pool.submit(run, "long", 12, lambda _: None)

        assert [done.result().status for done in (short, long)] == ["ok", "ok"]


def test_taken_down_it_leaves_nothing_on_the_machine(lab: Lab, before: dict[str, list[str]]) -> None:
    lifecycle.down(lab.name, print)

    assert left_over(before, traces()) == []
    assert not lab.folder.exists()
