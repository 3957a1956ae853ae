"""Step 062 on real hosts: cables by LLDP and a simulated InfiniBand fabric by its real tools, cut, exchanged and put right."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import yaml

from steps.cabling import finding
from steps.cabling.cable import Cable, CableEnd, together
from steps.cabling.comparing import Comparison, compare
from steps.cabling.reading.found_file import read_found
from steps.cabling.worklist import WorkItem, worklist
from tests.lab import fabric, network
from tests.lab.lab import Lab
from tests.lab.playing import find, played
from tests.lab.reaching import neighbours, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

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
    built = lab.topology.infiniband
    assert built
    for index, host in enumerate(built.hosts):
        yield CableEnd(host, "1"), CableEnd(f"ib-leaf-{index % built.leaves + 1}", str(index // built.leaves + 1))
    for leaf in range(built.leaves):
        for spine in range(built.spines):
            port = str(fabric.SWITCH_PORTS - spine)
            yield CableEnd(f"ib-leaf-{leaf + 1}", port), CableEnd(f"ib-spine-{spine + 1}", str(leaf + 1))


def read(lab: Lab, folder: Path) -> Comparison:
    """Play step 062 as a person does, and compare what it wrote."""
    folder.mkdir()
    links = [[str(one), str(other)] for one, other in infiniband(lab)]
    beside = folder.with_suffix(".yml")
    beside.write_text(yaml.safe_dump({"all": {"hosts": {"sim": {"fabric_links": links}}}}), encoding="utf-8")
    played(lab, find("062"), "-i", str(beside), "-e", f"found_links_folder={folder}")
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
