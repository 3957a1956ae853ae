"""What people may record about their work, and to which state it leads: the whole rule of each decision.

As in `ledger.rules.approval`, every function returns what follows from the decision, or raises the refusal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import NamedTuple

from ledger.rules.activity import NOT_MET, Action, State
from ledger.rules.approval import (
    after_work,
    allowed,
    is_unfinishable,
    matter_of,
    permitted,
    refuse_unfinishable,
    refuse_unwitnessed,
)
from ledger.rules.case import Case
from ledger.rules.judgement import all_met, refuse_unmet
from ledger.rules.permission import Actor, refuse_outsider, refuse_stranger
from ledger.rules.readings import Metrics, asked_of, measured
from ledger.rules.rows import RUN_NOT_DONE
from ledger.rules.sequence import early, refuse_blocked, refuse_never
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.subjects.checklists.rules import refuse_open_items, refuse_second_count
from schedule.errors import InputError, NotPermittedError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.amount import first_of
from steps.catalog.terms import PEOPLES_WORK, SOFTWARES_WORK, Kind
from steps.stamps import minute

NAMED = 5
"""How many hosts or items an error names. The others are counted."""


class Ended(NamedTuple):
    """What follows from finished work: the state, why it was out of sequence, and whether it is a gate, which nobody performs."""

    result: State
    out_of_sequence: str
    by_nobody: bool


def start(case: Case, out_of_sequence: str) -> str:
    """Let people start the work. Return why it was out of sequence. Empty if nothing before it was open."""
    allowed(case, "start")
    early_because = ""
    if case.row.state is State.BLOCKED and case.row.plan.kind is not Kind.GATE:
        early_because = early(case, out_of_sequence)
        permitted(case, Action.RECORD_EARLY, State.IN_PROGRESS)
    else:
        permitted(case, Action.START, State.IN_PROGRESS)
    refuse_unwitnessed(case)
    return early_because


def progress(
    case: Case,
    items_done: int | None,
    percent: Decimal | None,
    *,
    has_note: bool,
) -> None:
    """Let somebody report how far the work has come."""
    row, items = case.row, case.row.plan.items
    allowed(case, "progress")
    permitted(case, Action.PROGRESS)
    if items_done is None and percent is None and not has_note:
        raise InputError("nothing to record", hint="add items, a percentage or a note")
    if items_done is not None and not 0 <= items_done <= (items or items_done):
        counted = row.plan.items_of or "items"
        most = f"{items} {counted}" if items else f"no {counted} that the plan counts"
        raise InputError(f"{row.id} has {most}, not {items_done}")
    if items_done is not None:
        refuse_second_count(case)
    if percent is not None and not (percent.is_finite() and 0 <= percent <= 100):
        raise InputError(f"percent is between 0 and 100, not {percent}")


def finish(case: Case, out_of_sequence: str) -> Ended:
    """Let people finish the work. Every criterion is met or waived, and every item of a checklist is good or accepted.

    A gate has no work. If what it asks for happened while something before it was open, that is recorded here. The gate's approval
    waits, and so does everything after it.
    """
    row = case.row
    allowed(case, "finish")
    result = after_work(row, by_hand=True)
    if row.state is State.BLOCKED and row.plan.kind is Kind.GATE:
        early_because = early(case, out_of_sequence)
        permitted(case, Action.RECORD_EARLY, result)
        refuse_unwitnessed(case)
        return Ended(result, early_because, by_nobody=True)
    permitted(case, Action.FINISH, result)
    if row.started_at is not None and case.now < row.started_at:
        raise InputError(f"{row.id} started at {minute(row.started_at, case.zone)}, after that")
    early_because = out_of_sequence if is_unfinishable(case) else ""
    if early_because:
        refuse_never(row)
    else:
        refuse_unfinishable(case)
    refuse_unwitnessed(case)
    refuse_open_items(case)
    refuse_unmet(row.id, case.judgements, "finish")
    return Ended(result, early_because, by_nobody=False)


def attest(case: Case) -> State:
    """Let a person state that software's work was done outside Clusterwright. Another person must approve it."""
    row = case.row
    allowed(case, "attest")
    if row.plan.kind in PEOPLES_WORK:
        raise NotSatisfiedError(
            f"{row.id} is people's work; there is nothing to attest",
            hint=f"clusterwright start {row.id}, finish, sign",
        )
    refuse_blocked(case)
    refuse_unwitnessed(case)
    result = after_work(row, by_hand=True)
    permitted(case, Action.ATTEST, result)
    return result


def hold(case: Case) -> None:
    """Put an activity on hold. A run of software is cancelled instead."""
    allowed(case, "hold")
    permitted(case, Action.HOLD, State.ON_HOLD)


def resume(case: Case) -> State:
    """Resume an activity that is on hold. Return its state before the hold, in which it goes on."""
    allowed(case, "resume")
    back = State(case.row.held_from or State.OPEN)
    permitted(case, Action.RESUME, back)
    return back


def na(case: Case) -> str:
    """Decide that an activity does not apply. Return the role by which the actor may decide it."""
    role = allowed(case, "na")
    permitted(case, Action.NOT_APPLICABLE, State.NOT_APPLICABLE)
    return role


def reopen(case: Case) -> None:
    """Open an activity again that is done or does not apply."""
    row = case.row
    allowed(case, "reopen")
    if row.state is State.NOT_APPLICABLE and not row.na_decided:
        raise NotSatisfiedError(
            f"{row.id} does not apply by the plan: {row.na_reason}", hint="change site.yaml and adopt the plan again"
        )
    permitted(case, Action.REOPEN, State.OPEN)


