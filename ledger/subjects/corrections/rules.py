"""Which entries can be taken back, by whom, and while what does not rest on them.

A wrong entry stays in the record. An event names it and says why it is wrong, and from then on it does not count. The right one
is entered anew. An approval closes the entries that it rests on: a rejection or another attempt is the way back then.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ledger.rules.access import ENGINE
from ledger.rules.activity import Action, State
from ledger.rules.approval import allowed, permitted, stored_state
from ledger.rules.case import Case
from ledger.rules.permission import refuse_stranger
from schedule.errors import InputError, NotSatisfiedError
from steps.catalog.terms import Kind

COMMENTED, STARTED, FINISHED = "activity.commented", "activity.started", "activity.finished"
PROGRESSED, CHECKED = "activity.progressed", "items.checked"
MEASURED, ATTACHED = "activity.measured", "evidence.attached"
ORDERED, EXPEDITED = "order.placed", "order.expedited"
ACKNOWLEDGED, PROMISED = "order.acknowledged", "order.promised"
SHIPPED, RECEIVED = "tranche.shipped", "tranche.received"

OF_WORK = (COMMENTED, STARTED, FINISHED, PROGRESSED, CHECKED, MEASURED, ATTACHED)
OF_SUPPLY = (ORDERED, ACKNOWLEDGED, PROMISED, EXPEDITED, SHIPPED, RECEIVED)
CORRECTABLE = frozenset((*OF_WORK, *OF_SUPPLY))
"""Kinds of entry that can be taken back. Decisions cannot: they have their own way back."""

WHILE_WORKING = frozenset({PROGRESSED, CHECKED, STARTED})
"""Entries on which the end of the work rests."""

LATER: dict[str, frozenset[str]] = {
    STARTED: frozenset({FINISHED, PROGRESSED, CHECKED, MEASURED}),
    PROGRESSED: frozenset({PROGRESSED}),
    ORDERED: frozenset(OF_SUPPLY) - {ORDERED},
    ACKNOWLEDGED: frozenset({ACKNOWLEDGED, PROMISED}),
    PROMISED: frozenset({ACKNOWLEDGED, PROMISED}),
    SHIPPED: frozenset({SHIPPED, RECEIVED}),
}
"""By kind: the kinds of later entries that have to be taken back first, because they rest on it or replaced it."""


class EntryRow(NamedTuple):
    """An entry: the event that made it, its kind, what it is about, and the attempt in which it was made."""

    seq: int
    kind: str
    subject: str
    attempt: int
    person: str
    taken_back: int | None


def correct(
    case: Case,
    entry: EntryRow,
    later: Sequence[EntryRow],
    begun: Collection[str],
) -> tuple[str, State | None]:
    """Take back an entry about an activity. Return the role under which the actor may, and the state that follows.

    `later` are the entries about the same activity after this one, and `begun` the activities that began because it started.
    A comment leaves the state as it is, and returns None.
    """
    theirs = {entry.person} - {ENGINE}
    role = allowed(case, "correct", subject=_named(entry), theirs=theirs)
    refuse_stranger(case.actor)
    _refuse_again(entry)
    if entry.kind == COMMENTED:
        return role, None
    row = case.row
    if entry.attempt != row.attempt:
        raise NotSatisfiedError(
            f"{_named(entry)} belongs to attempt {entry.attempt} of {row.id}; attempt {row.attempt} does not rest on it",
            hint=f"clusterwright comment {row.id} 'what was wrong'",
        )
    if case.approvals:
        way_back = "reopen" if row.state is State.DONE else "reject"
        raise NotSatisfiedError(
            f"{' and '.join(case.approvals)} approved {row.id} on {_named(entry)}",
            hint=f"clusterwright {way_back} {row.id} --reason WHY, then enter it again",
        )
    result = _after(case, entry)
    permitted(case, Action.CORRECT, result)
    _refuse_rested_on(entry, later)
    if entry.kind == STARTED:
        _refuse_begun(entry, begun)
        if case.waived:
            raise NotSatisfiedError(f"criteria of {row.id} are waived since it started", hint="put it on hold")
    return role, result


def _after(case: Case, entry: EntryRow) -> State:
    """Return the state after an entry is taken back."""
    state = stored_state(case.row)
    if entry.kind == FINISHED and state is State.AWAITING_SIGN_OFF:
        return State.OPEN if case.row.plan.kind is Kind.GATE else State.IN_PROGRESS
    working = {State.IN_PROGRESS} if entry.kind == STARTED else {State.IN_PROGRESS, State.ON_HOLD}
    if entry.kind == FINISHED or (entry.kind in WHILE_WORKING and state not in working):
        raise NotSatisfiedError(
            f"{case.row.id} is {state.words}; {_named(entry)} cannot be taken back now",
            hint=f"clusterwright log {case.row.id}: take back the later entries first",
        )
    return State.OPEN if entry.kind == STARTED else state


def correct_supply(
    entry: EntryRow,
    later: Sequence[EntryRow],
    begun: Collection[str],
    changes: Sequence[str],
) -> None:
    """Raise if an entry about an order or a delivery cannot be taken back.

    `begun` are the activities that began because of it. `changes` are the change orders that keep the order as it is: those that
    wait for a decision or, under version 4 of the rules and before, all.
    """
    _refuse_again(entry)
    _refuse_rested_on(entry, later)
    if entry.kind in {ORDERED, RECEIVED}:
        _refuse_begun(entry, begun)
    if entry.kind == ORDERED and changes:
        raise NotSatisfiedError(
            f"{entry.subject} has change orders: {', '.join(changes)}",
            hint="decide them first; decided ones keep it only before version 5 of the rules: `clusterwright authority rules`",
        )


def _refuse_again(entry: EntryRow) -> None:
    if entry.taken_back is not None:
        raise NotSatisfiedError(f"{_named(entry)} was taken back by event {entry.taken_back}")


def _refuse_rested_on(entry: EntryRow, later: Sequence[EntryRow]) -> None:
    wanted = LATER.get(entry.kind, frozenset())
    counting = [one for one in later if one.taken_back is None]
    resting = [one for one in counting if one.kind in wanted and one.attempt == entry.attempt]
    if resting:
        raise NotSatisfiedError(
            f"{_named(resting[-1])} came after {_named(entry)}",
            hint=f"take back event {resting[-1].seq} first",
        )


def _refuse_begun(entry: EntryRow, begun: Collection[str]) -> None:
    if begun:
        raise NotSatisfiedError(
            f"{', '.join(sorted(begun)[:5])} began because of {_named(entry)}",
            hint="hold them, and say so in a comment",
        )


def refuse_uncorrectable(seq: int, kind: str | None) -> InputError:
    """Return the refusal for an event that is no entry that can be taken back."""
    if kind is None:
        return InputError(f"there is no event {seq}", hint="`clusterwright log ACTIVITY` numbers them")
    return InputError(
        f"event {seq} ({kind}) is no entry that can be taken back",
        hint="entries are: " + ", ".join((*OF_WORK, *OF_SUPPLY)),
    )


def _named(entry: EntryRow) -> str:
    return f"event {entry.seq} ({entry.kind} by {entry.person})"
