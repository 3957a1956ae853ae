"""An engine killed again and again in the middle of playbooks that succeed, and what its record, hosts and folders say at the end.

A person works beside it: releases each change, also anew after a run that was cut off, and asks for another try of what failed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from flows.performers.lease import folder_name
from flows.runs.bundle.digest import run_digest
from ledger.log.chain import Event
from ledger.machine_time import machine_time
from ledger.questions import records
from ledger.questions.activities import activities, hosts_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from ledger.stores.file import connect
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.runs.decisions import release
from ledger.subjects.runs.request_decisions import request_retry
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.catalog.terms import CHANGING
from steps.planning.plan import Plan
from tests.commands import called
from tests.flows.leavings import leavings, processes_of
from tests.flows.witness import Stretch, Witness, at_once
from tests.ledger.conftest import activity, criterion, link, small_plan
from tests.ports import free_port

PATIENCE_S = 90.0
LOOK_S = 0.05
CANARY = "canary-of-the-inventory-4711"
KINDS: tuple[dict[str, Any], ...] = (
    {"kind": "verify", "effect": "read"},
    {"kind": "automate", "effect": "change"},
    {
        "kind": "automate",
        "effect": "change",
        "waves": {"canary": 1, "size": 1, "max_failed_percent": 0, "source": "test"},
    },
)
"""What steps do, in turn: read, change all hosts at once, change them one after the other."""

ANSIBLE = "ansible"
START_S = 10.0
MOMENTS = ("in a playbook",) * 6 + ("at its end",) * 2 + ("after a result",) + ("at the start",)
VICTIMS = ("engine",) * 4 + ("group",) * 2 + ("with supervisors",) * 2 + ("everything",) + (ANSIBLE,)

ENGINE = """
import sys
from pathlib import Path
from clusterwright.interrupts import stop_on_interrupt
from flows.engine.up import run_engine
from ledger.private import private_files
site, port, playbooks = sys.argv[1:]
stop = stop_on_interrupt()
with private_files():
    sys.exit(run_engine(Path(site), port=int(port), hands_off=False, on_message=lambda t: print(t, flush=True), stop=stop,
                        playbooks=Path(playbooks)))
"""
"""What `clusterwright up` does, with playbooks of the trial's own."""


class Killed(NamedTuple):
    """What a kill ended, and what it found: in a playbook's work, between that and its result, or between runs."""

    victim: str
    found: str


class Outcome(NamedTuple):
    """What the trial came to; `faults` is empty where nothing was repeated or lost, and everything succeeded at last."""

    kills: list[Killed]
    runs: Counter[str]
    activities: int
    done: int
    again: int
    events: int
    faults: list[str]


