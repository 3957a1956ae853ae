"""What the nine phase flows share. A run is one advance of a phase over some units: it is short, and ends when nothing is left.

A run takes activities from its queue as they become ready, and starts a task for each. A task follows the tasks of its
predecessors in the same run, so that the dashboard draws the logic of the work. When the run ends, its tasks show what the
ledger says then: what is not done is not green, and neither is the run. It is a child of the phase's standing run.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

from prefect import Flow, flow
from prefect.artifacts import create_link_artifact
from prefect.client.schemas.objects import State, StateDetails, StateType
from prefect.context import FlowRunContext, SyncClientContext, TagsContext
from prefect.flow_engine import run_flow
from prefect.futures import PrefectFuture
from prefect.states import Completed, Pending
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.dashboard.standing_words import title
from flows.engine.advance import Advance, advance_of, at_work
from flows.engine.groups import TASKS_A_RUN, Group
from flows.engine.state import Engine, Work
from flows.phases.tasks import act, end_nodes, task_name
from steps.catalog.terms import Phase

LOOK_S = 0.2

PhaseFlow = Flow[[str, int, list[str]], State[Any]]
Futures = dict[str, PrefectFuture[Any]]


def phase_flow(phase: Phase) -> Callable[[Callable[[str, int, list[str]], State[Any]]], PhaseFlow]:
    """Return what makes a function the flow of a phase. Each of its tasks has a thread: none waits for the end of another."""
    runner = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner(max_workers=TASKS_A_RUN))
    return flow(name=title(phase), task_runner=runner, persist_result=False, retries=0, validate_parameters=False)


def run_advance(phase_flow: PhaseFlow, advance: Advance) -> None:
    """Run one advance of a phase, as a child of the phase's standing run. Raise where Prefect's server fails.

    Its parameters are for people: they say in the dashboard which work it began with. More may follow.
    """
    engine = advance.engine
    parent = engine.parents.get(advance.group.phase)
    queued = [work.row.id for work in list(engine.queues[advance.group].queue)]
    parameters = {"site": engine.plan.site, "revision": engine.revision, "activities": queued[:TASKS_A_RUN]}
    with SyncClientContext.get_or_create() as shared:
        made = shared.client.create_flow_run(
            phase_flow,
            parameters=parameters,
            name=advance.label,
            state=Pending(),
            tags=TagsContext.get().current_tags,
            parent_task_run_id=UUID(parent.node) if parent else None,
        )
    with at_work(made.id, advance):
        run_flow(phase_flow, flow_run=made, parameters=parameters, return_type="state")


def take_work() -> State[Any]:
    """Start tasks for what comes from the queue, until it has been empty for the linger time. Return how the advance ended.

    One that has all the tasks that its graph can show waits for their ends, and another takes what comes meanwhile.
    """
    context = FlowRunContext.get()
    assert context is not None  # a flow runs in one
    assert context.flow_run is not None
    advance = advance_of(context.flow_run.id)
    engine, mine = advance.engine, advance.engine.queues[advance.group]
    futures: Futures = {}
    # the run has its tags on the server: in its tasks' events, each would be one more row for each change of state
    context.flow_run.tags = []
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
    ended = end_nodes(engine, context.flow_run.id, futures)
    return State(type=StateType(ended.type), name=ended.name, message=ended.message, data=len(advance.keys))


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
            name=task_name(work.row),
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
