"""Automated steps through Clusterwright and by ansible-playbook alone: `automation.py overhead [ROUNDS] | fleet [HOSTS ...]`.

`overhead` wants a lab on which the steps have run (`examples/lab.py`). Both play the same playbooks on the same hosts with the
same inventory, one after the other, a phase at a time; the two take turns at being first. Clusterwright's time is that of
`up`: from the first claim to the last settlement, with every claim, event, reading and task of the dashboard between.
`fleet` plays a step on many names of this machine, in waves, and watches the memory of all processes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil

from flows.runs.process.place import playbooks_folder
from flows.runs.process.spare import environment
from flows.runs.run import RunSpec
from flows.runs.waves import run_in_waves
from ledger.questions.activities import hosts_of
from ledger.questions.records import runs
from ledger.reading import open_snapshot
from steps.catalog.loader import read_catalog
from steps.catalog.terms import Effect, Kind, Waves
from steps.design.design import design_of_preset
from steps.planning.activity import PlanActivity
from steps.planning.network.expansion import expand
from tests.lab.bare_site import make_site
from tests.lab.lab import DEFAULT_NAME, find_lab
from tests.ports import free_port

FLEETS = (100, 300, 1000)
WAVE = 50
LOOK_S = 0.1
PLAY = """\
- name: Look at every host
  hosts: all
  gather_facts: false
  tasks:
    - name: Read the kernel's release
      ansible.builtin.command: uname -r
      changed_when: false
"""


def overhead(rounds: int) -> None:
    """Play the lab's automated steps both ways and print both times and their ratio."""
    lab = find_lab(os.environ.get("LAB_NAME", DEFAULT_NAME))
    if lab is None:
        sys.exit("no lab is up: `make lab-up`, then examples/lab.py")
    nodes = expand(read_catalog(), design_of_preset("lab"), day_h=8).nodes.values()
    steps_here = {node.entry.step.id: node.entry.step for node in nodes if node.applies}
    by_phase: dict[str, list[str]] = defaultdict(list)
    for step in steps_here.values():
        if step.playbook and step.kind in {Kind.AUTOMATE, Kind.VERIFY}:
            by_phase[step.playbook.split("/")[0]].append(step.id)
    ways = [_through_clusterwright, _by_ansible_alone]
    ratios = []
    for number in range(rounds):
        ours = theirs = 0.0
        for turn, (phase, steps) in enumerate(by_phase.items(), start=number):
            with tempfile.TemporaryDirectory() as folder:
                site = Path(folder) / "site"
                activities = make_site(site, lab, steps, _only_runs)
                in_turn = ways if turn % 2 == 0 else reversed(ways)
                times = {way: way(site, activities) for way in in_turn}
            our_time, their_time = (times[way] for way in ways)
            ours, theirs = ours + our_time, theirs + their_time
            _tell(f"{phase}, {len(activities)} steps", our_time, their_time)
        _tell("together", ours, theirs)
        ratios.append(ours / theirs)
    print(f"median {statistics.median(ratios):.3f}")


def _tell(what: str, ours: float, theirs: float) -> None:
    print(f"{what}: Clusterwright {ours:.1f} s, ansible-playbook {theirs:.1f} s, {ours / theirs:.3f}", flush=True)


def _only_runs(_: PlanActivity) -> dict[str, Any]:
    """Let nothing but the run itself decide: no release to wait for, no criterion to fail, all hosts at once."""
    return {
        "kind": Kind.VERIFY,
        "effect": Effect.READ,
        "criteria": (),
        "waves": None,
        "completed_by": (),
    }


def _through_clusterwright(site: Path, activities: list[PlanActivity]) -> float:
    words = ["up", "--until-idle", "--port", str(free_port()), "--site", str(site)]
    subprocess.run([sys.executable, "-m", "clusterwright", *words], check=True, capture_output=True)
    with open_snapshot(site) as snapshot:
        found = runs(snapshot)
    _require_all(activities, {run.activity for run in found if run.result == "done"}, "Clusterwright")
    ended: list[datetime] = [run.settled_at for run in found if run.settled_at is not None]
    return (max(ended) - min(run.started_at for run in found)).total_seconds()


