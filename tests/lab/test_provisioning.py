"""Installation and burn-in on real hosts, seen from outside: what is served, who is erased and who is not, a clock that restarts.

`LAB_NAME` chooses another lab than the one that `make lab-up` makes. The lab's controllers stand for booting from the network:
they give a host a fresh disk. What a booting server would fetch is fetched by the proof of step 142.
"""

from __future__ import annotations

import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest

from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunSpec, run_playbook
from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from tests.acceptance.handing import steps_that_read
from tests.lab import lifecycle, supervisor
from tests.lab.conftest import made
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, Lab
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
MANAGEMENT = ("mgmt",)
SETTLED: dict[str, Any] = {"provision_hosts": ["node-01"], "provisioning_client": "node-02"}
XID = "NVRM: Xid (PCI:0000:4f:00): 48, pid=2310, An uncorrectable double bit error (DBE) has been detected"
NOTHING_STARTED = "ls -d /var/lib/clusterwright/burn-in 2>/dev/null || echo nothing"


class Site:
    """A lab, and its playbooks run as the engine runs them."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.folder = folder
        self.runs = 0

    def play(self, playbook: str, hosts: tuple[str, ...], *, check: bool = False, **variables: Any) -> PlaybookResult:
        """Run a playbook; one that fails is the test's failure, with its words."""
        self.runs += 1
        log = self.folder / f"{self.runs}.log"
        spec = RunSpec(
            playbook=PLAYBOOKS / playbook,
            inventory=self.lab.inventory,
            hosts=hosts,
            extra_vars=variables,
            work_dir=self.folder / str(self.runs),
            log=log,
            check=check,
        )
        done = run_playbook(spec, on_event=lambda _: None, on_pgid=lambda _: None, cancel=threading.Event())
        assert done.status == "ok", log.read_text(encoding="utf-8")[-4000:]
        return done


def measured(step: str, host: str, done: PlaybookResult) -> dict[str, Measured]:
    """Return what the engine would measure, by metric."""
    return {
        one.metric: one
        for one in measure(steps_that_read()[step], host, done.raw.get(host, {}), {}, today=date(2026, 11, 23))
    }


