"""Pods that join one after the other, hosts that fail and hang, and one engine that deals with all of it.

Each pod has three steps that want all its hosts, ready at the same time; one of them changes the hosts and waits for a release. Now and then a step over the first
host of every pod becomes ready, and has to get its turn among them. What should come of each host is drawn before.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from flows.runs.bundle.digest import run_digest
from ledger.machine_time import machine_time
from ledger.questions import records
from ledger.questions.activities import activities, hosts_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import in_use, place_of, reservations
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.runs.decisions import release
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.planning.plan import Plan
from tests.commands import called
from tests.flows.engine_kills import ENGINE
from tests.ledger.conftest import activity, link, small_plan
from tests.ports import free_port

LOOK_S = 0.2
AT_ONCE = 4
"""How many pods are worked on at once: another one joins when one of them is through."""
WIDE_EVERY = 5
"""After how many pods a step over the first host of every pod becomes ready."""
HANGS_S = 3600
HANG_AFTER_S = 20
"""When a host is given up that shows nothing after the others. The default would make the fleet wait for most of its time."""

STEPS: dict[str, dict[str, Any]] = {
    "201": {"kind": "verify", "effect": "read"},
    "202": {"kind": "automate", "effect": "change"},
    "203": {"kind": "verify", "effect": "read", "shares": ("scheduler",)},
}
"""The steps of a pod by number: read, change, and read with something of which the site has one."""

PLAYBOOK = """\
- name: Work on every host
  hosts: all
  gather_facts: false
  tasks:
    - name: Work, fail or hang, as the inventory says of this host
      ansible.builtin.shell: |
        case " {{{{ hangs_in | default('') }}}} " in *" {step} "*) sleep {hangs_s};; esac
        case " {{{{ fails_in | default('') }}}} " in *" {step} "*) exit 1;; esac
      changed_when: {changes}
