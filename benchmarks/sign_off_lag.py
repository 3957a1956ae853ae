"""How long after a sign-off its successor begins: with an engine of its own, and with a team's dispatcher and worker.

    python -m benchmarks.sign_off_lag SIGNATURES

In each pod people finish something, and it is signed. A playbook of one host waits for that. "Started" is the run in the record; "on the host" is
the first line that the playbook writes there. Signatures come one after the other, each when the run before it has ended.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import psutil

from ledger.machine_time import machine_time
from ledger.questions.start_lags import start_lags
from ledger.reading import open_snapshot
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.writing import Ledger
from tests.flows.conftest import until
from tests.flows.team_site import TeamSite
from tests.postgres_server import ON_POSTGRES, running

PATIENCE_S = 120
SETTLES_S = 2.0


def is_done(team: TeamSite, activity: str) -> bool:
    """Return whether an activity is done."""
    return team.states()[activity] == "done"


def sign_all(team: TeamSite, pods: list[str]) -> tuple[list[float], list[float]]:
    """Sign for each pod's work in turn. Return the lags until its run is started, and until it works on its host, in seconds.

    The first one is left out: all parts begin meanwhile.
    """
    on_host = []
    with Ledger.open(team.site, clock=machine_time) as ledger:
        for pod in pods:
            for decide, person in ((start, "tech"), (finish, "tech")):
                decide(ledger, person, f"100@{pod}")
            time.sleep(SETTLES_S)
            signed = time.time()
            sign(ledger, "lead", f"100@{pod}")
            until(partial(is_done, team, f"200@{pod}"), seconds=PATIENCE_S)
            on_host.append(max(stretch.first for stretch in team.witness.stretches()) - signed)
    with open_snapshot(team.site) as snapshot:
        return [lag.seconds for lag in start_lags(snapshot)][1:], on_host[1:]


def alone(team: TeamSite) -> None:
    """Start an engine with its own dashboard."""
    team.run_alone()


def in_a_team(team: TeamSite) -> None:
    """Start a shared server, a worker and a dispatcher."""
    team.add_worker("worker-1")
    team.serve()
    team.dispatch()
    team.work("worker-1")


def words(lags: list[float]) -> str:
    """Return the median and the 95th percentile."""
    return f"{statistics.median(lags):.2f} s, p95 {statistics.quantiles(lags, n=20, method='inclusive')[-1]:.2f} s"


def main() -> None:
    """Print a line for each."""
    count = int(sys.argv[1])
    modes: tuple[tuple[str, Callable[[TeamSite], None]], ...] = (("embedded", alone), ("team", in_a_team))
    for name, begin in modes:
        with tempfile.TemporaryDirectory() as folder, running() if name == "team" else nullcontext() as postgres:
            if postgres:
                os.environ[ON_POSTGRES] = "yes"
            team = TeamSite(Path(folder), postgres, pods=count + 1, hosts=1, beats=1, beat_s=0.1, signed=True)
            try:
                begin(team)
                started, on_host = sign_all(team, [f"pod-{number + 1:03}" for number in range(count + 1)])
            finally:
                team.end()
        print(
            f"{name:9} {len(started)} signatures: started {words(started)}; on the host {words(on_host)}; load {psutil.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
