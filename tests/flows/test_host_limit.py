"""Ansible is held to just the hosts of a run, however many they are and whatever their names look like to it."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from flows.runs.drift.preview import look
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunSpec, run_playbook

LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
FLEET = tuple(f"node-{number:05}.hall-1.example.org" for number in range(1, 12_501))
"""As many as the nodes of the xai-100k site. Their names together are longer than an argument of a command may be."""

ODD = ("n*", "n?", "~n", "!n1", "&n1", "@n1", "n1,n2", "fe80::1", "n1:n2")
"""Names that would be patterns, files, or several names on a command line."""

PLAYBOOK = """\
- name: Touch
  hosts: {hosts}
  gather_facts: false
  tasks:
    - name: Do it
      ansible.builtin.debug:
"""


def spec_of(tmp_path: Path, there: tuple[str, ...], hosts: tuple[str, ...], plays: str = "all") -> RunSpec:
    playbook = tmp_path / "playbooks" / "phase" / "play.yml"
    playbook.parent.mkdir(parents=True)
    playbook.write_text(PLAYBOOK.format(hosts=json.dumps(plays)), encoding="utf-8")
    inventory = tmp_path / "hosts.yml"
    groups = {"hosts": dict.fromkeys(there), "vars": LOCAL, "children": {"racks": {"hosts": {"spare": {}}}}}
    inventory.write_text(json.dumps({"all": groups}), encoding="utf-8")
    return RunSpec(playbook, inventory, hosts, {}, tmp_path / "run", tmp_path / "log")


def touched(result: PlaybookResult) -> set[str]:
    """Return the hosts on which a task was run, whether or not the run was to touch them."""
    return {host.host for host in result.hosts if host.status != "skipped"}


@pytest.mark.slow
def test_a_run_over_12_500_hosts_begins_and_touches_those_that_it_plays(tmp_path: Path) -> None:
    """The play names three: the first, the last, and one that the run is not held to."""
    spec = spec_of(tmp_path, (*FLEET, "beside"), FLEET, f"{FLEET[0]},{FLEET[-1]},beside")

    result = run_playbook(spec, cancel=threading.Event())

    assert (result.status, result.message) == ("ok", "")
    assert touched(result) == {FLEET[0], FLEET[-1]}
    assert len(result.hosts) == len(FLEET)


@pytest.mark.slow
def test_so_does_a_look_in_check_mode(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, FLEET, FLEET, FLEET[-1])

    assert look(spec).summary == "would change 0 of 12500 hosts"


def test_names_that_look_like_patterns_are_those_hosts_only(tmp_path: Path) -> None:
    """As a pattern, each would be of hosts beside them, or no longer of itself."""
    spec = spec_of(tmp_path, (*ODD, "n1", "n2", "n3"), ODD)

    assert touched(run_playbook(spec, cancel=threading.Event())) == set(ODD)


def test_names_that_the_inventory_has_no_more_touch_nobody(tmp_path: Path) -> None:
    """An inventory may change after the plan, and a step that only reads needs no release."""
    spec = spec_of(tmp_path, ("n1", "n2"), (*ODD, "gone", "n1"))

    assert touched(run_playbook(spec, cancel=threading.Event())) == {"n1"}


def test_a_run_that_is_held_to_no_host_touches_none(tmp_path: Path) -> None:
    result = run_playbook(spec_of(tmp_path, ("n1",), ()), cancel=threading.Event())

    assert (result.status, touched(result)) == ("failed", set())
