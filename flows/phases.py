"""The nine phase flows. A run is one advance of a phase over some units. It is short, and ends when nothing is left.

A run takes activities from its queue as they become ready, and starts a task for each. A task follows the tasks of its
predecessors in the same run, so that the dashboard draws the logic of the work. When the run ends, its tasks show what the
ledger says then: what is not done is not green, and neither is the run. It is a child of the phase's standing run.
"""

from __future__ import annotations

import queue
import time
from typing import Any, cast
from uuid import UUID

from prefect import Flow, flow
from prefect.artifacts import create_link_artifact
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import State, StateDetails, StateType
from prefect.context import FlowRunContext, TagsContext
from prefect.flow_engine import run_flow
from prefect.futures import PrefectFuture
from prefect.states import Completed, Pending
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.ends import end_nodes
from flows.engine_state import Advance, Engine, Work, engine_of
from flows.groups import TASKS_A_RUN, Group
from flows.phase_titles import title
from flows.tasks import act, task_name
from steps.catalog.terms import Phase

WORKERS = 16
LOOK_S = 0.2

PhaseFlow = Flow[[str, list[str], str], State[Any]]
Futures = dict[str, PrefectFuture[Any]]


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
    def advance(engine_id: str, units: list[str], label: str) -> State[Any]:  # noqa: ARG001  shown in the dashboard
        engine = engine_of(engine_id)
        return _advance(engine, engine.advances[label])

    return advance


PHASE_FLOWS: dict[str, PhaseFlow] = {phase.value: _phase_flow(phase) for phase in Phase}
"""The flow of each phase."""


def run_advance(engine: Engine, advance: Advance) -> None:
    """Run one advance of a phase, as a child of the phase's standing run. Raise where Prefect's server fails."""
    group, label = advance.group, advance.label
    phase_flow, parent = PHASE_FLOWS[group.phase], engine.parents.get(group.phase)
    parameters = {"engine_id": engine.id, "units": list(group.units), "label": label}
    with get_client(sync_client=True) as client:
        made = client.create_flow_run(
            phase_flow,
            parameters=parameters,
            name=label,
            state=Pending(),
            tags=TagsContext.get().current_tags,
            parent_task_run_id=UUID(parent.node) if parent else None,
        )
    run_flow(phase_flow, flow_run=made, parameters=parameters, return_type="state")


def _advance(engine: Engine, advance: Advance) -> State[Any]:
    """Start tasks for what comes from the queue, until it has been empty for the linger time. Return how the advance ended.

    One that has all the tasks that its graph can show waits for their ends, and another takes what comes meanwhile.
    """
    futures: Futures = {}
    mine = engine.queues[advance.group]
    _link(engine, advance.group)
    busy_at = time.monotonic()
    while len(advance.keys) < TASKS_A_RUN and not engine.stopping.is_set():
        try:
            work = mine.get(timeout=LOOK_S)
        except queue.Empty:
            # the engine knows it: the state of a future would be fetched from the server each time
            if engine.is_busy(advance.group):
                busy_at = time.monotonic()
            elif time.monotonic() - busy_at >= engine.linger_s:
                break
            continue
        advance.keys.append(work.key)
        futures[work.row.id] = _submit(engine, work, futures)
        busy_at = time.monotonic()
    engine.close_advance(advance)
    for future in futures.values():
        future.wait()
    ended = end_nodes(engine, _own_run(), futures)
    return State(type=StateType(ended.type), name=ended.name, message=ended.message, data=len(advance.keys))


def _own_run() -> UUID | None:
    """Return the flow run that this is."""
    context = FlowRunContext.get()
    return context.flow_run.id if context is not None and context.flow_run is not None else None


def _link(engine: Engine, group: Group) -> None:
    """Let the run name the standing run of its phase, which has the dates."""
    parent = engine.parents.get(group.phase)
    if parent is not None:
        create_link_artifact(link=f"/runs/flow-run/{parent.run}", link_text=f"{title(group.phase)}: state and dates")


def _submit(engine: Engine, work: Work, futures: Futures) -> PrefectFuture[Any]:
    before = engine.groups.before(work.row.id)
    earlier = [_drawn(futures[name]) for name in before if name in futures]
    engine.task_runs += 1
    # without tags of its own: Prefect asks its server for a concurrency slot for every tagged task
    with TagsContext(current_tags=set()):
        future: PrefectFuture[Any] = act.submit(
            name=task_name(engine, work),
            engine_id=engine.id,
            activity=work.key.activity,
            attempt=work.key.attempt,
            mark=work.key.mark,
            wait_for=earlier,
            return_state=False,
        )
    return future


def _drawn(future: PrefectFuture[Any]) -> State[Any]:
    """Return what draws an edge from a task and waits for nothing: the ledger says that its successor may begin."""
    return Completed(data=True, state_details=StateDetails(task_run_id=future.task_run_id))