def changed(done: PlaybookResult) -> set[str]:
    return {host.host for host in done.hosts if host.status == "changed"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield the slice of a lab, or the lab that the environment names."""
    for lab in made(os.environ.get("LAB_NAME", DEFAULT_NAME), "full", DEFAULT_NETWORK):
        yield Site(lab, tmp_path_factory.mktemp("runs"))


class TestService:
    """What step 142 sets up."""

    PLAYBOOK = "software_stack/142_os_provisioning.yml"

    def test_a_bare_host_s_check_mode_says_what_would_be(self, site: Site) -> None:
        site.play(self.PLAYBOOK, MANAGEMENT, check=True, **SETTLED)

    def test_another_host_fetches_all_that_a_booting_server_would(self, site: Site) -> None:
        done = site.play(self.PLAYBOOK, (*MANAGEMENT, "node-02"), **SETTLED)

        found = measured("142", "mgmt", done)
        assert found["provision.served_ratio"].value == 1, found["provision.served_ratio"].note
        assert "asked for by node-02" in found["provision.served_ratio"].note
        assert found["provision.unattended_ok_ratio"].value is None
        assert found["provision.unattended_ok_ratio"].note.endswith("not done yet: node-01")

    def test_a_second_run_changes_nothing(self, site: Site) -> None:
        assert changed(site.play(self.PLAYBOOK, (*MANAGEMENT, "node-02"), **SETTLED)) == set()

    def test_a_file_that_its_reader_would_refuse_is_not_served(self, site: Site) -> None:
        entry = "/srv/provisioning/tftp/pxelinux.cfg/01-$(cat /sys/class/net/eth0/address | tr : -)"
        settings = "/etc/clusterwright/provisioning"
        spoiled = f"cp {settings}/user-data /tmp/kept && echo 'users: 3' >>{settings}/user-data"

        said = ssh(
            site.lab,
            "mgmt",
            f"{spoiled}; python3 -B /usr/local/lib/clusterwright/provisioning.py open node-02 2>&1; echo rc $?;"
            f" cp /tmp/kept {settings}/user-data; ls {entry} 2>&1 | wc -l",
        )

        assert "node-02: user-data is not served" in said
        assert "rc 1" in said

    def test_a_host_speaks_for_itself_only_and_is_closed_by_its_word(self, site: Site) -> None:
        address = site.lab.addresses.of(site.lab.topology.host("mgmt").number)
        asked = urllib.request.Request(f"http://{address}:8069/installed/node-01", b"60\nkey", method="POST")
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(asked, timeout=10)
        card = ssh(site.lab, "node-01", "cat /sys/class/net/eth0/address").replace(":", "-")
        entry = f"/srv/provisioning/tftp/pxelinux.cfg/01-{card}"
        assert ssh(site.lab, "mgmt", f"cat {entry}").startswith("# node-01 installs itself")

        say = f"import urllib.request as u; u.urlopen('http://{address}:8069/installed/node-01', b'60\\nkey')"
        ssh(site.lab, "node-01", f'python3 -c "{say}"')

        assert ssh(site.lab, "mgmt", f"ls {entry} 2>&1 || true").endswith("No such file or directory")
        assert changed(site.play(self.PLAYBOOK, (*MANAGEMENT, "node-02"), **SETTLED)) == set()
        assert ssh(site.lab, "mgmt", f"ls {entry} 2>&1 || true").endswith("No such file or directory")


class TestInstallation:
    """Whom step 032 erases."""

    PLAYBOOK = "server_assembly/032_operating_system.yml"
    NODES = ("node-01", "node-02")

    def test_hosts_that_run_are_read_and_left_alone(self, site: Site) -> None:
        before = [ssh(site.lab, node, "cat /etc/machine-id") for node in self.NODES]

        done = site.play(self.PLAYBOOK, self.NODES)

        assert changed(done) == set()
        assert [ssh(site.lab, node, "cat /etc/machine-id") for node in self.NODES] == before
        assert measured("032", "node-01", done)["os.release_matches_baseline"].value is True

    def test_an_empty_host_is_installed_and_its_neighbour_is_not(self, site: Site) -> None:
        before = [ssh(site.lab, node, "cat /etc/machine-id") for node in self.NODES]
        supervisor.switch(site.lab, "off", "node-02")

        done = site.play(self.PLAYBOOK, self.NODES)

        after = [ssh(site.lab, node, "cat /etc/machine-id") for node in self.NODES]
        assert changed(done) == {"node-02"}
        assert after[0] == before[0]
        assert after[1] != before[1]
        assert measured("032", "node-02", done)["os.release_matches_baseline"].value is True

    def test_a_host_that_only_lost_its_cable_keeps_its_disk(self, site: Site) -> None:
        before = ssh(site.lab, "node-01", "cat /etc/machine-id")
        ssh(site.lab, "node-01", "systemctl stop ssh.socket ssh.service 2>/dev/null; true")
        try:
            with pytest.raises(AssertionError, match="unreachable"):
                site.play(self.PLAYBOOK, ("node-01",))
        finally:
            supervisor.switch(site.lab, "off", "node-01")
            supervisor.switch(site.lab, "on", "node-01")
            lifecycle.wait_for_ssh(site.lab, "node-01")

        assert ssh(site.lab, "node-01", "cat /etc/machine-id") == before

    def test_a_named_host_is_installed_once_for_its_word(self, site: Site) -> None:
        before = ssh(site.lab, "node-02", "cat /etc/machine-id")

        first = site.play(self.PLAYBOOK, ("node-02",), os_install_again={"node-02": "new-drives"})
        after = ssh(site.lab, "node-02", "cat /etc/machine-id")
        second = site.play(self.PLAYBOOK, ("node-02",), os_install_again={"node-02": "new-drives"})

        assert changed(first) == {"node-02"}
        assert after != before
        assert changed(second) == set()
        assert ssh(site.lab, "node-02", "cat /etc/machine-id") == after


class TestBurnIn:
    """The clock of step 034, by a load that needs no GPU."""

    PLAYBOOK = "server_assembly/034_gpu_burn_in.yml"
    NODE = "node-01"
    TERMS: ClassVar[dict[str, Any]] = {
        "burn_in_load": "system",
        "burn_in_hours": 1,
        "burn_in_patience_s": 1,
        # a host of the lab has no kernel log of its own
        "burn_in_kernel_log": ["sh", "-c", "cat /var/lib/kernel.log 2>/dev/null || true"],
    }

    def clean(self, site: Site) -> Measured:
        """Read the clock, as a retry does: nothing may be changed by that."""
        done = site.play(self.PLAYBOOK, (self.NODE,), **self.TERMS)
        assert changed(done) == set()
        return measured("034", self.NODE, done)["burn_in.clean_h"]

    def test_a_host_without_a_gpu_starts_nothing_and_measures_nothing(self, site: Site) -> None:
        done = site.play(self.PLAYBOOK, (self.NODE,))

        assert changed(done) == set()
        assert measured("034", self.NODE, done)["burn_in.clean_h"].value is None

    def test_check_mode_starts_nothing(self, site: Site) -> None:
        site.play(self.PLAYBOOK, (self.NODE,), check=True, **self.TERMS)

        assert ssh(site.lab, self.NODE, NOTHING_STARTED) == "nothing"

    def test_the_clock_runs_restarts_on_a_fault_and_a_power_loss_and_says_what_to_do(self, site: Site) -> None:
        site.play(self.PLAYBOOK, (self.NODE,), **self.TERMS)
        first = until(
            lambda: self.clean(site), lambda m: isinstance(m.value, Decimal) and m.value >= Decimal("0.02"), seconds=240
        )
        assert isinstance(first.value, Decimal)
        assert first.note == ""

        ssh(site.lab, self.NODE, f"echo '{XID}' >>/var/lib/kernel.log")
        hurt = until(lambda: self.clean(site), lambda m: m.note, seconds=60)
        assert hurt.value is not None
        assert "Xid 48" in hurt.note
        assert hurt.note.endswith("drain the node and reset the GPU")

        supervisor.switch(site.lab, "off", self.NODE)
        supervisor.switch(site.lab, "on", self.NODE)
        lifecycle.wait_for_ssh(site.lab, self.NODE)
        booted = until(lambda: self.clean(site), lambda m: "the host booted again" in m.note, seconds=120)
        assert isinstance(booted.value, Decimal)
        assert booted.value < first.value
        assert booted.note.endswith("drain the node and reboot it, power off and on")
        later = until(lambda: self.clean(site), lambda m: m.value, seconds=120)
        assert later.value
        log = ssh(site.lab, self.NODE, "cat /var/lib/clusterwright/burn-in/gpu/log.jsonl").splitlines()
        assert {json.loads(line)["kind"] for line in log} == {"begin", "reading", "kernel"}

    def test_stopped_ends_the_load_and_keeps_the_record(self, site: Site) -> None:
        site.play(self.PLAYBOOK, (self.NODE,), **self.TERMS, burn_in_state="stopped")

        assert ssh(site.lab, self.NODE, "systemctl is-active burn-in-load-gpu || true") == "inactive"
        assert ssh(site.lab, self.NODE, "wc -l </var/lib/clusterwright/burn-in/gpu/log.jsonl") != "0"


def test_a_stress_in_check_mode_starts_nothing(site: Site) -> None:
    site.play("server_assembly/035_stress.yml", ("node-02",), check=True)

    assert ssh(site.lab, "node-02", NOTHING_STARTED) == "nothing"


def test_whole_servers_are_stressed_and_judged_in_one_run_where_it_is_short(site: Site) -> None:
    done = site.play("server_assembly/035_stress.yml", ("node-01", "node-02"))
    again = site.play("server_assembly/035_stress.yml", ("node-01", "node-02"))

    for node in ("node-01", "node-02"):
        found = measured("035", node, done)
        assert found["stress.cpu_failures"].value == 0
        assert found["stress.memory_failures"].value == 0
        assert found["stress.cpu_ops_s"].value
        assert found["disk.write_mb_s"].value
        assert found["gpu_burn.faulty"].value is None
    assert changed(again) == set()
