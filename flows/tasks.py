"""A task for each activity: the name people know it by, and a state that says how it ended."""

from __future__ import annotations

import logging

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.asked import Key
from flows.engine_state import Engine, Work, engine_of
from flows.performer import Outcome
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from steps.errors import ClusterwrightError

log = logging.getLogger("clusterwright.flows")

TITLE_LENGTH = 60


@task(name="activity", task_run_name="{name}", cache_policy=NO_CACHE, persist_result=False, retries=0)
def act(name: str, engine_id: str, activity: str, attempt: int, mark: str) -> State[None]:  # noqa: ARG001  its label
    """Deal with one activity: run it, compute it, or ask a person and let go."""
    engine = engine_of(engine_id)
    outcome = Outcome("Error", f"{activity}: the task ended without a word", failed=True)
    try:
        outcome = _dealt_with(engine, activity, attempt)
    finally:
        engine.ended(Key(activity, attempt, mark), outcome)
    if outcome.failed:
        return Failed(name=outcome.name, message=outcome.message)
    return Completed(name=outcome.name, message=outcome.message)


def _dealt_with(engine: Engine, activity: str, attempt: int) -> Outcome:
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        row = require_activity(snapshot, activity)
    if row.attempt != attempt:
        return Outcome("Superseded", f"attempt {row.attempt} has taken over")
    try:
        return engine.performer.perform(engine, row)
    except ClusterwrightError as error:
        return Outcome("Refused", str(error), failed=True)
    except Exception as error:  # the edge of a worker: log with the id, show, go on
        log.exception("activity_failed activity=%s attempt=%s", activity, attempt)
        return Outcome("Error", f"{activity}: {error}", failed=True)


def task_name(engine: Engine, work: Work) -> str:
    """Give a task run's name, short enough for a node of the graph; a question names who is asked."""
    row = work.row
    title = row.plan.title if len(row.plan.title) <= TITLE_LENGTH else row.plan.title[: TITLE_LENGTH - 1] + "…"
    asked = engine.performer.asks(row)
    return f"{row.plan.step} {title} · {row.plan.unit}" + (f" · asks {asked}" if asked else "")
