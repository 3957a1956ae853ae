"""What a person measures where software runs: only what it could not read, and where that leads."""

from __future__ import annotations

from sqlalchemy import select
from sqlmodel import col

from ledger.services.policy import after_work, judgements
from ledger.services.retrying import NOT_DONE, readings_of, run_of
from ledger.tables import Activity, ItemResultRow
from ledger.transitions import State
from ledger.values import Measured
from ledger.writing import ENGINE, Writing
from steps.errors import InputError, NotSatisfiedError

ENDED = frozenset({State.FAILED, State.CHECKED_NOT_MET})


def refuse_for_software(writing: Writing, row: Activity, state: State, metric: str, item: str) -> None:
    """Refuse a reading by hand of what a run is still to read or has read, or where the run itself did not end well."""
    if state is State.READY and row.kind in {"automate", "verify"} and row.playbook is not None:
        raise NotSatisfiedError(
            f"{row.id} is measured by its run; a person measures what the run could not",
            hint=f"see `clusterwright why {row.id}`; work that was done outside is attested",
        )
    if state not in ENDED:
        return
    again = f"`clusterwright retry {row.id}`"
    if (failed := _not_done(writing, row)) is not None:
        raise NotSatisfiedError(f"the run of {row.id} failed{failed}; measure after one that ends well", hint=again)
    by_run = {
        m.item: m.value for m in readings_of(writing, row, row.attempt) if m.person == ENGINE and m.metric == metric
    }
    if by_run.get(item) is not None:
        at_item = f" at {item}" if item else ""
        raise NotSatisfiedError(
            f"the run of {row.id} has read {metric}{at_item}; a reading by hand does not replace it",
            hint=f"{again} reads it again, or waive it with a reason",
        )
    unread = sorted(where for where, value in by_run.items() if value is None)
    if unread and item not in unread:
        raise InputError(f"{metric} of {row.id} was not measured at {', '.join(unread)}", hint=f"--item {unread[0]}")


def after_reading(writing: Writing, row: Activity, state: State, reading: Measured) -> State | None:
    """Give the sign-off that a run's activity now waits for, since this reading was the last that it lacked."""
    if state not in ENDED or any(j.is_open for j in judgements(writing, row, reading)):
        return None
    read = {m.item for m in readings_of(writing, row, row.attempt)} | {reading.item}
    if any(status == "skipped" and host not in read for host, status in _hosts(writing, row).items()):
        return None
    return after_work(row, by_hand=True)


def _not_done(writing: Writing, row: Activity) -> str | None:
    """Give on which hosts the run failed, empty where it failed as a whole, None where it ended well."""
    hosts = [host for host, status in _hosts(writing, row).items() if status in NOT_DONE]
    if hosts:
        return f" on {', '.join(hosts)}"
    run = run_of(writing, row, row.attempt)
    return "" if run is not None and run.status == "failed" else None


def _hosts(writing: Writing, row: Activity) -> dict[str, str]:
    run = run_of(writing, row, row.attempt)
    if run is None:
        return {}
    found = select(ItemResultRow).where(col(ItemResultRow.run) == run.id).order_by(col(ItemResultRow.host))
    return {item.host: item.status for item in writing.session.scalars(found)}