class EngineKills:
    """A site of pods with steps one after the other, an engine that works on it, and who kills that engine."""

    def __init__(self, folder: Path, *, pods: int, steps: int, seed: int) -> None:
        """Make the site and its playbooks; every draw but the machine's own timing comes from the seed."""
        self.site, self._scratch = folder / "site", folder
        self._witness = Witness(folder)
        self._chance = random.Random(seed)
        self._pods, self._steps = pods, steps
        self._seen: dict[int, str] = {}
        self._engine: subprocess.Popen[bytes] | None = None
        self._gone: set[str] = set()
        self.faults: list[str] = []
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        self._make_site()
        self._ledger = Ledger.open(self.site)

    def run(self, kills: int, say: Callable[[str], None] = lambda _: None) -> Outcome:
        """Kill the engine this often, then let it finish, stop it in order, and look at everything."""
        made: list[Killed] = []
        while len(made) < kills and not self._is_over():
            self._begin()
            made.append(self._kill_once())
            say(f"{len(made):4} {made[-1].victim}: {made[-1].found}")
        self._begin()
        self._await(self._is_over, "everything is done")
        self._stop()
        return self._outcome(made)

    def _make_site(self) -> None:
        made = called(["init", "--preset", "localhost", self.site])
        assert made.returncode == 0, made.stderr
        here = f"ansible_connection=local ansible_python_interpreter={sys.executable} bench_password={CANARY}"
        hosts = [f"{pod}-n{n} {here}" for pod in self._pod_names() for n in (1, 2)]
        (self.site / "inventory" / "hosts.yml").unlink()
        self._inventory = self.site / "inventory" / "hosts.ini"
        self._inventory.write_text("\n".join(hosts) + "\n", encoding="utf-8")
        site_yaml = self.site / "site.yaml"
        text = site_yaml.read_text(encoding="utf-8").replace("inventory/hosts.yml", "inventory/hosts.ini")
        site_yaml.write_text(text, encoding="utf-8")
        allowed = called(["allow", "--yes", "--site", self.site])
        assert allowed.returncode == 0, allowed.stderr
        plan = self._plan()
        with create_ledger(
            self.site, site_name="Kills", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_time
        ) as ledger:
            adopt_plan(ledger, "pm", plan, reason="steps to be cut off")

    def _pod_names(self) -> list[str]:
        return [f"pod-{n + 1:03}" for n in range(self._pods)]

    def _plan(self) -> Plan:
        made, links = [], []
        for pod in self._pod_names():
            for n in range(self._steps):
                kind, name, book = KINDS[n % len(KINDS)], f"{200 + n}@{pod}", f"networking/{200 + n}.yml"
                self._witness.write_playbook(
                    book, beats=self._chance.randint(6, 16), changes=kind["effect"] == "change"
                )
                wants = [criterion("boot.uptime_s", ">=", Decimal(1), "s")]
                made.append(activity(name, playbook=book, policy={"needed": "by-hand"}, criteria=wants, **kind))
                if n:
                    links.append(link(f"{199 + n}@{pod}", name))
        units: list[dict[str, Any]] = [{"id": "site", "kind": "site", "parent": None, "title": "Site"}]
        units += [
            {"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": [f"{pod}-n1", f"{pod}-n2"]}
            for pod in self._pod_names()
        ]
        return small_plan(activities=made, links=links, units=units, orders=[])

    def _begin(self) -> None:
        """Start an engine where none runs."""
        if self._engine is not None and self._engine.poll() is None:
            return
        words = [sys.executable, "-c", ENGINE, str(self.site), str(free_port()), str(self._witness.playbooks)]
        own = {"HOME": str(self._scratch / "home"), "TMPDIR": str(self._scratch / "tmp")}
        with (self._scratch / "engine.log").open("ab") as log:
            self._engine = subprocess.Popen(
                words,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env=os.environ | own,
            )

    def _kill_once(self) -> Killed:
        """Wait for a moment of some kind, and kill something."""
        match self._chance.choice(MOMENTS):
            case "in a playbook":
                self._await(lambda: self._working() or self._is_over(), "a playbook runs")
                self._pass_time(self._chance.uniform(0, 2))
            case "at its end":
                ended = self._ended()
                self._await(lambda: self._ended() > ended or self._is_over(), "a playbook ends")
                self._pass_time(self._chance.uniform(0, 1.5))
            case "after a result":
                settled = self._settled()
                self._await(lambda: self._settled() > settled or self._is_over(), "a result is recorded")
                self._pass_time(self._chance.uniform(0, 0.5))
            case _:
                self._pass_time(self._chance.uniform(0, START_S))
        victim = self._kill(self._chance.choice(VICTIMS))
        found = self._found()
        if victim != ANSIBLE:
            self._gone |= self._running()
        self._note_events()
        return Killed(victim, found)

    def _kill(self, victim: str) -> str:
        """Kill the engine, or what the victim's name says. Return what was killed."""
        assert self._engine is not None
        if self._engine.poll() is not None:
            self.faults.append(f"the engine ended by itself, with {self._engine.returncode}")
            return "nothing"
        below = psutil.Process(self._engine.pid).children(recursive=True)
        supervisors = [process for process in below if "flows.runs.process.supervisor" in _words(process)]
        playing = [process for process in below if "ansible-playbook" in _words(process)]
        if victim == ANSIBLE and playing:
            _kill_at_once([self._chance.choice(playing).pid])
            return victim
        match victim:
            case "group":  # the engine and its dashboard's server
                os.killpg(self._engine.pid, signal.SIGKILL)
            case "with supervisors":
                _kill_at_once([self._engine.pid, *(process.pid for process in supervisors)])
            case "everything":
                _kill_at_once([self._engine.pid, *(process.pid for process in below)])
            case _:
                victim = "engine"
                self._engine.kill()
        self._engine.wait()
        return victim

    def _found(self) -> str:
        """Return what the kill found the engine at, by what hosts and ledger say."""
        theirs = self._running()
        work = self._work()
        if any(not stretch.ended for stretch in work):
            return "in a playbook"
        if work:
            return "after a playbook's work, before its result"
        return "between a claim and its playbook" if theirs else "between runs, or while it started"

    def _await(self, is_so: Callable[[], object], what: str) -> None:
        """Wait until something is so, and do a person's duties meanwhile."""
        until = time.monotonic() + (PATIENCE_S if what != "everything is done" else 10 * PATIENCE_S)
        while not is_so():
            if time.monotonic() > until:
                raise AssertionError(f"it is not so that {what}; see {self._scratch / 'engine.log'}")
            assert self._engine is not None
            if self._engine.poll() is not None:
                raise AssertionError(f"the engine ended by itself, with {self._engine.returncode}")
            self._attend()
            time.sleep(LOOK_S)

    def _pass_time(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._attend()
            time.sleep(min(LOOK_S, left))

    def _attend(self) -> None:
        """Release what waits for a release, and ask for another try of what failed."""
        with open_snapshot(self.site) as snapshot:
            rows = activities(snapshot)
            waiting = [row for row in rows if row.state is State.READY and row.plan.effect in CHANGING]
            unreleased = [row for row in waiting if not records.live_releases(snapshot, row.id, row.attempt)]
            terms = [(row, *self._terms(snapshot, row)) for row in unreleased]
        for row, hosts, digest in terms:
            self._note(release(self._ledger, "lead", row.id, hosts=hosts, count=len(hosts), playbook_digest=digest))
        for row in rows:
            if row.state in {State.FAILED, State.CHECKED_NOT_MET}:
                self._note(request_retry(self._ledger, "lead", row.id))
            elif row.state is State.ON_HOLD:
                raise AssertionError(f"{row.id} waits for a person: {row.last_note}")

    def _terms(self, snapshot: Snapshot, row: Activity) -> tuple[tuple[str, ...], str]:
        assert row.plan.playbook
        digest = run_digest(self._witness.playbooks / row.plan.playbook, self._inventory)
        return hosts_of(snapshot, row.id, digest), digest

    def _note(self, event: Event) -> None:
        self._seen[event.seq] = event.hash

    def _note_events(self) -> None:
        """Remember every event that the ledger has now: none may be lost or changed later."""
        for seq, digest in self._events().items():
            if self._seen.setdefault(seq, digest) != digest:
                self.faults.append(f"event {seq} is another")
        self.faults += [f"event {seq} is lost" for seq in self._seen.keys() - self._events().keys()]

    def _events(self) -> dict[int, str]:
        with closing(connect(self.site)) as connection:
            return dict(connection.execute("SELECT seq, hash FROM event"))

    def _running(self) -> set[str]:
        """Return the runs of this engine, by their folders. Those that an earlier one left behind are not among them."""
        with open_snapshot(self.site) as snapshot:
            theirs = {folder_name(run.owner, run.id) for run in records.runs(snapshot) if run.status == "running"}
        return theirs - self._gone

    def _work(self) -> list[Stretch]:
        theirs = self._running()
        return [stretch for stretch in self._witness.stretches() if stretch.run in theirs]

    def _working(self) -> bool:
        return any(not stretch.ended for stretch in self._work())

    def _ended(self) -> int:
        return sum(stretch.ended for stretch in self._witness.stretches())

    def _settled(self) -> int:
        with open_snapshot(self.site) as snapshot:
            return sum(run.status == "ok" for run in records.runs(snapshot))

    def _is_over(self) -> bool:
        with open_snapshot(self.site) as snapshot:
            return all(row.state is State.DONE for row in activities(snapshot))

    def _stop(self) -> None:
        """Stop the engine as Ctrl-C does."""
        assert self._engine is not None
        self._engine.send_signal(signal.SIGINT)
        if (code := self._engine.wait(PATIENCE_S)) != 0:
            self.faults.append(f"the last engine ended with {code}")

    def _outcome(self, kills: list[Killed]) -> Outcome:
        self._note_events()
        with open_snapshot(self.site) as snapshot:
            rows, runs = activities(snapshot), records.runs(snapshot)
            claimed = snapshot.column("SELECT payload FROM event WHERE kind = 'run.claimed'")
        used = Counter(json.loads(payload)["release"] for payload in claimed)
        log = (self._scratch / "engine.log").read_text(encoding="utf-8", errors="replace")
        faults = [*self.faults, *self._of_hosts(runs), *_of_states(rows, runs)]
        faults += [f"{name} was used {times} times" for name, times in used.items() if name and times > 1]
        faults += [f"audit: {where}: {why}" for where, why, _ in audit(self.site)]
        faults += leavings(self._scratch, self.site, {folder_name(run.owner, run.id) for run in runs}, CANARY)
        faults += ["the engine's log has a traceback"] * ("Traceback" in log)
        return Outcome(
            kills=kills,
            runs=Counter(run.status for run in runs),
            activities=len(rows),
            done=sum(row.state is State.DONE for row in rows),
            again=len(runs) - len({run.activity for run in runs}),
            events=len(self._seen),
            faults=faults,
        )

    def _of_hosts(self, runs: list[records.RunRow]) -> list[str]:
        """Name what the hosts saw and should not have: work twice, at once, after its success, or of nobody's run."""
        work = self._witness.stretches()
        by_folder = {folder_name(run.owner, run.id): run for run in runs}
        succeeded = {run.activity: run.settled_at for run in runs if run.status == "ok"}
        faults = at_once(work)
        for seen in work:
            run = by_folder.get(seen.run)
            if run is None:
                faults.append(f"{seen.run} is in no ledger")
                continue
            if seen.begun != 1 or seen.ended > 1:
                faults.append(f"{seen.run} began {seen.begun} times on {seen.host}, and ended {seen.ended} times")
            if run.status == "ok" and not seen.ended:
                faults.append(f"{seen.run} succeeded, and did not come to its end on {seen.host}")
            over = succeeded.get(run.activity)
            if over is not None and seen.last > over.timestamp():
                faults.append(f"{seen.run} worked on {run.activity}, which had succeeded")
        return faults

    def close(self) -> None:
        """End whatever still runs."""
        if self._engine is not None and self._engine.poll() is None:
            os.killpg(self._engine.pid, signal.SIGKILL)
            self._engine.wait()
        self._ledger.close()
        for process in processes_of(self.site):
            process.kill()


def _kill_at_once(pids: list[int]) -> None:
    """Kill processes so that none of them sees another one end."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _of_states(rows: list[Activity], runs: list[records.RunRow]) -> list[str]:
    """Name the activities that are not done by just one run that succeeded."""
    times = Counter(run.activity for run in runs if run.status == "ok")
    bad = [row for row in rows if (row.state, times[row.id]) != (State.DONE, 1)]
    return [f"{row.id} is {row.state.value}, after {times[row.id]} runs that succeeded" for row in bad]
