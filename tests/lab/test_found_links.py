"""Step 062 on real hosts: cables by LLDP and a simulated InfiniBand fabric by its real tools, cut, exchanged and put right."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from steps.cabling import finding
from steps.cabling.cable import Cable, CableEnd, together
from steps.cabling.comparing import Comparison, compare
from steps.cabling.reading.found_file import read_found
from steps.cabling.worklist import WorkItem, worklist
from tests.lab import fabric, network
from tests.lab.as_engine import measured
from tests.lab.lab import Lab
from tests.lab.playing import find, played
from tests.lab.reaching import neighbours, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(600)]

EXCHANGE = (
    "ip link set swp3 down; ip link set swp4 down; ip link set swp3 name kept; ip link set swp4 name swp3;"
    "ip link set kept name swp4; ip link set swp3 up; ip link set swp4 up; systemctl restart lldpd"
)
"""Two ports of a switch get each other's name: to everybody else their plugs were exchanged."""


def cables(lab: Lab) -> Iterator[Cable]:
    """Yield the cables of the data plane, and those of the InfiniBand fabric."""
    for number, link in enumerate(lab.topology.links):
        yield Cable(f"C{number}", CableEnd(link.host, link.port), CableEnd(link.switch, link.switch_port))
    for number, (one, other) in enumerate(infiniband(lab)):
        yield Cable(f"IB{number}", one, other, gbit=40)


def infiniband(lab: Lab) -> Iterator[tuple[CableEnd, CableEnd]]:
    """Yield the links of the fabric that ibsim simulates."""
    assert lab.topology.infiniband
    for link in fabric.fabric_links(lab.topology.infiniband):
        yield CableEnd(link.name, link.port), CableEnd(link.switch, link.switch_port)


def read(lab: Lab, folder: Path) -> Comparison:
    """Play step 062 as a person does, and compare what it wrote."""
    folder.mkdir()
    played(lab, find("062"), "-e", f"found_links_folder={folder}")
    files = sorted(folder.iterdir())
    return compare(
        cables(lab), together([read_found(file.stem, file.read_text(encoding="utf-8"), file.name) for file in files])
    )


def kinds(items: list[WorkItem]) -> list[str]:
    """Return what is left to put right."""
    return sorted(item.finding.kind for item in items if not item.closed)


def test_cables_that_are_cut_or_exchanged_are_found_and_closed_when_they_are_right(lab: Lab, tmp_path: Path) -> None:
    everything = {cable.name for cable in cables(lab)}
    assert read(lab, tmp_path / "before").right == everything

    host = lab.topology.host("storage")
    network.cut(lab, host, "eth2")
    ssh(lab, "leaf-1", EXCHANGE)
    ssh(lab, "sim", f"echo 'Unlink \"ib-leaf-2\"[1]' >{fabric.CONSOLE}")
    try:
        until(partial(neighbours, lab, "leaf-1"), lambda heard: len(heard) == 7, seconds=40)
        until(partial(neighbours, lab, "node-01"), lambda heard: heard.get("eth1") == "leaf-1 swp4", seconds=40)
        broken = worklist(read(lab, tmp_path / "broken"), (), "first")
    finally:
        network.join(lab, host, "eth2")
        ssh(lab, "leaf-1", EXCHANGE)
        ssh(lab, "sim", f'echo \'Link "ib-leaf-2"[1] "node-02"[1]\' >{fabric.CONSOLE}')
    assert kinds(broken) == sorted((finding.MISSING, finding.MISSING, finding.SWAPPED_PAIR))

    until(partial(neighbours, lab, "node-01"), lambda heard: heard.get("eth1") == "leaf-1 swp3", seconds=40)
    until(partial(neighbours, lab, "storage"), lambda heard: "eth2" in heard, seconds=40)
    until(lambda: read_right(lab, tmp_path), everything.__eq__, seconds=60)
    after = worklist(read(lab, tmp_path / "after"), broken, "second")
    assert kinds(after) == []
    assert len([item for item in after if item.closed]) == len(broken)


def read_right(lab: Lab, folder: Path) -> frozenset[str]:
    """Return the cables that a new reading sees right."""
    return read(lab, folder / f"look-{len(list(folder.iterdir()))}").right


@contextmanager
def trouble(lab: Lab) -> Iterator[None]:
    """Take a cable out and put it back, and let an InfiniBand port count symbol errors, again and again."""
    over, host = threading.Event(), lab.topology.host("storage")

    def make() -> None:
        for errors in count(1):
            network.cut(lab, host, "eth2")
            network.join(lab, host, "eth2")
            counter = f'"ib-leaf-2"[1] PortCounters.SymbolErrorCounter={errors}'
            ssh(lab, "sim", f"echo 'PerformanceSet {counter}' >{fabric.CONSOLE}")
            if over.wait(2):
                return

    maker = threading.Thread(target=make)
    maker.start()
    try:
        yield
    finally:
        over.set()
        maker.join()


def test_a_link_that_went_down_and_one_with_errors_are_found_although_both_are_up(lab: Lab, tmp_path: Path) -> None:
    hosts = ("storage", "node-01", "sim")
    quiet = measured(lab, "062", hosts, tmp_path / "quiet", {})
    with trouble(lab):
        found = measured(lab, "062", hosts, tmp_path / "trouble", {})

    for metric in ("port.link_down_growth", "port.symbol_error_growth"):
        assert {host: reading.value for host, reading in quiet[metric].items()} == dict.fromkeys(hosts, 0)
    assert found["port.link_down_growth"]["storage"].value
    assert "eth2" in found["port.link_down_growth"]["storage"].note
    assert found["port.link_down_growth"]["node-01"].value == 0
    assert found["port.symbol_error_growth"]["sim"].value
