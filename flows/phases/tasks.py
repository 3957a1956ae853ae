"""A task for each activity. It has the name that people know the activity by, and a state that says how it ended.

When its advance is over, it is shown as the ledger says then, which may be later than the task ended.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from functools import cache
from typing import Any
from uuid import UUID

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, StateDetails, StateType, TaskRun
from prefect.context import TaskRunContext
from prefect.results import get_result_store
from prefect.utilities.engine import emit_task_run_state_change_event

from flows.dashboard.standing_words import DRIFT, Shown, advance_shown, node_shown, shortened
from flows.engine.advance import advance_of
from flows.engine.performer import Outcome
from flows.engine.questions_asked import Key
from flows.engine.state import WAITS, Engine
from flows.performers.people import asked_role
from ledger.questions.activities import states_of
from ledger.questions.case import require_activity
from ledger.rules.activity import Activity
from schedule.errors import ClusterwrightError, LostError, UnreachableError

log = logging.getLogger("clusterwright.flows")

DONE = {"Done", "No drift"}
BAD = {"Checked, not met", DRIFT}


@task(name="activity", task_run_name="{name}", cache_policy=NO_CACHE, persist_result=False, retries=0)
def act(
    name: str,
    activity: str,
    attempt: int,
    mark: str,
) -> State[None]:
    """Deal with one activity: run it, compute it, or ask a person and end."""
    context = TaskRunContext.get()
    assert context is not None  # a task runs in one
    engine, key = advance_of(context.task_run.flow_run_id).engine, Key(activity, attempt, mark)
    engine.nodes[context.task_run.flow_run_id, activity] = context.task_run
    outcome = Outcome("Error", f"{activity}: the task ended without a result", failed=True)
    try:
        outcome = outcome_of(engine, key)
    finally:
        engine.ended(key, outcome)
    ended = end_of_task(outcome)
    return State(type=StateType(ended.type), name=ended.name, message=ended.message, data=_no_result())


@cache
def _no_result() -> Any:
    """Return what a task leaves to Prefect. Without it, each task works out where a result would be kept."""
    return get_result_store().create_result_record(None)


def outcome_of(engine: Engine, key: Key) -> Outcome:
    """Deal with what was handed out. Nothing is done for what waits for its turn, people are asked, or its advance gave back."""
    work = engine.handed_out(key)
    if work is None:
        return Outcome("Superseded", "its advance broke off; it is handed out again")
    if work.waits:
        return Outcome(WAITS.capitalize(), work.waits)
    return engine.performer.question(work.row) or _dealt_with(engine, key.activity, key.attempt)


def _dealt_with(engine: Engine, activity: str, attempt: int) -> Outcome:
    """Read the record once, in this task's own snapshot, then act with the snapshot closed."""
    try:
        with engine.snapshot() as snapshot:
            row = require_activity(snapshot, activity)
            if row.attempt != attempt:
                return Outcome("Superseded", f"attempt {row.attempt} has begun")
            job = engine.performer.prepare(engine, snapshot, row)
        return job()
    except ClusterwrightError as error:
        if isinstance(error, UnreachableError) and not isinstance(error, LostError):
            engine.unwritten.wait(error)
            return Outcome(WAITS.capitalize(), str(error), again=True)
        return Outcome("Refused", str(error), failed=True)
    except Exception as error:  # the edge of a worker thread: log it, show it, and let the others go on
        log.exception("activity_failed activity=%s attempt=%s", activity, attempt)
        return Outcome("Error", f"{activity}: {error}", failed=True)


def task_name(row: Activity) -> str:
    """Return the name of a task run, short enough for the graph. The name of a question says who is asked."""
    plan, asked = row.plan, asked_role(row)
    return f"{plan.step} {shortened(plan.title)} · {plan.unit}" + (f" · asks {asked}" if asked else "")


def end_of_task(outcome: Outcome) -> Shown:
    """Return how a node is shown when its task has ended. What waits for a person, or goes on, is not green."""
    if outcome.failed or outcome.name in BAD:
        return Shown("FAILED", outcome.name, outcome.message)
    return Shown("COMPLETED" if outcome.name in DONE else "CANCELLED", outcome.name, outcome.message)


def end_nodes(engine: Engine, flow_run: UUID | None, activities: Collection[str]) -> Shown:
    """Show on the nodes of an advance what the ledger says of their activities now. Return how the advance is shown."""
    with engine.snapshot() as snapshot:
        states = states_of(snapshot, activities)
    ended = []
    for name, state in states.items():
        run = engine.nodes.pop((flow_run, name), None)
        if run is None or run.state is None:  # its task has not begun: the engine stops
            continue
        before = Shown(run.state.type.value, run.state.name or "", run.state.message or "")
        after = node_shown(state, before)
        if after[:2] != before[:2]:
            _send(run, run.state, after)
        engine.completed += after.type == "COMPLETED"
        ended.append(after)
    return advance_shown(ended)


def _send(run: TaskRun, before: State, after: Shown) -> None:
    """Report a state by the way that tasks report theirs, so that it is recorded after them."""
    details = StateDetails(flow_run_id=run.flow_run_id, task_run_id=run.id)
    state: State = State(type=StateType(after.type), name=after.name, message=after.message, state_details=details)
    run.state, run.state_id, run.state_type, run.state_name = state, state.id, state.type, state.name
    emit_task_run_state_change_event(task_run=run, initial_state=before, validated_state=state)
