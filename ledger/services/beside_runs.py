"""What a person measures where software runs: only what it could not read, and where that leads."""

from __future__ import annotations

from ledger.services.policy import after_work, judgements
from ledger.services.retrying import NOT_DONE, readings_of, results_of, run_of
from ledger.tables import Activity, ItemResultRow
from ledger.transitions import State
from ledger.values import Measured
from ledger.writing import ENGINE, Writing
from steps.errors import InputError, NotSatisfiedError

ENDED = frozenset({State.FAILED, State.CHECKED_NOT_MET})
NAMED = 5


def refuse_for_software(writing: Writing, row: Activity, state: State, metric: str, item: str) -> None:
    """Refuse a reading by hand of what a run is still to read or has read, or where the run itself did not end well."""
    if state is State.READY and row.kind in {"automate", "verify"} and row.playbook is not None:
        raise NotSatisfiedError(
            f"{row.id} is measured by its run; a person measures what the run could not",
            hint=f"see `clusterwright why {row.id}`; work that was done outside is attested",
        )
    if state not in ENDED:
        return
    _refuse_failed_run(writing, row)
    by_run = {
        m.item: m.value for m in readings_of(writing, row, row.attempt) if m.person == ENGINE and m.metric == metric
    }
    if by_run.get(item) is not None:
        at_item = f" at {item}" if item else ""
        raise NotSatisfiedError(
            f"the run of {row.id} has read {metric}{at_item}; a reading by hand does not replace it",
            hint=f"`clusterwright retry {row.id}` reads it again, or waive it with a reason",
        )
    unread = sorted(where for where, value in by_run.items() if value is None)
    if unread and item not in unread:
        raise InputError(f"{metric} of {row.id} was not measured at {_named(unread)}", hint=f"--item {unread[0]}")


def after_reading(writing: Writing, row: Activity, state: State, reading: Measured) -> State | None:
    """Give the sign-off that a run's activity now waits for, since this reading met the last criterion that was open."""
    found = judgements(writing, row, reading) if state in ENDED else []
    if reading.metric not in {j.criterion.metric for j in found} or any(j.is_open for j in found):
        return None
    read = {m.item for m in readings_of(writing, row, row.attempt)} | {reading.item}
    if any(r.status == "skipped" and r.host not in read for r in _results(writing, row)):
        return None
    return after_work(row, by_hand=True)


def _refuse_failed_run(writing: Writing, row: Activity) -> None:
    run = run_of(writing, row, row.attempt)
    hosts = [r.host for r in _results(writing, row) if r.status in NOT_DONE]
    if hosts or (run is not None and run.status == "failed"):
        where = f" on {_named(hosts)}" if hosts else ""
        raise NotSatisfiedError(
            f"the run of {row.id} failed{where}; measure after one that ends well", hint=f"clusterwright retry {row.id}"
        )


def _results(writing: Writing, row: Activity) -> list[ItemResultRow]:
    run = run_of(writing, row, row.attempt)
    return [] if run is None else results_of(writing, run)


def _named(items: list[str]) -> str:
    more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
    return ", ".join(items[:NAMED]) + more
