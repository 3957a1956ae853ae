"""A task for each activity: the name people know it by, and a state that says how it ended."""

from __future__ import annotations

import logging

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.states import Completed, Failed, State

from flows.engine_state import Engine, Outcome, engine_of
from ledger.reads import ActivityRow
from steps.errors import ClusterwrightError

log = logging.getLogger("clusterwright.flows")


@task(task_run_name="{name}", cache_policy=NO_CACHE, persist_result=False, retries=0)
def act(name: str, engine_id: str, activity: str, attempt: int) -> State[None]:
    """Deal with one activity: run it, compute it, or ask a person and let go."""
    engine = engine_of(engine_id)
    try:
        outcome = _dealt_with(engine, activity, attempt)
    finally:
        engine.ended()
    if outcome.failed:
        return Failed(name=outcome.name, message=outcome.message)
    return Completed(name=outcome.name, message=outcome.message)


def _dealt_with(engine: Engine, activity: str, attempt: int) -> Outcome:
    from ledger.reads import Reader

    with Reader.open(engine.site_dir) as reader:
        row = reader.require_activity(activity, engine.clock())
    if row.attempt != attempt:
        return Outcome("Superseded", f"attempt {row.attempt} has taken over")
    try:
        return engine.performer.perform(engine, row)
    except ClusterwrightError as error:
        return Outcome("Refused", str(error), failed=True)
    except Exception as error:  # the edge of a worker: log with the id, show, go on
        log.exception("activity_failed activity=%s attempt=%s", activity, attempt)
        return Outcome("Error", f"{activity}: {error}", failed=True)


def task_name(row: ActivityRow) -> str:
    """Give a task run's name, short enough for a node of the graph."""
    title = row.title if len(row.title) <= 60 else row.title[:57] + "..."
    return f"{row.step} {title} · {row.unit}"
