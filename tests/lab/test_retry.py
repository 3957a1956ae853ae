"""A host that is cut off in the middle of a wave, on real hosts through the engine: the others finish, a retry touches it alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ledger.questions.case import require_activity
from ledger.questions.records import items, runs
from ledger.reading import open_snapshot
from tests.dashboard import free_port
from tests.lab import lifecycle, network
from tests.lab.bare_site import OWNER, make_site
from tests.lab.conftest import made
from tests.lab.lab import DEFAULT_NAME, DEFAULT_NETWORK, Lab
from tests.lab.reaching import ssh, until

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


class Site:
    """A site of this one step, with its engine running."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        words = ["up", "--port", str(free_port()), "--site", str(folder)]
        with (folder / "up.log").open("wb") as out:
            self.engine = subprocess.Popen(
                [sys.executable, "-m", "clusterwright", *words], stdout=out, stderr=subprocess.STDOUT
            )

    def say(self, *words: str) -> str:
        """Run one command; one that fails is the test's failure. Give all that it says."""
        command = [sys.executable, "-m", "clusterwright", *words, "--site", str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def state(self) -> str:
        with open_snapshot(self.folder) as reader:
            return require_activity(reader.at(datetime.now(UTC)), NAME).state.value

    def results(self) -> dict[str, str]:
        """Return the outcome of each host in the last run."""
        with open_snapshot(self.folder) as reader:
            return {item.host: item.status for item in items(reader, runs(reader, NAME)[-1].id)}

    def log(self) -> str:
        """Return what the runs have printed so far."""
        live = self.folder / ".clusterwright" / "live"
        return "".join(file.read_text(encoding="utf-8") for file in sorted(live.glob("*.log"), key=os.path.getmtime))

    def stop(self) -> None:
        self.engine.send_signal(signal.SIGINT)
        self.engine.wait(90)


@pytest.fixture
def site(hosts: Lab, tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "site"
    make_site(folder, hosts, [NAME.partition("@")[0]], lambda _: {"criteria": ()})
    site = Site(folder)
    yield site
    site.stop()


def test_a_host_cut_off_in_a_wave_is_named_and_a_retry_touches_it_alone(hosts: Lab, site: Site) -> None:
    site.say("release", NAME, "--yes", "--as", OWNER)
    until(site.log, lambda log: "WAVE 2" in log and "TASK" in log.partition("WAVE 2")[2], seconds=300)
    network.cut(hosts, hosts.topology.host(CUT), None)
    try:
        until(site.state, "failed".__eq__, seconds=300)
        assert site.state() == "failed"
        told = site.results()
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
    until(site.state, "done".__eq__, seconds=300)

    assert f"on 1 hosts: {CUT}" in released
    assert site.state() == "done"
    told = site.results()
    assert told.pop(CUT) in {"ok", "changed"}
    assert told == dict.fromkeys(OTHERS, "kept")
    again = site.log()[before:]
    assert CUT in again
    assert not [host for host in OTHERS if host in again]
    for host, mark in marks.items():  # modules tell the journal of the host that they run on
        assert ssh(hosts, host, f"journalctl -q --since @{mark} | grep -c 'Invoked with' || true") == "0"
    assert ssh(hosts, CUT, "journalctl -q | grep -c 'Invoked with'") != "0"
