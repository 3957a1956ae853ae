"""What a lab is made from, checked without making one: these run anywhere, as anyone."""

from __future__ import annotations

import re
import threading
import urllib.request
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from flows.runs.inventory.hosts import inventory_hosts
from steps.design.design import design_of_preset
from tests.lab import fabric, lifecycle
from tests.lab.inventory import write_inventory
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, Lab, make_lab
from tests.lab.packages_cache import Proxy
from tests.lab.releases import DEBIAN_12, RELEASES
from tests.lab.topology import read_topology, topology_names


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("LAB_HOME", str(tmp_path))
    lab = make_lab(DEFAULT_NAME, "full", DEFAULT_NETWORK)
    lab.folder.mkdir(parents=True)
    return lab


@pytest.mark.parametrize("name", topology_names())
def test_every_cable_has_two_ends_of_its_own(name: str) -> None:
    topology = read_topology(name)
    ends = [(c.host, c.port) for c in topology.links] + [(c.switch, c.switch_port) for c in topology.links]

    assert {host for host, _ in ends} <= {host.name for host in topology.hosts}
    assert [end for end, times in Counter(ends).items() if times > 1] == []


@pytest.mark.parametrize("name", topology_names())
def test_no_two_of_a_lab_have_the_same_address(name: str) -> None:
    lab = make_lab(DEFAULT_NAME, name, DEFAULT_NETWORK)
    topology, addresses = lab.topology, lab.addresses
    numbers = [*(p.number for p in topology.pdus), *(u.number for u in topology.cooling)]
    all_of_them = [addresses.gateway, *(addresses.of(n) for n in (*(h.number for h in topology.hosts), *numbers))]
    all_of_them += [addresses.bmc(host) for host in topology.hosts if host.bmc]

    assert len(all_of_them) == len({*all_of_them})


@pytest.mark.parametrize("name", topology_names())
def test_hosts_have_a_release_that_is_known_and_simulators_debian(name: str) -> None:
    """What the simulators need is packaged over Debian's image alone."""
    topology = read_topology(name)

    assert {host.release for host in topology.hosts} <= set(RELEASES)
    assert not topology.needs_simulators or topology.host(topology.simulator_host).release == DEBIAN_12


def test_the_net_list_tells_every_link_from_both_ends() -> None:
    infiniband = read_topology("full").infiniband
    assert infiniband
    told = set()
    for block in fabric.net_list(infiniband).split("\n\n"):
        name, *ports = re.findall(r'"([^"]+)"', block)
        numbers = re.findall(r'^\[(\d+)\]\t"[^"]+"\[(\d+)\]', block, flags=re.MULTILINE)
        told |= {(name, own, peer, other) for peer, (own, other) in zip(ports, numbers, strict=True)}

    assert len(told) == 2 * (len(infiniband.hosts) + infiniband.spines * infiniband.leaves)
    assert {(peer, other, name, own) for name, own, peer, other in told} == told


def test_the_inventory_deals_the_compute_hosts_of_the_preset_first(lab: Lab) -> None:
    write_inventory(lab)

    hosts = inventory_hosts(lab.inventory)["all"]

    nodes = int(design_of_preset("lab").site.values["nodes"])
    assert hosts[:nodes] == tuple(host.name for host in lab.topology.hosts if host.role == "compute")
    assert set(hosts) == {host.name for host in lab.topology.hosts}


@pytest.mark.parametrize(
    ("name", "network", "says"),
    [
        ("Lab", DEFAULT_NETWORK, "cannot name a lab"),
        ("toolongname", DEFAULT_NETWORK, "cannot name a lab"),
        (DEFAULT_NAME, "10.78.0.0/24", "no /22"),
    ],
)
def test_a_name_or_network_that_cannot_be_is_refused(name: str, network: str, says: str) -> None:
    with pytest.raises(SystemExit, match=says):
        make_lab(name, "full", network)


def test_the_cache_is_not_removed_under_a_lab(lab: Lab) -> None:
    with pytest.raises(SystemExit, match=f"labs are up: {DEFAULT_NAME}"):
        lifecycle.clean(print)


def test_a_package_is_fetched_once_and_a_list_each_time(tmp_path: Path) -> None:
    served, asked = tmp_path / "archive", []
    served.mkdir()
    for name in ("tool_1.0.deb", "Packages"):
        (served / name).write_text(name, encoding="utf-8")

    class Archive(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
            asked.append(self.path)

    Proxy.folder = tmp_path / "kept"
    Proxy.folder.mkdir()
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), partial(Archive, directory=str(served))) as archive,
        ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy,
    ):
        for server in (archive, proxy):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        through = urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{proxy.server_port}"})
        opener = urllib.request.build_opener(through)
        got = [
            opener.open(f"http://127.0.0.1:{archive.server_port}/{name}", timeout=10).read().decode()
            for name in ("tool_1.0.deb", "Packages", "tool_1.0.deb", "Packages")
        ]
        for server in (proxy, archive):
            server.shutdown()

    assert got == ["tool_1.0.deb", "Packages", "tool_1.0.deb", "Packages"]
    assert asked == ["/tool_1.0.deb", "/Packages", "/Packages"]
