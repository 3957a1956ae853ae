"""What a run that is stopped has sent to a host is removed there. A program in place of `ssh` plays the host: a home of its own."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from flows.runs.process.leftovers import remote_temp
from flows.runs.process.place import RunPlace
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import Player, RunEvent, RunSpec, collected, ignore, play, run_playbook
from tests.flows.canaries import found_in

pytestmark = pytest.mark.slow

SECRET = "canary-of-a-host-88d1"
SLEEPS = f"47.{os.getpid()}"
SSH = """\
#!/bin/sh
test ! -e {home}/unreachable || exit 255
for last; do :; done
cd {home} && HOME={home} exec sh -c "$last"
"""
PLAYBOOK = f"""\
- name: Send a secret
  hosts: all
  gather_facts: false
  tasks:
    - name: Send it
      ansible.builtin.copy: {{content: {SECRET}, dest: "{{{{ home }}}}/never", validate: sh -c 'sleep {SLEEPS}' %s, mode: "0600"}}
"""


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """The home of the host."""
    home = tmp_path / "home"
    home.mkdir()
    program = tmp_path / "ssh"
    program.write_text(SSH.format(home=f"'{home}'"))
    program.chmod(0o755)
    return home


def as_a_worker(spec: RunSpec, place: RunPlace, *how: Any) -> PlaybookResult:
    """Play what is in the run's folder: a worker has nothing else of what Ansible reads."""
    return play(replace(spec, playbook=place.tree.playbook, inventory=place.tree.inventory), place, *how)


def stopped(tmp_path: Path, home: Path, at_the_stop: str = "", player: Player = play) -> tuple[PlaybookResult, str]:
    """Run until the host sleeps with the secret in its file, then cancel. Return the result, and the run's log."""
    playbook = tmp_path / "playbooks" / "phase" / "play.yml"
    playbook.parent.mkdir(parents=True)
    playbook.write_text(PLAYBOOK)
    inventory = tmp_path / "hosts.ini"
    way = f"ansible_ssh_executable={tmp_path}/ssh ansible_ssh_transfer_method=piped"
    inventory.write_text(f"n1 {way} ansible_python_interpreter={sys.executable}\n")
    spec = RunSpec(playbook, inventory, ("n1",), {"home": str(home)}, tmp_path / "run", tmp_path / "log")
    cancel, results = threading.Event(), list[PlaybookResult]()
    events: list[RunEvent] = []
    run = partial(run_playbook, spec, on_event=events.append, cancel=cancel, player=player)
    thread = threading.Thread(target=lambda: results.append(run()))
    thread.start()
    deadline = time.monotonic() + 60
    while not (asleep := [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", SLEEPS]]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert asleep[0].nice() > psutil.Process().nice(), "what a playbook starts stands back for the engine"
    assert found_in([home], [SECRET])
    if at_the_stop:
        (home / at_the_stop).touch()
    cancel.set()
    thread.join(60)
    there = replace(spec, log=tmp_path / "log-there")
    read = collected((event.data for event in events), there, ignore, cancel)  # as a dispatcher reads those of a worker
    assert (read.status, read.hosts) == (results[0].status, results[0].hosts)
    assert there.log.read_text() == spec.log.read_text()
    return results[0], spec.log.read_text()


@pytest.mark.parametrize("player", [play, as_a_worker])
def test_nothing_of_a_stopped_run_is_left_on_its_host(tmp_path: Path, host: Path, player: Player) -> None:
    temporary = host / remote_temp().removeprefix("~/")
    at_work = temporary / f"ansible-tmp-{time.time() + 3600}-1-1"
    at_work.mkdir(parents=True)

    result, said = stopped(tmp_path, host, player=player)

    assert not (tmp_path / "run").exists()
    assert (result.status, [h.status for h in result.hosts]) == ("cancelled", ["skipped"])
    assert result.hosts[0].message == "not finished: stopped", "its first task was at work on it"
    assert found_in([host], [SECRET]) == []
    assert list(temporary.iterdir()) == [at_work], "what came later is another run's"
    assert "may be left" not in said


def test_where_it_cannot_be_removed_the_run_says_so(tmp_path: Path, host: Path) -> None:
    _, said = stopped(tmp_path, host, "unreachable")

    assert f"what was being sent may be left in {remote_temp()} of n1" in said
