"""How long a step over many hosts takes on a team's workers, beside plain ansible-playbook with as many forks, in one run.

    python -m benchmarks.team_slices HOSTS SECONDS WORKERS...

Hosts are connections to this machine, each of which sleeps for so many seconds. Ledger and Prefect are on PostgreSQL. Processor time is that of all
processes of the machine, less the sleep, so nothing else may run. Plain Ansible has pipelining as runs have, where a module's arguments are in
no file of a host: on connections to this machine that takes more processor time, by SSH less. Workers' processes yield to what else is on the
machine only where `kernel.sched_autogroup_enabled` is 0, or each is in a control group: Ansible opens a session for each host at work.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from flows.team.pool import Pool
from schedule.errors import UnreachableError
from tests.flows.conftest import until
from tests.flows.team_site import TeamSite
from tests.postgres_server import ON_POSTGRES, running

SLICES, FORKS = 4, 25
"""A run has so many slices, each with so many forks. Plain Ansible has as many forks as all of them."""


def cpu_s() -> float:
    """Return the processor time that this machine has used since it was started, in seconds. Playbooks of runs are niced."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system)


def plain(team: TeamSite) -> tuple[float, float]:
    """Run the step's playbook by itself. Return wall and processor time, in seconds."""
    book = team.witness.playbooks / "networking" / "200.yml"
    began, used = time.monotonic(), cpu_s()
    words: list[str | Path] = [
        Path(sys.executable).parent / "ansible-playbook",
        "-i",
        team.site / "inventory" / "hosts.ini",
        book,
        "-f",
        str(SLICES * FORKS),
    ]
    subprocess.run(
        words,
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"ANSIBLE_HOME": str(team.folder / "home"), "ANSIBLE_PIPELINING": "1"},
    )
    return time.monotonic() - began, cpu_s() - used


def on_workers(team: TeamSite, workers: int) -> tuple[float, float]:
    """Run the step on so many workers. Return wall and processor time from the claim to the result, in seconds."""
    for number in range(workers):
        team.add_worker(f"worker-{number + 1}", at_once=SLICES)
    with (team.site / "site.yaml").open("a", encoding="utf-8") as file:
        file.write(f"\nruns:\n  forks: {FORKS}\n")
    for number in range(workers):
        team.work(f"worker-{number + 1}")
    until(lambda: _online(team) == workers, seconds=120)  # a team's workers are there before its work
    team.dispatch()
    while not team.runs():
        time.sleep(0.1)
    used = cpu_s()
    while team.runs()[0].settled_at is None:
        time.sleep(2.0)  # the times are those of the record
    (run,) = team.runs()
    if run.status != "ok":
        team.end()
        raise SystemExit(f"{run.summary}\n{team.said('dispatcher site')}")
    assert run.settled_at
    return (run.settled_at - run.started_at).total_seconds(), cpu_s() - used


def _online(team: TeamSite) -> int:
    """Return how many workers Prefect's server has heard of. The first of them makes the pool."""
    with suppress(UnreachableError):
        return len(Pool(team.api, "site").heard_of())
    return 0


def main() -> None:
    """Time plain Ansible, each number of workers, and plain Ansible again, since a machine's speed changes. Print a table."""
    hosts, seconds, *workers = map(int, sys.argv[1:])
    os.environ[ON_POSTGRES] = "yes"
    size = -(-hosts // SLICES)
    print(
        f"{hosts} hosts, {seconds} s each, {SLICES} slices of {size}, {FORKS} forks each, plain {SLICES * FORKS}; {psutil.cpu_count()} cores"
    )
    took = []
    for count in (0, *workers, 0):
        with tempfile.TemporaryDirectory() as folder, running("-c max_connections=200") as postgres:
            team = TeamSite(Path(folder), postgres, hosts=hosts, beats=1, beat_s=seconds, slice_hosts=size)
            try:
                if count:
                    team.serve()
                took.append(on_workers(team, count) if count else plain(team))
            finally:
                team.end()
        print(f"{_named(count):10} {took[-1][0]:7.1f} s wall {took[-1][1]:7.1f} s processor", flush=True)
    means = [(before + after) / 2 for before, after in zip(took[0], took[-1], strict=True)]
    for count, found in zip(workers, took[1:-1], strict=True):
        wall, used = (100 * (value - mean) / mean for value, mean in zip(found, means, strict=True))
        print(f"{_named(count):10} {wall:+.0f} % wall, {used:+.0f} % processor against the mean of both plains")


def _named(workers: int) -> str:
    return f"{workers} workers" if workers else "plain"


if __name__ == "__main__":
    main()
