"""How much memory a team's dispatcher and worker take while one step goes over many hosts, a slice after the other.

    python -m benchmarks.team_memory HOSTS SLICE_HOSTS

Hosts are connections to this machine, and each is asked for one line. Ledger and Prefect are on PostgreSQL. Memory is RSS; the worker's is
with Prefect's worker, and that of the playbooks, which end with their slices, is the most of all at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.flows.team_site import TeamSite
from tests.postgres_server import ON_POSTGRES, running

AT_ONCE, FORKS, LOOK_S = 4, 10, 2.0
PLAYBOOK = """\
- name: Ask every host for one line
  hosts: all
  gather_facts: false
  tasks:
    - name: Hand it over
      ansible.builtin.set_fact:
        raw_output_results: "{{ [{'raw_output_tool': {'name': 'uptime', 'argv': ['cat'], 'package': 'coreutils'},
          'rc': 0, 'stdout': '4711.00 4711.00', 'stderr': '', 'cmd': ['cat', '/proc/uptime']}] }}"
"""


class Look(NamedTuple):
    """How many slices were over, and the memory of dispatcher, worker and playbooks, in MB."""

    over: int
    dispatcher: float
    worker: float
    playbooks: float


def rss_mb(process: psutil.Process) -> float:
    """Return the memory of a process in MB; 0 where it has ended."""
    try:
        return float(process.memory_info().rss) / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def look(team: TeamSite, dispatcher: subprocess.Popen[bytes], worker: subprocess.Popen[bytes]) -> Look:
    """Return what there is now."""
    of_worker = [psutil.Process(worker.pid), *psutil.Process(worker.pid).children()]
    over = sum(one["state_type"] == "COMPLETED" for one in team.slices())
    return Look(
        over,
        rss_mb(psutil.Process(dispatcher.pid)),
        sum(map(rss_mb, of_worker)),
        sum(map(rss_mb, team.at_work())),
    )


def main() -> None:
    """Print a line for each tenth of the slices."""
    hosts, size = map(int, sys.argv[1:])
    os.environ[ON_POSTGRES] = "yes"
    slices = -(-hosts // size)
    print(f"{hosts} hosts in {slices} slices of {size}, {AT_ONCE} at once with {FORKS} forks each")
    with tempfile.TemporaryDirectory() as folder, running("-c max_connections=200") as postgres:
        team = TeamSite(Path(folder), postgres, hosts=hosts, slice_hosts=size)
        try:
            (team.witness.playbooks / "networking" / "200.yml").write_text(PLAYBOOK, encoding="utf-8")
            team.serve()
            team.add_worker("worker-1", at_once=AT_ONCE)
            with (team.site / "site.yaml").open("a", encoding="utf-8") as file:
                file.write(f"\nruns:\n  forks: {FORKS}\n")
            dispatcher, worker = team.dispatch(), team.work("worker-1")
            began, tenth, most = time.monotonic(), 0, 0.0
            while not team.runs() or team.runs()[0].settled_at is None:
                time.sleep(LOOK_S)
                now = look(team, dispatcher, worker)
                most = max(most, now.playbooks)
                if now.over * 10 // slices > tenth:
                    tenth = now.over * 10 // slices
                    print(
                        f"{now.over:4} over {time.monotonic() - began:6.0f} s  dispatcher {now.dispatcher:4.0f} MB  "
                        f"worker {now.worker:4.0f} MB  playbooks at most {most:5.0f} MB",
                        flush=True,
                    )
            (run,) = team.runs()
            now = look(team, dispatcher, worker)
            print(f"{run.status}: dispatcher {now.dispatcher:.0f} MB, worker {now.worker:.0f} MB, {run.summary}")
        finally:
            team.end()


if __name__ == "__main__":
    main()
