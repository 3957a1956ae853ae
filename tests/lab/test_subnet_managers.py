"""Steps 060 and 059 on the fabric of a preset: ibsim, and two hosts with opensm, which is killed and misled while links are cut.

Playbooks: `networking/060_subnet_managers.yml`, `networking/059_fabric_counters.yml`.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from steps.cabling import finding
from steps.cabling.cable import Cable, CableEnd
from steps.cabling.comparing import compare
from steps.cabling.reading.found_file import read_found
from steps.cabling.worklist import WorkItem, worklist
from tests.lab import fabric
from tests.lab.as_engine import measured
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import BY_ITSELF, Played, play
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1200)]

(PLAYBOOK,) = (playbook for playbook in BY_ITSELF if "/060_" in playbook)
MANAGERS = ("fm-1", "fm-2")
TENANTS = [
    {"name": "first", "pkey": "0x1", "members": ["pod-001-n01", "pod-001-n02"]},
    {"name": "second", "pkey": "0x2", "members": ["pod-001-n03"], "membership": "limited"},
]

UNSTICK = r"""
while sleep 2; do
  last=$(grep -E 'Entering|SUBNET UP' /var/log/opensm.log | tail -n 1)
  case $last in *STANDBY*|*UP*) last= ;; esac
  if [ -n "$last" ] && [ "$last" = "$before" ]; then seen=$((seen + 1)); else seen=0; fi
  before=$last
  if [ "$seen" -ge 3 ]; then systemctl try-restart subnet-manager; seen=0; fi
done
"""
"""ibsim drops what answers a manager's trap 144, and no time runs out there: opensm waits for ever, and is started anew."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Yield a lab whose managers' hosts have a card in the fabric, and nothing else yet."""
    for lab in made_alone("cwib", "10.78.24.0/22", "fabric"):
        for host in MANAGERS:
            ssh(lab, host, "apt-get install -y -qq --no-install-recommends ibsim-utils; touch /var/log/opensm.log")
            ssh(lab, host, f"systemd-run --unit lab-unstick sh -c {shlex.quote(UNSTICK)}")
        yield lab


@pytest.fixture(scope="module")
def runs(lab: Lab) -> dict[str, Played]:
    """Play the step in check mode on bare hosts, then for real, then once more."""
    return {
        "check": play(lab, PLAYBOOK, "--check", "--diff"),
        "first": play(lab, PLAYBOOK),
        "second": play(lab, PLAYBOOK),
    }


def seen(lab: Lab, command: str, host: str = "fm-2") -> str:
    """Return what a tool of the fabric prints on a host."""
    words = " ".join(f"{name}={value}" for name, value in fabric.environment(lab, host).items())
    return ssh(lab, host, f"export {words}; {command}")


def master(lab: Lab, host: str = "fm-2") -> str:
    """Return the priority of the master, as a host sees it."""
    said = seen(lab, "sminfo -t 300 || true", host)
    return said.partition("priority ")[2].partition(" ")[0] if "SMINFO_MASTER" in said else ""


def judged(lab: Lab, folder: Path, partitions: list[dict[str, Any]]) -> dict[str, Any]:
    """Play the step with these partitions as the engine does. Return the values that it measures, all of them on one host."""
    found = measured(lab, "060", MANAGERS, folder, {"vars": {"fabric_partitions": partitions}})
    assert {len(hosts) for hosts in found.values()} == {1}
    return {metric: reading.value for metric, hosts in found.items() for reading in hosts.values()}


def without_power(lab: Lab, host: str) -> None:
    """Kill a host's manager. ibsim keeps a client that is killed, so it is disconnected."""
    ssh(lab, host, "systemctl kill --signal=KILL subnet-manager; systemctl stop subnet-manager")
    said = ssh(lab, "mgmt", f"echo Attached >{fabric.CONSOLE}; sleep 1; journalctl -u lab-ibsim --since -3s -o cat")
    for client in set(re.findall(rf'Client (\d+): pid \d+ connected at "{host}"', said)):
        ssh(lab, "mgmt", f"echo 'X {client}' >{fabric.CONSOLE}")


def keys(lab: Lab, card: str) -> str:
    """Return the keys of a card's port."""
    return seen(
        lab,
        f"smpquery pkeys $(ibnetdiscover | sed -n 's/.*\"{card}\" lid \\([0-9]*\\) .*/\\1/p' | head -1) 1 | head -1",
    )


def test_check_mode_ends_well_on_bare_hosts_and_a_second_run_changes_nothing(runs: dict[str, Played]) -> None:
    for run in runs.values():
        assert run.rc == 0, run.said[-4000:]
    assert runs["first"].changes
    assert runs["second"].changes == 0


@pytest.mark.usefixtures("runs")
def test_the_other_takes_over_when_the_master_is_killed_and_gives_way_when_it_is_back(lab: Lab) -> None:
    assert until(partial(master, lab), "14".__eq__, seconds=40) == "14"
    without_power(lab, "fm-1")
    assert until(partial(master, lab), "13".__eq__, seconds=60) == "13"

    ssh(lab, "fm-1", "systemctl start subnet-manager")
    assert until(partial(master, lab), "14".__eq__, seconds=60) == "14"


def cables(lab: Lab) -> Iterator[Cable]:
    """Yield the cables as they are drawn, with a card as its host's port."""
    assert lab.topology.infiniband
    for number, link in enumerate(fabric.fabric_links(lab.topology.infiniband)):
        host, _, card = link.name.partition(" ")
        near = CableEnd(host, card) if card else CableEnd(link.name, link.port)
        yield Cable(f"IB{number}", near, CableEnd(link.switch, link.switch_port), gbit=40)


