"""A host that is cut off in the middle of a wave, on real hosts through the engine: the others finish, a retry touches it alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.lab import lifecycle, network
from tests.lab.bare_site import OWNER, make_site
from tests.lab.conftest import made
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, Lab
from tests.lab.reaching import ssh, until
from tests.lab.running_site import RunningSite

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(900)]

NAME = "167@pod-001"
CUT = "node-03"
DATABASES = {"mgmt", "storage"}
"""Hosts that are told of the host which is tried again: they have the metrics databases."""
OTHERS = {"node-01", "node-02", "login", "mgmt", "storage"}


@pytest.fixture(scope="module")
def hosts() -> Iterator[Lab]:
    """The whole lab, or the one that the environment names."""
    yield from made(os.environ.get("LAB_NAME", DEFAULT_NAME), "full", DEFAULT_NETWORK)


@pytest.fixture
def site(hosts: Lab, tmp_path: Path) -> Iterator[RunningSite]:
    folder = tmp_path / "site"
    make_site(folder, hosts, [NAME.partition("@")[0]], lambda _: {"criteria": ()})
    site = RunningSite(folder)
    yield site
    site.stop()


def test_a_host_cut_off_in_a_wave_is_named_and_a_retry_touches_it_alone(hosts: Lab, site: RunningSite) -> None:
    site.say("release", NAME, "--yes", "--as", OWNER)
    until(site.log, lambda log: "WAVE 2" in log and "TASK" in log.partition("WAVE 2")[2], seconds=300)
    network.cut(hosts, hosts.topology.host(CUT), None)
    try:
        until(partial(site.state, NAME), "failed".__eq__, seconds=300)
        assert site.state(NAME) == "failed"
        told = site.results(NAME)
        assert told.pop(CUT) == "unreachable"
        assert told.keys() == OTHERS
        assert set(told.values()) <= {"ok", "changed"}
        assert f"unreachable: {CUT}" in site.log()
    finally:
        network.join(hosts, hosts.topology.host(CUT), None)
    lifecycle.wait_for_ssh(hosts, CUT)
    before = len(site.log())
    marks = {host: ssh(hosts, host, "date +%s") for host in OTHERS - DATABASES}
    time.sleep(1)

    site.say("retry", NAME, "--as", OWNER)
    released = site.say("release", NAME, "--yes", "--as", OWNER)
    until(partial(site.state, NAME), "done".__eq__, seconds=300)

    assert f"on 1 host: {CUT}" in released
    assert site.state(NAME) == "done"
    told = site.results(NAME)
    assert told.pop(CUT) in {"ok", "changed"}
    assert told == dict.fromkeys(OTHERS, "kept")
    again = site.log()[before:]
    assert CUT in again
    assert not [host for host in OTHERS if host in again]
    for host, mark in marks.items():  # modules tell the journal of the host that they run on
        assert ssh(hosts, host, f"journalctl -q --since @{mark} | grep -c 'Invoked with' || true") == "0"
    assert ssh(hosts, CUT, "journalctl -q | grep -c 'Invoked with'") != "0"
