"""What monitoring is to see, taken away from it by its own tools: the playbook that sets it up must say which host or device is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.as_engine import Reader
from tests.lab.conftest import made_alone
from tests.lab.playing import find, played
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

HOSTS = ("mgmt", "node-01", "node-02")
POWER = "power.sources_answering_ratio"
PROBES = """
- hosts: compute
  gather_facts: false
  roles: [speed_probe]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A lab with a metrics database that scrapes its hosts."""
    for lab in made_alone("cwbrok", "10.81.16.0/22", "rack"):
        played(lab, find("166"))
        played(lab, find("167"))
        yield Reader(lab, tmp_path_factory.mktemp("readings"))


def scraped(site: Reader, query: str, wanted: str) -> None:
    """Wait until the metrics database answers this."""
    ask = f"promtool query instant http://127.0.0.1:9090 '{query}'"
    said = until(lambda: ssh(site.lab, "mgmt", ask), lambda said: f"=> {wanted} @" in said, seconds=60)
    assert f"=> {wanted} @" in said, said


def test_a_host_whose_exporter_is_not_reached_is_named(site: Reader) -> None:
    assert site.read("167", "exporter.up_ratio", *HOSTS) == dict.fromkeys(HOSTS, (1, ""))

    chain = "add table inet shut; add chain inet shut in { type filter hook input priority 0; }"
    shut = f"nft '{chain}; add rule inet shut in iif eth0 tcp dport 9100 drop'"
    with site.broken("node-02", shut, "nft delete table inet shut"):
        scraped(site, 'up{job="node",instance="node-02"}', "0")
        found = site.read("167", "exporter.up_ratio", *HOSTS)

    assert found == {"mgmt": (1, ""), "node-01": (1, ""), "node-02": (0, "down: node-02")}


def test_strips_and_servers_whose_power_is_not_read_are_named(site: Reader) -> None:
    """One strip is off. Another answers, and tells no power: its agent has lost the part of its maker. The controllers are off."""
    assert site.on_management("171", POWER) == (1, "")

    by = "systemctl stop lab-pdu-b; sed -i.kept /^pass_persist/d /etc/lab/pdu-a.conf; systemctl restart lab-pdu-a"
    right_by = "mv /etc/lab/pdu-a.conf.kept /etc/lab/pdu-a.conf; systemctl restart lab-pdu-a lab-pdu-b"
    with site.broken("mgmt", by, right_by):
        scraped(site, 'up{instance="pdu-b"}', "0")
        scraped(site, 'absent(rPDU2DeviceStatusPower{instance="pdu-a"})', "1")
        strips = site.on_management("171", POWER)
    with site.broken("mgmt", "systemctl stop lab-bmc", "systemctl start lab-bmc"):
        scraped(site, 'redfish_up{instance="node-02"}', "0")
        servers = site.on_management("171", POWER)

    assert strips[1] == "no answer: pdu-a, pdu-b"
    assert servers[1] == "no answer: node-01, node-02"


def test_a_cooling_unit_that_does_not_answer_is_named(site: Reader) -> None:
    site.on_management("171", POWER)
    assert site.on_management("119", "thermal.sensors_seen_ratio") == (1, "")
    unit = next(site.lab.addresses.of(unit.number) for unit in site.lab.topology.cooling if unit.name == "crah-1")

    with site.broken("mgmt", f"ip address del {unit}/24 dev eth0", f"ip address add {unit}/24 dev eth0"):
        scraped(site, 'up{instance="crah-1"}', "0")
        found = site.on_management("119", "thermal.sensors_seen_ratio")

    assert found[1] == "not seen: crah-1"


def test_a_server_that_is_slowed_is_found_but_for_one_whose_probe_has_stopped(site: Reader, tmp_path: Path) -> None:
    metric = "anomaly.injected_missed"
    probes = tmp_path / "probes.yml"
    probes.write_text(PROBES, encoding="utf-8")
    played(site.lab, probes)
    scraped(site, "count(speed_probe_seconds)", "2")

    with site.broken("node-01", "systemctl stop speed_probe.timer", "systemctl start speed_probe.timer"):
        missed, _ = site.read("175", metric, *HOSTS)["node-01"]
    found, note = site.read("175", metric, *HOSTS)["node-01"]

    assert missed == 1
    assert found == 0
    assert "services do without vector and hash instructions" in note
    assert ssh(site.lab, "node-01", "systemctl show-environment").count("OPENSSL") == 0
