"""The nine phase flows. A run is one phase over some units: short, re-entrant, and ended when nothing is left.

A run takes activities from its queue as they become ready, a task each. A task waits for the tasks of its
predecessors in the same run, so that the dashboard draws the logic of the work.
"""

from __future__ import annotations

import queue
import time
from typing import Any

from prefect import Flow, flow
from prefect.futures import PrefectFuture
from prefect.task_runners import ThreadPoolTaskRunner

from flows.engine_state import Engine, Group, engine_of
from flows.tasks import act, task_name
from ledger.reads import ActivityRow
from steps.catalog.schema import Phase

TASKS_A_RUN = 200
WORKERS = 8
LOOK_S = 0.25


def title(phase: Phase) -> str:
    """Give a phase's name as the dashboard shows it."""
    return phase.value.replace("_", " ").capitalize().replace("Go live", "Go-live")


def _phase_flow(phase: Phase) -> Flow[[str, list[str], str], int]:
    @flow(
        name=title(phase),
        flow_run_name="{label}",
        task_runner=ThreadPoolTaskRunner(max_workers=WORKERS),
        persist_result=False,
        retries=0,
        validate_parameters=False,
    )
    def advance(engine_id: str, units: list[str], label: str) -> int:
        return _advance(engine_of(engine_id), Group(phase.value, tuple(units)))

    return advance


PHASE_FLOWS: dict[str, Flow[[str, list[str], str], int]] = {phase.value: _phase_flow(phase) for phase in Phase}
"""The flow of each phase."""


def _advance(engine: Engine, group: Group) -> int:
    """Submit what the queue gives until it has been empty for the linger time; give how many."""
    futures: dict[str, PrefectFuture[Any]] = {}
    mine = engine.queues[group]
    submitted = 0
    busy_at = time.monotonic()
    while submitted < TASKS_A_RUN and not engine.stopping.is_set():
        try:
            row = mine.get(timeout=LOOK_S)
        except queue.Empty:
            if time.monotonic() - busy_at < engine.linger_s:
                continue
            if all(future.state.is_final() for future in futures.values()):
                break
            continue
        futures[row.id] = _submit(engine, row, futures)
        submitted += 1
        busy_at = time.monotonic()
    for future in futures.values():
        future.wait()
    return submitted


def _submit(engine: Engine, row: ActivityRow, futures: dict[str, PrefectFuture[Any]]) -> PrefectFuture[Any]:
    earlier = [futures[b] for b in engine.before.get(row.id, ()) if b in futures]
    # a predecessor that failed and was then waived is done for the ledger, but Prefect would refuse to follow it
    passable = [f for f in earlier if not (f.state.is_failed() or f.state.is_crashed())]
    engine.task_runs += 1
    return act.submit(task_name(row), engine.id, row.id, row.attempt, wait_for=passable)
