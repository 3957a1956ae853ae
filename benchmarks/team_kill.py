"""Parts of a team killed at random while its pods go through their steps: `team_kill.py KILLS SEED [PODS HOSTS STEPS]`.

PostgreSQL, Redis, Prefect's server and its services, two dispatchers and three workers are processes of this machine. One of them, or the
process of a slice, is killed with SIGKILL (PostgreSQL as in a crash) and started again. Ends with 1 if anything was repeated, lost or left
behind. A person asks for another try of what waits for one.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.verdict import end
from flows.dashboard.prefect_api import UNFINISHED
from flows.dashboard.standing_runs import TAG
from ledger.questions.activities import activities
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.runs.request_decisions import request_retry
from ledger.subjects.work.decisions import resume
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError
from tests.flows.team_site import TeamSite
from tests.flows.witness import at_once
from tests.postgres_server import ON_POSTGRES, Server, running

DISPATCHERS = ("dispatcher site", "dispatcher there")
WORKERS = ("worker-1", "worker-2", "worker-3")
VICTIMS = ("postgres", "redis", "server", "services", *DISPATCHERS, *WORKERS, "slice")
PATIENCE_S = 2400.0
LOOK_S = 0.5
SLICE_S = 90.0
"""So long it waits for a slice whose process it can kill."""


class TeamKills:
    """A team at work, and who kills parts of it."""

    def __init__(self, team: TeamSite, postgres: Server, seed: int) -> None:
        """Take the team, whose processes run, and the seed of what is killed when."""
        self._team, self._postgres, self._chance = team, postgres, random.Random(seed)
        self.faults: list[str] = []
        self.asked = 0

    def kill(self, victim: str) -> str:
        """Kill something, and start it again. Return what was killed."""
        team = self._team
        if victim == "postgres":
            self._postgres.stop("immediate")
            time.sleep(self._chance.uniform(0, 5))
            self._postgres.start("-c max_connections=200")
        elif victim == "slice":
            until = time.monotonic() + SLICE_S
            while not (files := [file for name in WORKERS for file in (team.folder / name / "pids").glob("*")]):
                if time.monotonic() > until:
                    return "no slice at work"
                time.sleep(LOOK_S)
            try:
                os.kill(int(self._chance.choice(files).read_text().split()[0]), signal.SIGKILL)
            except (OSError, ValueError, IndexError):
                return "a slice that had just ended"
        else:
            process = team.processes[victim]
            process.kill()
            process.wait()
            time.sleep(self._chance.uniform(0, 5))
            team.start(victim)
        return victim

    def attend(self) -> None:
        """Start what ended by itself, and ask for another try of what waits for a person."""
        for name in ("server", "services", *DISPATCHERS, *WORKERS):
            if self._team.processes[name].poll() is not None:  # a service manager would
                self._team.start(name)
        try:
            with open_snapshot(self._team.site) as snapshot:
                rows = [row for row in activities(snapshot) if row.state in {State.FAILED, State.ON_HOLD}]
            for row in rows:
                with Ledger.open(self._team.site) as ledger:
                    if row.state is State.ON_HOLD:
                        if self._team.at_work():  # a person looks before
                            continue
                        resume(ledger, "lead", row.id, reason="nothing runs on its hosts")
                    else:
                        request_retry(ledger, "lead", row.id)
                    self.asked += 1
        except ClusterwrightError:  # the database is away
            return

    def wait(self, seconds: float) -> bool:
        """Let time pass, until everything is done. Return whether that is so."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.attend()
            try:
                if set(self._team.states().values()) == {"done"}:
                    return True
            except ClusterwrightError:
                pass
            time.sleep(LOOK_S)
        return False

    def judge(self) -> None:
        """Look at ledger, hosts, processes and dashboard."""
        team = self._team
        states, runs, work = team.states(), team.runs(), team.witness.stretches()
        self.faults += [f"{name} is {state}" for name, state in states.items() if state != "done"]
        times = Counter(run.activity for run in runs if run.result == "done")
        self.faults += [f"{name} was done {times[name]} times" for name in states if times[name] != 1]
        self.faults += at_once(work)
        self.faults += [f"{one.run} began {one.begun} times on {one.host}" for one in work if one.begun > 1]
        self.faults += [f"audit: {where}: {why}" for where, why, _ in audit(team.site)]
        self.faults += [f"process {process.pid} is left" for process in team.at_work()]
        for kind in ("flow_runs", "task_runs"):
            for run in team.api.every(kind, {kind: {"state": {"type": {"any_": UNFINISHED}}}}):
                if TAG not in run["tags"]:
                    self.faults.append(f"{kind}: {run['name']} is {run['state_name']}")


def main() -> None:
    """Kill, look, and print the figures."""
    kills, seed, *sizes = map(int, sys.argv[1:])
    pods, hosts, steps = sizes or (8, 32, 4)
    os.environ[ON_POSTGRES] = "yes"
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="clusterwright-team-") as scratch,
        running("-c max_connections=200") as postgres,
    ):
        team = TeamSite(Path(scratch), postgres, pods=pods, hosts=hosts, steps=steps, beats=10)
        trial = TeamKills(team, postgres, seed)
        try:
            team.serve_apart()
            for name in WORKERS:
                team.add_worker(name, at_once=2)
            for name in (*DISPATCHERS, *WORKERS):
                team.start(name)
            made: Counter[str] = Counter()
            chance = random.Random(seed)
            turns = [VICTIMS[number % len(VICTIMS)] for number in range(kills)]  # each part as often as every other
            chance.shuffle(turns)
            for number, turn in enumerate(turns):
                if trial.wait(chance.uniform(5, 25)):
                    break
                victim = trial.kill(turn)
                made[victim] += 1
                print(f"{number + 1:4} {victim}: {Counter(team.states().values())}", flush=True)
            trial.wait(PATIENCE_S)
            time.sleep(30)  # the dashboard catches up
            trial.judge()
            found = Counter(run.status for run in team.runs())
        finally:
            team.end()
    print(", ".join(f"{number} {what}" for what, number in made.most_common()))
    print(
        f"{pods} pods of {hosts} hosts, {pods * steps} activities; runs: {dict(found)}; a person was asked {trial.asked} times"
    )
    end(trial.faults, began, seed)


if __name__ == "__main__":
    main()