def _by_ansible_alone(site: Path, activities: list[PlanActivity]) -> float:
    variables = site / "variables.json"
    began = time.monotonic()
    for activity in activities:
        assert activity.playbook
        with open_snapshot(site) as snapshot:
            hosts = hosts_of(snapshot, activity.id, "")
        variables.write_text(json.dumps({"clusterwright_design": {}, "clusterwright_criteria": []}), encoding="utf-8")
        inventory = str(site / "inventory" / "hosts.yml")
        words = ["-i", inventory, "--limit", ",".join(hosts), "-e", f"@{variables}"]
        done = subprocess.run(
            ["ansible-playbook", *words, str(playbooks_folder() / activity.playbook)],
            capture_output=True,
            text=True,
            check=False,
            env=environment() | {"ANSIBLE_ROLES_PATH": str(playbooks_folder() / "roles")},
        )
        if done.returncode != 0:
            sys.exit(f"{activity.id}: {done.stdout[-2000:]}")
    return time.monotonic() - began


def _require_all(activities: list[PlanActivity], done: set[str], who: str) -> None:
    if missing := [a.id for a in activities if a.id not in done]:
        sys.exit(f"{who} did not finish {', '.join(missing)}: the times cannot be compared")


def fleet(sizes: list[int]) -> None:
    """Play one task on many hosts in waves and at once; print seconds and the most memory that all processes had."""
    print("hosts  waves of  seconds  most memory")
    for hosts in sizes:
        for wave in (WAVE, hosts):
            seconds, most = _played(hosts, wave)
            print(f"{hosts:5}  {wave:8}  {seconds:7.1f}  {most / 1024**2:8.0f} MiB", flush=True)


def _played(count: int, wave: int) -> tuple[float, int]:
    names = tuple(f"node-{number:04}" for number in range(count))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        playbook = folder / "playbooks" / "phase" / "play.yml"
        playbook.parent.mkdir(parents=True)
        playbook.write_text(PLAY, encoding="utf-8")
        inventory = folder / "hosts.ini"
        local = "ansible_connection=local ansible_python_interpreter='{{ ansible_playbook_python }}'"
        inventory.write_text("".join(f"{name} {local}\n" for name in names), encoding="utf-8")
        spec = RunSpec(playbook, inventory, names, {}, folder / "run", folder / "log")
        waves = Waves(canary=1, size=wave, max_failed_percent=0, source="assumption")
        memory = Memory()
        began = time.monotonic()
        with memory:
            result = run_in_waves(
                spec, waves, on_event=lambda _: None, on_pgid=lambda _: None, cancel=threading.Event()
            )
        assert {host.status for host in result.hosts} == {"ok"}, result.message
        assert len(result.hosts) == count
        return time.monotonic() - began, memory.most


class Memory:
    """The most memory that this process and all below it had at once, in bytes; shared pages are counted once each."""

    def __init__(self) -> None:
        self.most = 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)

    def __enter__(self) -> None:
        """Begin to watch."""
        self._watcher.start()

    def __exit__(self, *_: object) -> None:
        """Stop watching."""
        self._over.set()
        self._watcher.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._over.wait(LOOK_S):
            total = 0
            for process in (me, *me.children(recursive=True)):
                try:
                    total += process.memory_full_info().pss
                except (psutil.NoSuchProcess, psutil.AccessDenied):
                    continue
            self.most = max(self.most, total)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["overhead", *given]:
            overhead(int(given[0]) if given else 1)
        case ["fleet", *given]:
            fleet([int(size) for size in given] or list(FLEETS))
        case _:
            sys.exit(__doc__)
