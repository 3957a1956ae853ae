"""Step 064 over TCP on real hosts, as the engine runs it: all pairs in rounds, and a link that was made slow is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from steps.acceptance.measured import Measured
from tests.lab.as_engine import measured
from tests.lab.lab import Lab
from tests.lab.reaching import ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(600)]

ALSO = ("mgmt", "login", "storage")
"""Hosts that are tested beside those of the group: six hosts tell a link from its server."""

SIX = (*ALSO, "node-01", "node-02", "node-03")


def six_hosts(lab: Lab, folder: Path) -> dict[str, Measured]:
    """Run step 064 on six hosts, and return what it measured; the first of them has the results of all."""
    also = {"children": {"compute": {"hosts": dict.fromkeys(ALSO)}}}
    found = measured(lab, "064", SIX, folder, also, pair_tests_folder=str(folder))
    return {metric: reading for metric, by_host in found.items() for reading in by_host.values()}


@contextmanager
def slow_link(lab: Lab, host: str, port: str, switch: str, switch_port: str) -> Iterator[None]:
    """Let a link carry 5 Mbit/s each way."""
    ends = ((host, port), (switch, switch_port))
    for device, name in ends:
        ssh(lab, device, f"tc qdisc replace dev {name} root tbf rate 5mbit burst 32kbit latency 400ms")
    try:
        yield
    finally:
        for device, name in ends:
            ssh(lab, device, f"tc qdisc del dev {name} root")


def test_a_slow_link_is_named(lab: Lab, tmp_path: Path) -> None:
    before = six_hosts(lab, tmp_path / "before")
    with slow_link(lab, "node-02", "eth1", "leaf-1", "swp4"):
        slow = six_hosts(lab, tmp_path / "slow")

    assert before["fabric.pair_culprits"].value == 0, before
    assert slow["fabric.pair_culprits"].value == 1
    assert slow["fabric.pair_culprits"].note.startswith("link of node-02, rail 1: ")
    assert slow["fabric.pair_culprits"].note.endswith(", certain")
    # TCP says nothing of RDMA
    assert slow["rdma.write_bw_min_gbit"].value is None
    pairs = (tmp_path / "slow" / "pairs.csv").read_text(encoding="utf-8").splitlines()
    assert pairs[0] == "a,b,rail,value"
    assert len(pairs) == 1 + 2 * 15 * 2 * 2
