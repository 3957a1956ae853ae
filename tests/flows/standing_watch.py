"""Compares what Prefect's API shows of phases and steps with the ledger, while both change.

What is expected is worked out here from every activity, not by the code that is tested. A state that is shown must have been
the ledger's at some moment of the last two seconds.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter, deque
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, Self

from flows.dashboard.prefect_api import PrefectApi
from ledger.reading import open_snapshot
from ledger.rules.activity import NOT_MET, State, seen
from ledger.stores.file import connect, data_version
from steps.catalog.terms import Kind, Phase
from steps.stamps import instant
from tests.flows.conftest import until

WITHIN_S = 2.0
SAMPLE_S = 0.005
SLOW_S = 0.2
"""A lag may end, and change a state, though nothing is recorded."""

READS = 40

Key = tuple[str, str]
"""A phase and a step of it; the step is empty for the phase itself."""


ROWS = "SELECT phase, step, kind, state, ready_from, stale_since FROM activity"


class Row(NamedTuple):
    """What matters of an activity."""

    state: State
    kind: Kind
    is_stale: bool


class Seen(NamedTuple):
    """What matters of a state: its colour, what it says of sign-offs, and the counts."""

    type: str
    signs: int
    counts: str


def expected(site: Path) -> dict[Key, Seen]:
    """Return what each phase and step is to show, from the activities one by one."""
    groups: dict[Key, list[Row]] = {}
    with open_snapshot(site) as snapshot:
        for phase, step, kind, stored, ready, stale in snapshot.ask(ROWS):
            row = Row(seen(stored, instant(ready), snapshot.now), Kind(kind), stale is not None)
            groups.setdefault((phase, ""), []).append(row)
            groups.setdefault((phase, step), []).append(row)
    return {key: _seen(found) for key, found in groups.items()}


def _seen(rows: list[Row]) -> Seen:
    n = Counter(row.state for row in rows)
    total = len(rows) - n[State.NOT_APPLICABLE]
    gates = sum(row.state is State.READY and row.kind is Kind.GATE for row in rows)
    again = sum(row.is_stale and row.state is State.DONE for row in rows)
    return Seen(_type(n, total, again), n[State.AWAITING_SIGN_OFF] + gates + again, f"{n[State.DONE]} of {total} done")


def _type(n: Counter[State], total: int, again: int) -> str:
    if total == 0:
        return "CANCELLED"
    if n[State.DONE] == total and not again:
        return "COMPLETED"
    if any(n[state] for state in NOT_MET):
        return "FAILED"
    if n[State.RUNNING] or n[State.IN_PROGRESS]:
        return "RUNNING"
    return "waits"


def shown(api: PrefectApi) -> dict[Key, Seen]:
    """Return what Prefect's API shows of the standing runs and their nodes."""
    found: dict[Key, Seen] = {}
    phases: dict[str, str] = {}
    for run in api.every("flow_runs", {"flow_runs": {"tags": {"all_": ["standing"]}}}):
        (phase,) = {one.value for one in Phase} & set(run["tags"])
        phases[run["id"]] = phase
        found[phase, ""] = _shown(run["state"])
    for node in _steps(api, list(phases)):
        found[phases[node["flow_run_id"]], node["dynamic_key"]] = _shown(node["state"])
    return found


def _steps(api: PrefectApi, runs: list[str]) -> list[dict[str, Any]]:
    """Return the nodes of steps, each with a state. The server writes a node, and its state after it: read again between the two."""
    wanted = {"task_runs": {"flow_run_id": {"any_": runs}, "tags": {"all_": ["standing"]}}}
    for _ in range(READS):
        nodes = [node for node in api.every("task_runs", wanted) if node["task_key"] == "step"]
        if all(node["state"] is not None for node in nodes):
            return nodes
    raise AssertionError(f"a node had no state in {READS} readings")


def _shown(state: dict[str, Any]) -> Seen:
    signs = re.search(r"(\d+) sign-off", state["name"])
    kind = "waits" if state["type"] in {"PAUSED", "PENDING"} else state["type"]
    return Seen(kind, int(signs[1]) if signs else 0, (state["message"] or "").partition(";")[0])


class Watcher:
    """Samples the ledger, and compares what the API shows with the samples of the last seconds."""

    def __init__(self, site: Path, api: PrefectApi, within: float = WITHIN_S) -> None:
        self.site, self.api, self.within = site, api, within
        self.samples: deque[tuple[float, dict[Key, Seen]]] = deque(maxlen=4000)
        self.compared = 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        version = -1
        with closing(connect(self.site)) as file:
            while not self._end.wait(SAMPLE_S):
                began = time.monotonic()
                if (now := data_version(file)) != version or began - self.samples[-1][0] > SLOW_S:
                    version = now
                    self.samples.append((began, expected(self.site)))

    def compare(self) -> None:
        """Read the API once. Every phase and step must show what the ledger said within the last seconds, as many as are allowed."""
        began = time.monotonic()
        api = shown(self.api)
        ended = time.monotonic()
        until(lambda: self.samples and self.samples[-1][0] > ended, seconds=10)
        samples = list(self.samples)
        first = max((n for n, (at, _) in enumerate(samples) if at < began - self.within), default=0)
        recent = [sample for _, sample in samples[first:]]
        wrong = {
            key: (api.get(key), [sample[key] for sample in recent])
            for key in recent[-1]
            if (key in api or recent[-1][key].type != "CANCELLED")
            and api.get(key) not in [sample[key] for sample in recent]
        }
        assert not wrong, f"after {self.compared} comparisons: {wrong}"
        self.compared += 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


def green(api: PrefectApi) -> set[Key]:
    """Return the phases and steps that are green."""
    return {key for key, state in shown(api).items() if state.type == "COMPLETED"}


def is_whole(api: PrefectApi, site: Path) -> bool:
    """Return whether every step that has work has its node. The first start makes them, some at a time."""
    return {key for key, state in expected(site).items() if state.type != "CANCELLED"} <= shown(api).keys()
