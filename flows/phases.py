"""The nine phase flows. A run is one phase over some units. It is short, can be repeated, and ends when nothing is left.

A run takes activities from its queue as they become ready, and starts a task for each. A task waits for the tasks of its
predecessors in the same run, so that the dashboard draws the logic of the work.
"""

from __future__ import annotations

import queue
import time
from typing import Any, cast

from prefect import Flow, allow_failure, flow
from prefect.context import TagsContext
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.engine_state import Engine, Work, engine_of
from flows.groups import TASKS_A_RUN, Group
from flows.tasks import act, task_name
from steps.catalog.terms import Phase

WORKERS = 16
LOOK_S = 0.2

PhaseFlow = Flow[[str, list[str], str], int]
Futures = dict[str, PrefectFuture[Any]]


def title(phase: str) -> str:
    """Return a phase's name as the dashboard shows it."""
    return "Go-live" if phase == Phase.GO_LIVE else phase.replace("_", " ").capitalize()


def _phase_flow(phase: Phase) -> PhaseFlow:
    runner = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner(max_workers=WORKERS))

    @flow(
        name=title(phase),
        flow_run_name="{label}",
        task_runner=runner,
        persist_result=False,
        retries=0,
        validate_parameters=False,
    )
    def advance(engine_id: str, units: list[str], label: str) -> int:  # noqa: ARG001  the run's name
        return _advance(engine_of(engine_id), Group(phase.value, tuple(units)))

    return advance


PHASE_FLOWS: dict[str, PhaseFlow] = {phase.value: _phase_flow(phase) for phase in Phase}
"""The flow of each phase."""


def _advance(engine: Engine, group: Group) -> int:
    """Start tasks for what comes from the queue, until it has been empty for the linger time. Return how many."""
    futures: Futures = {}
    mine = engine.queues[group]
    submitted = 0
    busy_at = time.monotonic()
    while submitted < TASKS_A_RUN and not engine.stopping.is_set():
        try:
            work = mine.get(timeout=LOOK_S)
        except queue.Empty:
            # the engine knows it: the state of a future would be fetched from the server each time
            if engine.is_busy(group):
                busy_at = time.monotonic()
            elif time.monotonic() - busy_at >= engine.linger_s:
                break
            continue
        futures[work.row.id] = _submit(engine, work, futures)
        submitted += 1
        busy_at = time.monotonic()
    for future in futures.values():
        future.wait()
    return submitted


def _submit(engine: Engine, work: Work, futures: Futures) -> PrefectFuture[Any]:
    before = engine.groups.before(work.row.id)
    earlier = [futures[name] for name in before if name in futures]
    engine.task_runs += 1
    # without tags of its own: Prefect asks its server for a concurrency slot for every tagged task
    with TagsContext(current_tags=set()):
        future: PrefectFuture[Any] = act.submit(
            name=task_name(engine, work),
            engine_id=engine.id,
            activity=work.key.activity,
            attempt=work.key.attempt,
            mark=work.key.mark,
            # the ledger says that it may begin: a predecessor whose task failed may have been waived since
            wait_for=[allow_failure(future) for future in earlier],
            return_state=False,
        )
    return future
