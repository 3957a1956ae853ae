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
from pathlib import Path

import psutil

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
    team.dispatch()
    for number in range(workers):
        team.work(f"worker-{number + 1}")
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


def main() -> None:
    """Print a table."""
    hosts, seconds, *workers = map(int, sys.argv[1:])
    os.environ[ON_POSTGRES] = "yes"
    size = -(-hosts // SLICES)
    print(
        f"{hosts} hosts, {seconds} s each, {SLICES} slices of {size}, {FORKS} forks each, plain {SLICES * FORKS}; {psutil.cpu_count()} cores"
    )
    base = (0.0, 0.0)
    for count in (0, *workers):
        with tempfile.TemporaryDirectory() as folder, running("-c max_connections=200") as postgres:
            team = TeamSite(Path(folder), postgres, hosts=hosts, beats=1, beat_s=seconds, slice_hosts=size)
            try:
                if not count:
                    wall, used = base = plain(team)
                else:
                    team.serve()
                    wall, used = on_workers(team, count)
            finally:
                team.end()
        more = f", {100 * (wall - base[0]) / base[0]:+.0f} % wall, {100 * (used - base[1]) / base[1]:+.0f} % processor"
        print(
            f"{f'{count} workers' if count else 'plain':10} {wall:7.1f} s wall {used:7.1f} s processor{more if count else ''}",
            flush=True,
        )


if __name__ == "__main__":
    main()