def assign(case: Case, person: Actor) -> None:
    """Let somebody assign the activity to a person. Work of an organisation may only be assigned to its own people."""
    allowed(case, "assign")
    refuse_outsider(person, "assign", matter_of(case))
    refuse_stranger(person)


def attach(case: Case) -> None:
    """Let somebody attach evidence."""
    allowed(case, "attach")
    permitted(case, Action.ATTACH)


def check(case: Case) -> None:
    """Let somebody check items."""
    allowed(case, "check")
    permitted(case, Action.CHECK)


def may_measure(case: Case) -> None:
    """Let a person read instruments. If the step has a playbook, its run comes first, and it must not have failed."""
    allowed(case, "measure")
    permitted(case, Action.MEASURE)
    row = case.row
    if row.state is State.DONE:
        _refuse_unwaived(case, case.waived)
    if row.separates_duties and case.actor.id in case.approvals:
        raise NotPermittedError(
            f"{case.actor.id} has approved {row.id} and may not measure it", hint="another person reads the instrument"
        )
    if not asked_of(row):
        raise InputError(f"{row.id} has nothing to measure", hint="write a comment instead")
    by_run = row.plan.kind in SOFTWARES_WORK and row.plan.playbook is not None
    if by_run and row.state is State.READY:
        raise NotSatisfiedError(
            f"{row.id} is measured by its run; a person measures what the run could not",
            hint=f"see `clusterwright why {row.id}`; work that was done outside is attested",
        )
    if row.state in NOT_MET:
        _refuse_failed_run(case)


def measure(case: Case, asked: Metrics, entry: Measured, item: str) -> Measured:
    """Let a person read an instrument. Return the reading. `asked` is what may be read at the activity.

    After a run a person may read only what the run could not read, and of done work only what is waived, which is to be made good.
    """
    may_measure(case)
    read = measured(case.row, asked, entry, item)
    if case.row.state is State.DONE:
        _refuse_unwaived(case, {read.metric})
    if case.row.state in NOT_MET | {State.DONE}:
        _refuse_read_by_run(case, read.metric, item)
    return read


def _refuse_unwaived(case: Case, metrics: Collection[str]) -> None:
    """Raise if none of the metrics is waived. Before version 5 of the rules nothing is measured at work that is done."""
    if case.rules < ITEMS_AND_WAIVERS or not set(metrics).intersection(case.waived):
        raise NotSatisfiedError(
            f"{case.row.id} is done; only a criterion that is waived is still measured",
            hint=f"`clusterwright reopen {case.row.id} --reason WHY`; before version 5 of the rules a waived one needs that too",
        )


def _refuse_read_by_run(case: Case, metric: str, item: str) -> None:
    """Raise if the run has read the metric at this item, or if the item is none of those that the run could not read."""
    row = case.row
    readings = [read for read in case.reads if read.by_engine and read.metric == metric]
    by_run = {reading.item: reading.value for reading in readings}
    if by_run.get(item) is not None:
        at_item = f" at {item}" if item else ""
        again = "reopen" if row.state is State.DONE else "retry"
        raise NotSatisfiedError(
            f"the run of {row.id} has read {metric}{at_item}; a reading by hand does not replace it",
            hint=f"`clusterwright {again} {row.id}` reads it again, or waive it with a reason",
        )
    unread = sorted(where for where, value in by_run.items() if value is None)
    if unread and item not in unread:
        raise InputError(f"{metric} of {row.id} was not measured at {named(unread)}", hint=f"--item {unread[0]}")


def after_reading(case: Case, reading: Measured) -> State | None:
    """Return awaiting sign-off if this reading meets the last open criterion of a failed or unmet run. None otherwise."""
    row, metric = case.row, reading.metric
    if row.state not in NOT_MET:
        return None
    before = case.readings.get(metric, ())
    readings = {**case.readings, metric: [*before, reading]}
    is_asked_for = any(criterion.metric == metric for criterion in row.plan.criteria)
    if not is_asked_for or not all_met(row.plan.criteria, readings, case.waived):
        return None
    read_at = {read.item for read in case.reads} | {reading.item}
    hosts = case.last_run.hosts if case.last_run else {}
    if any(status == "skipped" and host not in read_at for host, status in hosts.items()):
        return None
    return after_work(row, by_hand=True)


def _refuse_failed_run(case: Case) -> None:
    run = case.last_run
    if run is None:
        return
    hosts = [host for host, status in run.hosts.items() if status in RUN_NOT_DONE]
    if hosts or run.status == "failed":
        where = f" on {named(hosts)}" if hosts else ""
        raise NotSatisfiedError(
            f"the run of {case.row.id} failed{where}; measure after one that ends well",
            hint=f"clusterwright retry {case.row.id}",
        )


def named(items: Sequence[str]) -> str:
    """Return the first few items in words, and the number of the others."""
    return first_of(items, NAMED)


def comment(case: Case) -> None:
    """Let somebody write a comment."""
    allowed(case, "comment")


def record_facts(case: Case) -> None:
    """Let a person record facts about the facility that the activity asks for."""
    allowed(case, "record_facts")
    if not case.row.plan.facts:
        raise InputError(f"{case.row.id} does not ask for any fact about the facility")
    permitted(case, Action.FACT)