def links_found(lab: Lab, before: list[WorkItem], name: str) -> list[WorkItem]:
    """Return the worklist after a reading from the second manager's host."""
    return worklist(compare(cables(lab), read_found("fabric", seen(lab, "iblinkinfo"), "iblinkinfo")), before, name)


@pytest.mark.usefixtures("runs")
def test_links_that_are_cut_as_the_master_dies_are_found_and_closed_when_they_are_back(lab: Lab) -> None:
    assert links_found(lab, [], "before") == []
    without_power(lab, "fm-1")
    ends = ('"pod-001-leaf-03"[40]', '"pod-001-leaf-05"[7]')
    for end in ends:
        ssh(lab, "mgmt", f"echo 'Unlink {end}' >{fabric.CONSOLE}")
    try:
        assert until(partial(master, lab), "13".__eq__, seconds=60) == "13"
        cut = links_found(lab, [], "cut")
    finally:
        for end in ends:
            ssh(lab, "mgmt", f"echo 'ReLink {end}' >{fabric.CONSOLE}")
        ssh(lab, "fm-1", "systemctl start subnet-manager")
    assert [item.finding.kind for item in cut] == [finding.MISSING, finding.MISSING]

    assert until(partial(master, lab), "14".__eq__, seconds=60) == "14"
    back = until(lambda: links_found(lab, cut, "back"), lambda items: all(item.closed for item in items), seconds=40)
    assert [bool(item.closed) for item in back] == [True, True]


@pytest.mark.usefixtures("runs")
def test_counters_of_every_port_are_series_and_errors_are_in_the_next_reading(lab: Lab, tmp_path: Path) -> None:
    found = measured(lab, "059", MANAGERS, tmp_path, {}, fabric_counters_interval_s=5)
    again = play(lab, "networking/059_fabric_counters.yml", "-e", "fabric_counters_interval_s=5")
    assert found["telemetry.port_coverage"]["fm-1"].value == 1, found
    assert found["telemetry.interval_s"]["fm-1"].value
    assert (again.rc, again.changes) == (0, 0), again.said[-4000:]

    series = 'infiniband_port_symbol_errors_total{node="pod-001-leaf-04",port="9"}'
    read = partial(ssh, lab, "fm-1", f"grep -F '{series}' /var/lib/prometheus/node-exporter/infiniband.prom")
    assert read() == f"{series} 0"
    counter = '"pod-001-leaf-04"[9] PortCounters.SymbolErrorCounter=7'
    ssh(lab, "mgmt", f"echo 'PerformanceSet {counter}' >{fabric.CONSOLE}")
    assert until(read, f"{series} 7".__eq__, seconds=40) == f"{series} 7"


@pytest.mark.usefixtures("runs")
def test_partitions_are_on_the_ports_and_a_file_that_lacks_a_member_is_found_and_put_right(
    lab: Lab, tmp_path: Path
) -> None:
    found = judged(lab, tmp_path / "whole", TENANTS)
    assert found.pop("fabric_manager.takeover_s") < 60
    assert found == {
        "fabric_manager.instances": 2,
        "fabric_manager.strangers": 0,
        "fabric_manager.switches_unmanaged": 0,
        "fabric_manager.routes_changed": 0,
        "partition.deviations": 0,
    }
    assert "0x8001" in keys(lab, "pod-001-n02 mlx5_3")
    assert "0x0002" in keys(lab, "pod-001-n03 mlx5_0")

    lack = "sed -i '/pod-001-n02 mlx5_3/d' /etc/opensm/partitions.conf && systemctl reload subnet-manager"
    ssh(lab, "fm-1", lack)
    lost = until(partial(keys, lab, "pod-001-n02 mlx5_3"), lambda said: "0x8001" not in said, seconds=20)
    drawn = tmp_path / "drawn.yml"
    drawn.write_text(yaml.safe_dump({"all": {"vars": {"fabric_partitions": TENANTS}}}), encoding="utf-8")
    shown = play(lab, PLAYBOOK, "-i", str(drawn), "--check", "--diff")
    repaired = judged(lab, tmp_path / "repaired", TENANTS)

    assert "0x8001" not in lost
    # the file, and that it is read
    assert shown.changed == {"fm-1": 2, "fm-2": 0}
    assert repaired["partition.deviations"] == 0
    assert "0x8001" in keys(lab, "pod-001-n02 mlx5_3")


@pytest.mark.usefixtures("runs")
def test_a_manager_that_does_not_come_up_has_back_what_it_read_and_the_other_is_not_touched(lab: Lab) -> None:
    files = "cat /etc/opensm/opensm.conf /etc/systemd/system/subnet-manager.service"
    before = [ssh(lab, host, files) for host in MANAGERS]
    ssh(lab, "fm-2", "chmod -x /usr/sbin/opensm")
    try:
        ran = play(lab, PLAYBOOK, "-e", "subnet_manager_polling_s=3")
    finally:
        ssh(lab, "fm-2", "chmod +x /usr/sbin/opensm; systemctl restart subnet-manager")

    assert ran.rc != 0
    assert "what it read before is back" in ran.said
    assert [ssh(lab, host, files) for host in MANAGERS] == before
    assert "fm-1" not in ran.changed or ran.changed["fm-1"] == 0


def test_a_partition_that_cannot_be_is_refused_with_its_place(lab: Lab) -> None:
    wrong = json.dumps({"fabric_partitions": [{"name": "first", "pkey": "0x7fff", "members": ["nobody"]}]})
    ran = play(lab, PLAYBOOK, "-e", wrong)

    assert ran.rc != 0
    assert "fabric_partitions[0].pkey: '0x7fff' is that of all ports" in ran.said
    assert "fabric_partitions[0].members: nobody has no card in fabric_links" in ran.said
