"""Pairs of real hosts, tested over TCP in rounds: a link that was made slow is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from steps.cabling.cable import Cable, CableEnd
from steps.pairs.culprits import culprits
from steps.pairs.paths import LINK, PairTest, Part, Paths
from steps.pairs.rounds import round_robin
from steps.pairs.slow import Limit, slow_tests
from tests.lab.lab import Lab
from tests.lab.reaching import ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

SLOW_MBIT, LEAST_MBIT = 5, 40
"""What the slow link lets through, and what any other carries on a machine that all hosts share."""

SLOW = f"rate {SLOW_MBIT}mbit burst 32kbit latency 400ms"


def cables(lab: Lab) -> Iterator[Cable]:
    """Yield the cables of hosts to the leaf switches; a data plane is a rail."""
    for number, link in enumerate(lab.topology.links):
        if link.port.startswith("eth"):
            host, switch = CableEnd(link.host, link.port), CableEnd(link.switch, link.switch_port)
            yield Cable(f"C{number}", host, switch, rail=link.port.removeprefix("eth"))


def measured(lab: Lab, a: str, b: str, rail: str) -> PairTest:
    """Return the Mbit/s that one host receives from another by TCP."""
    address = lab.addresses.of(lab.topology.host(b).number, plane=int(rail))
    ssh(lab, b, f"iperf3 -s -1 -D -B {address}")
    said = json.loads(ssh(lab, a, f"sleep 0.5; iperf3 -J -t 1 -c {address}"))
    return PairTest(a, b, rail, said["end"]["sum_received"]["bits_per_second"] / 1e6)


def test_a_slow_link_is_named_by_all_pairs_in_rounds(lab: Lab) -> None:
    paths = Paths(cables(lab))
    hosts = sorted({link.name for link in paths.links})
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda host: ssh(lab, host, "apt-get install -y -qq iperf3 >/dev/null"), hosts))
        ssh(lab, "node-02", f"tc qdisc add dev eth1 root tbf {SLOW}")
        ssh(lab, "leaf-1", f"tc qdisc add dev swp4 root tbf {SLOW}")
        try:
            results = [
                result
                for rail in ("1", "2")
                for pairs in round_robin(hosts)
                for result in threads.map(lambda pair, rail=rail: measured(lab, pair[0], pair[1], rail), pairs)
            ]
        finally:
            ssh(lab, "node-02", "tc qdisc del dev eth1 root")
            ssh(lab, "leaf-1", "tc qdisc del dev swp4 root")

    (culprit,) = culprits(results, slow_tests(results, paths, Limit(LEAST_MBIT)), paths)

    assert len(results) == len(hosts) * (len(hosts) - 1)
    assert (culprit.part, culprit.certain) == (Part(LINK, "node-02", "1"), True)
