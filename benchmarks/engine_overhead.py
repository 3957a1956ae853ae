"""What the engine costs for each task run, beside bare Prefect: `engine_overhead.py [ROUNDS]`.

The engine asks people about 200 activities that are ready at once: the cheapest thing that it does, in one run of a phase, with its
dispatcher and its board, whose standing runs are there already. Bare Prefect runs a flow of 200 tasks that do nothing, on the same
server with the same settings and the same task runner. They alternate in one process, and a ratio is of two rounds beside each
other. Printed are medians: processor time of this process for each task, until all is over, the server's, and the wall time until
the server shows the last task as ended.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, cast
from uuid import uuid4

import psutil

from flows.dashboard.server import PrefectServer
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.writing import Ledger
from tests.ledger.conftest import activity, small_plan
from tests.ports import free_port

TASKS, PODS = 200, 8
GOAL = 1.25
LOOK_S = 0.1
PATIENCE_S = 120
SETTLES_S = 3.0
"""Until the server has nothing left to write of what went before."""


class Cost(NamedTuple):
    """What one round took: processor time of this process and of the server for each task in ms, and wall time in seconds."""

    own_ms: float
    server_ms: float
    wall_s: float


def measured(server: PrefectServer, work: Callable[[str], None]) -> Cost:
    """Return what some work costs. `work` is given the tag of its runs."""
    assert server.process is not None
    time.sleep(SETTLES_S)
    tag, of_server = f"bench {uuid4().hex[:12]}", psutil.Process(server.process.pid)
    began, own, other = time.perf_counter(), time.process_time(), _cpu_s(of_server)
    thread = threading.Thread(target=work, args=(tag,), daemon=True)
    thread.start()
    ended = {
        "flow_runs": {"tags": {"all_": [tag]}},
        "task_runs": {"state": {"type": {"any_": ["COMPLETED", "CANCELLED"]}}},
    }
    while server.api.count("task_runs", ended) < TASKS:
        if time.perf_counter() - began > PATIENCE_S:
            sys.exit(f"only {server.api.count('task_runs', ended)} task runs were recorded in {PATIENCE_S} s")
        time.sleep(LOOK_S)
    wall = time.perf_counter() - began
    thread.join()
    time.sleep(SETTLES_S)
    spent = (time.process_time() - own, _cpu_s(of_server) - other)
    return Cost(1000 * spent[0] / TASKS, 1000 * spent[1] / TASKS, wall)


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def bare(tag: str) -> None:
    """Run a flow of tasks that do nothing."""
    from prefect import flow, tags, task
    from prefect.cache_policies import NO_CACHE
    from prefect.context import TagsContext
    from prefect.futures import PrefectFuture
    from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

    @task(cache_policy=NO_CACHE, persist_result=False)
    def nothing(number: int) -> None:
        """Do nothing."""

    runner = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner(max_workers=TASKS))

    @flow(task_runner=runner, persist_result=False)
    def nothings() -> None:
        """Start all tasks, and wait for their ends."""
        with TagsContext(current_tags=set()):  # as the engine's: the server is asked for a slot for every tagged task
            futures = [nothing.submit(number) for number in range(TASKS)]
        for future in futures:
            future.wait()

    with tags(tag):
        nothings()


def make_site(folder: Path) -> None:
    """Adopt a plan of activities that people are asked about, all of them ready at once."""
    pods = [f"pod-{number + 1:03}" for number in range(PODS)]
    made = [activity(f"{200 + number}@{pod}") for pod in pods for number in range(TASKS // PODS)]
    units: list[dict[str, Any]] = [{"id": "site", "kind": "site", "parent": None, "title": "Site", "hosts": []}]
    units += [{"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": []} for pod in pods]
    plan = small_plan(activities=made, links=[], units=units, orders=[])
    about = {"site_name": "Overhead", "time_zone": "UTC", "owner": "pm"}
    with create_ledger(folder, **about, rehearsal=False, clock=project_now) as ledger:
        adopt_plan(ledger, "pm", plan, reason="many questions")


@contextmanager
def engine_on(server: PrefectServer, site: Path) -> Iterator[Callable[[str], None]]:
    """Begin what `up` begins. Return what lets the engine ask all its questions."""
    from prefect import tags

    from flows.dashboard.board import Board
    from flows.engine.dispatcher import dispatch
    from flows.engine.housekeeping import Housekeeping
    from flows.engine.state import Engine
    from flows.performers.real import RealPerformer

    with open_snapshot(site) as snapshot:
        plan = read_plan(snapshot)
    performer = RealPerformer(site, None, hands_off=False)
    board = Board(server.api, site, project_now)
    with Ledger.open(site) as ledger:
        engine = Engine(site, ledger, plan, 1, project_now, performer, linger_s=2.0, rehearsal=False, side_by_side=8)
        engine.tend = Housekeeping(engine, lambda _: None).tend
        engine.parents = board.open()
        board.start()

        def ask_all(tag: str) -> None:
            with tags(tag):
                dispatch(engine, until_idle=True)

        try:
            yield ask_all
        finally:
            board.stop()


def main(rounds: int) -> None:
    """Measure, and print the medians."""
    with tempfile.TemporaryDirectory(prefix="clusterwright-overhead-") as scratch:
        home = Path(scratch) / "server"
        make_site(home)
        with PrefectServer(home, free_port(), lambda _: None) as server:
            ours, theirs = [], []
            for number in range(rounds + 1):
                site = Path(scratch) / f"site-{number}"
                make_site(site)
                with engine_on(server, site) as ask_all:
                    ours.append(measured(server, ask_all))
                theirs.append(measured(server, bare))
                print(f"round {number}: engine {ours[-1]}, bare {theirs[-1]}", file=sys.stderr, flush=True)
    _print(ours[1:], theirs[1:])  # the first imports Prefect


def _print(ours: list[Cost], theirs: list[Cost]) -> None:
    for name, found in (("engine", ours), ("bare Prefect", theirs)):
        own, server, wall = (median(values) for values in zip(*found, strict=True))
        print(f"{name:12} {own:6.1f} ms of processor a task, server {server:6.1f} ms, recorded after {wall:5.1f} s")
    for what, field in (("own processor", 0), ("server", 1), ("wall", 2)):
        ratio = median(one[field] / other[field] for one, other in zip(ours, theirs, strict=True))
        print(f"{what:13} {ratio:5.2f} times bare Prefect, goal {GOAL}: {'met' if ratio <= GOAL else 'MISSED'}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
