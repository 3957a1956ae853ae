"""Step 054 on real hosts: full frames pass between all of them, until one port of a leaf switch carries less."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.as_engine import measured
from tests.lab.lab import Lab
from tests.lab.reaching import ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(600)]

NODES = ("node-01", "node-02", "node-03")


def carried(lab: Lab, folder: Path) -> dict[str, tuple[object, str]]:
    """Return by node the bytes of the smallest path, and which it is."""
    found = measured(lab, "054", NODES, folder, {})["path_mtu.min"]
    return {host: (reading.value, reading.note) for host, reading in found.items()}


def test_a_port_of_a_leaf_that_carries_less_is_found_from_every_node(lab: Lab, tmp_path: Path) -> None:
    before = carried(lab, tmp_path / "before")
    ssh(lab, "leaf-1", "ip link set swp4 mtu 1500")
    try:
        narrow = carried(lab, tmp_path / "narrow")
    finally:
        ssh(lab, "leaf-1", "ip link set swp4 mtu 9000")

    assert {value for value, _ in before.values()} == {9000}, before
    assert {value for value, _ in narrow.values()} == {1500}, narrow
    behind = lab.addresses.of(lab.topology.host("node-02").number, plane=1)
    assert narrow["node-01"][1] == f"smallest: eth1 to {behind}"
