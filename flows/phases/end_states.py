"""How the nodes of an advance end: as the ledger says when the advance is over, which may be later than their tasks ended."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from prefect.client.schemas.objects import State, StateDetails, StateType, TaskRun
from prefect.utilities.engine import emit_task_run_state_change_event

from flows.dashboard.standing_words import DRIFT, Shown, advance_shown, node_shown
from flows.engine.performer import Outcome
from flows.engine.state import Engine
from ledger.questions.activities import states_of

DONE = {"Done", "No drift"}
BAD = {"Checked, not met", DRIFT}


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