"""

ENDED = frozenset({State.DONE, State.FAILED, State.CHECKED_NOT_MET, State.ON_HOLD})


class Memory(NamedTuple):
    """What the engine's process and its dashboard's server have in memory after some pods, in bytes."""

    pods: int
    engine: int
    server: int


class Outcome(NamedTuple):
    """What came of it; `faults` is empty where every host of every pod ended as it was drawn, and nobody was overtaken."""

    hosts: Counter[str]
    runs: int
    waited: int
    longest_wait_s: float
    memory: list[Memory]
    seconds: float
    faults: list[str]


class Fleet:
    """A site of pods, an engine that works on it, and the people who let pods join."""

    def __init__(self, folder: Path, *, pods: int, hosts: int, failing: float, hanging: float, seed: int) -> None:
        """Make the site and its playbooks. `failing` and `hanging` are the parts of the hosts that do so, in one step each."""
        self.site, self._scratch = folder / "site", folder
        self._chance = random.Random(seed)
        self._playbooks, self._inventory = folder / "playbooks", folder / "hosts.ini"
        self._pods = {f"pod-{n + 1:03}": [f"pod-{n + 1:03}-n{h + 1:02}" for h in range(hosts)] for n in range(pods)}
        self._bad = self._drawn(failing, hanging)
        self._firsts: dict[tuple[str, str], list[float]] = {}
        self._began_at = 0.0
        self._make_site()
        self._ledger = Ledger.open(self.site)
        self._engine = self._started()

    def run(self, say: Any = lambda _: None, *, patience_s: float = 3600.0) -> Outcome:
        """Let the pods join, wait for the end of all work, and look at everything."""
        self._began_at = time.monotonic()
        joined: list[str] = []
        memory: list[Memory] = []
        over: set[str] = set()
        while len(over) < len(self._pods) or not self._all_over():
            if time.monotonic() - self._began_at > patience_s:
                raise AssertionError(f"it takes more than {patience_s:.0f} s; see {self._scratch / 'engine.log'}")
            if self._engine.poll() is not None:
                raise AssertionError(f"the engine ended by itself, with {self._engine.returncode}")
            if len(joined) - len(over) < AT_ONCE and len(joined) < len(self._pods):
                joined.append(self._join(len(joined)))
            for pod in self._over(joined) - over:
                over.add(pod)
                memory.append(self._memory(len(over)))
                say(f"{len(over):3} pods, {pod}: {time.monotonic() - self._began_at:.0f} s, {_told(memory[-1])}")
            self._note_firsts()
            time.sleep(LOOK_S)
        return self._outcome(memory)

    def _drawn(self, failing: float, hanging: float) -> dict[str, tuple[str, str]]:
        """Draw hosts, and for each the step in which it fails or hangs. The first of a pod is spared: all pods share it."""
        others = [host for hosts in self._pods.values() for host in hosts[1:]]
        number = sum(map(len, self._pods.values()))
        drawn = ["fails_in"] * round(failing * number) + ["hangs_in"] * round(hanging * number)
        hosts = self._chance.sample(others, len(drawn))
        return {host: (self._chance.choice(list(STEPS)), how) for host, how in zip(hosts, drawn, strict=True)}

    def _make_site(self) -> None:
        made = called(["init", "--preset", "localhost", self.site])
        assert made.returncode == 0, made.stderr
        (self.site / "inventory" / "hosts.yml").unlink()
        self._inventory = self.site / "inventory" / "hosts.ini"
        here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
        lines = [f"{host} {here}{self._variable(host)}" for hosts in self._pods.values() for host in hosts]
        self._inventory.write_text("\n".join(lines) + "\n", encoding="utf-8")
        site_yaml = self.site / "site.yaml"
        text = site_yaml.read_text(encoding="utf-8").replace("inventory/hosts.yml", "inventory/hosts.ini")
        site_yaml.write_text(f"{text}\nruns: {{hang_after_s: {HANG_AFTER_S}}}\n", encoding="utf-8")
        allowed = called(["allow", "--yes", "--site", self.site])
        assert allowed.returncode == 0, allowed.stderr
        for step in (*STEPS, "300"):
            path = self._playbooks / "networking" / f"{step}.yml"
            path.parent.mkdir(parents=True, exist_ok=True)
            changes = str(STEPS.get(step, {}).get("effect") == "change").lower()
            path.write_text(PLAYBOOK.format(step=step, hangs_s=HANGS_S, changes=changes), encoding="utf-8")
        with create_ledger(
            self.site, site_name="Fleet", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_time
        ) as ledger:
            adopt_plan(ledger, "pm", self._plan(), reason="pods that join over time")

    def _variable(self, host: str) -> str:
        if host not in self._bad:
            return ""
        step, how = self._bad[host]
        return f" {how}={step}"

    def _plan(self) -> Plan:
        by_hand = {"needed": "by-hand"}
        made, links = [], []
        for number, pod in enumerate(self._pods, start=1):
            made.append(activity(f"100@{pod}"))
            for step, kind in STEPS.items():
                book = f"networking/{step}.yml"
                made.append(activity(f"{step}@{pod}", playbook=book, policy=by_hand, **kind))
                links.append(link(f"100@{pod}", f"{step}@{pod}"))
            if number % WIDE_EVERY == 0:
                wide = f"{300 + number}@site"
                reads = {"kind": "verify", "effect": "read", "policy": by_hand}
                made.append(activity(wide, playbook="networking/300.yml", **reads))
                links.append(link(f"100@{pod}", wide))
        firsts = [hosts[0] for hosts in self._pods.values()]
        units: list[dict[str, Any]] = [{"id": "site", "kind": "site", "parent": None, "title": "Site", "hosts": firsts}]
        units += [
            {"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": hosts}
            for pod, hosts in self._pods.items()
        ]
        return small_plan(activities=made, links=links, units=units, orders=[])

    def _started(self) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", ENGINE, str(self.site), str(free_port()), str(self._playbooks)]
        for name in ("home", "tmp"):
            (self._scratch / name).mkdir()
        own = {"HOME": str(self._scratch / "home"), "TMPDIR": str(self._scratch / "tmp")}
        with (self._scratch / "engine.log").open("wb") as log:
            return subprocess.Popen(
                words, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=os.environ | own
            )

    def _join(self, number: int) -> str:
        """Do a person's part for one more pod: its hosts are there, signed for, and the change is released."""
        pod = list(self._pods)[number]
        start(self._ledger, "tech", f"100@{pod}")
        finish(self._ledger, "tech", f"100@{pod}")
        sign(self._ledger, "lead", f"100@{pod}")
        for step, kind in STEPS.items():
            if kind["effect"] == "change":
                self._release(f"{step}@{pod}", step)
        return pod

    def _release(self, name: str, step: str) -> None:
        digest = run_digest(self._playbooks / "networking" / f"{step}.yml", self._inventory)
        with open_snapshot(self.site) as snapshot:
            hosts = hosts_of(snapshot, name, digest)
        release(self._ledger, "lead", name, hosts=hosts, count=len(hosts), playbook_digest=digest)

    def _rows(self) -> list[Activity]:
        with open_snapshot(self.site) as snapshot:
            return activities(snapshot)

    def _over(self, joined: list[str]) -> set[str]:
        """Return the pods all of whose steps have ended."""
        left = {row.plan.unit for row in self._rows() if row.state not in ENDED}
        return set(joined) - left

    def _all_over(self) -> bool:
        return all(row.state in ENDED for row in self._rows())

    def _memory(self, pods: int) -> Memory:
        engine = psutil.Process(self._engine.pid)
        servers = [child for child in engine.children() if "flows.dashboard.app" in child.cmdline()]
        return Memory(pods, engine.memory_info().rss, sum(server.memory_info().rss for server in servers))

    def _note_firsts(self) -> None:
        """Note who is first in the order on which host, and that it was so now. What is about to begin there has had its turn."""
        with open_snapshot(self.site) as snapshot:
            seen_at = snapshot.now
            kept = reservations(snapshot, seen_at)
            used = in_use(snapshot, kept)
        taken = {thing for one in used if one.since is None for thing in one.wants}
        for place in sorted(place_of(one) for one in kept if not one.granted):
            for thing in place.wants - taken:
                self._firsts.setdefault((place.activity, thing), []).append(seen_at.timestamp())
            taken |= place.wants

    def _outcome(self, memory: list[Memory]) -> Outcome:
        self._engine.send_signal(signal.SIGINT)
        code = self._engine.wait(90)
        faults = [f"the engine ended with {code}"] if code else []
        if "Traceback" in (self._scratch / "engine.log").read_text(encoding="utf-8", errors="replace"):
            faults.append("the engine's log has a traceback")
        with open_snapshot(self.site) as snapshot:
            rows, runs = activities(snapshot), records.runs(snapshot)
            hosts = self._hosts(snapshot, runs, faults)
        faults += [fault for row in rows for fault in self._of_state(row)]
        faults += self._overtaken(runs)
        faults += [f"audit: {where}: {why}" for where, why, _ in audit(self.site)]
        waits = self._waits(runs)
        return Outcome(
            hosts,
            len(runs),
            len(waits),
            max(waits, default=0.0),
            memory,
            time.monotonic() - self._began_at,
            faults,
        )

    def _hosts(self, snapshot: Snapshot, runs: list[records.RunRow], faults: list[str]) -> Counter[str]:
        """Count how hosts ended, and name those that ended otherwise than drawn."""
        counted: Counter[str] = Counter()
        for run in runs:
            step = run.activity.partition("@")[0]
            for item in records.items(snapshot, run.id):
                counted[item.status] += 1
                is_bad = self._bad.get(item.host, ("",))[0] == step
                wanted = {"failed"} if is_bad else {"ok", "changed"}
                if item.status not in wanted:
                    faults.append(f"{item.host} is {item.status} after {run.activity}")
        return counted

    def _of_state(self, row: Activity) -> list[str]:
        hosts = self._pods.get(row.plan.unit, [])
        fails = any(self._bad.get(host, ("",))[0] == row.plan.step for host in hosts)
        wanted = State.FAILED if fails else State.DONE
        return [] if row.state is wanted else [f"{row.id} is {row.state.value}, not {wanted.value}"]

    def _overtaken(self, runs: list[records.RunRow]) -> list[str]:
        """Name who began on a host, or with a shared thing, while another one was the first to wait for it."""
        began = {run.activity: run.started_at.timestamp() for run in runs}
        found = []
        for (first, thing), seen in self._firsts.items():
            for run in runs:
                other = run.activity
                if other != first and thing in self._wants(other) and min(seen) < began[other] < began[first]:
                    found.append(f"{other} overtook {first} on {thing}")
        return found

    def _wants(self, name: str) -> set[str]:
        step, _, unit = name.partition("@")
        shares = {f"the {thing}" for thing in STEPS.get(step, {}).get("shares", ())}
        return {*self._pods.get(unit, [hosts[0] for hosts in self._pods.values()]), *shares}

    def _waits(self, runs: list[records.RunRow]) -> list[float]:
        """Return how long each run that was the first on something waited from then on, in seconds."""
        since: dict[str, float] = {}
        for (first, _), seen in self._firsts.items():
            since[first] = min(since.get(first, seen[0]), seen[0])
        return [run.started_at.timestamp() - since[run.activity] for run in runs if run.activity in since]

    def close(self) -> None:
        """End whatever still runs."""
        if self._engine.poll() is None:
            self._engine.kill()
            self._engine.wait()
        self._ledger.close()


def _told(memory: Memory) -> str:
    return f"engine {memory.engine / 2**20:.0f} MiB, dashboard's server {memory.server / 2**20:.0f} MiB"
