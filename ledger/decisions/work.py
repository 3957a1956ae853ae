"""Decisions about the work of an activity: assign, start, progress, measure, finish, hold, resume, reopen, not applicable."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from ledger.entries import ReadingEntry
from ledger.log.chain import Event
from ledger.making import work as made
from ledger.writing import Ledger
from steps.value import Value


def assign(
    ledger: Ledger,
    actor: str,
    activity: str,
    person: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Assign an activity to a person. If it was assigned to an organisation, the person must belong to that."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.assigned(case, person))


def assign_organisation(
    ledger: Ledger,
    actor: str,
    subject: str,
    organisation: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Assign an activity or an order to an organisation. An empty name ends the assignment.

    An activity is assigned only to an organisation that has people in the plan. A supplier of an order needs none.
    """
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.organisation_assigned(moment, actor, subject, organisation)
        return writing.record(moment, actor, payload, subject=subject)


def comment(
    ledger: Ledger,
    actor: str,
    activity: str,
    text: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record a comment on an activity."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.commented(case, text))


def start(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    out_of_sequence: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that people started an activity. While it waits for its predecessors, say why in `out_of_sequence`.

    Raise NotSatisfiedError if nobody says why, or if it may never be out of sequence.
    """
    with ledger.case(activity, actor, at) as case:
        return case.record(made.started(case, out_of_sequence))


def progress(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    items_done: int | None = None,
    percent: float | Decimal | None = None,
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record progress: the number of items done or the percentage done, and a note."""
    share = None if percent is None else Decimal(str(percent))
    with ledger.case(activity, actor, at) as case:
        return case.record(made.progressed(case, items_done, share, note))


def measure(
    ledger: Ledger,
    actor: str,
    activity: str,
    metric: str,
    value: Value | float,
    unit: str,
    *,
    item: str | None = None,
    source: str = "",
    instrument: str = "",
    at: datetime | None = None,
) -> Event:
    """Record a reading. Its unit must be comparable with that of the criterion. A failed reading opens a non-conformance.

    Text is read as the type that the criterion asks for: a number, yes or no, or a word.
    """
    exact: Value = value if isinstance(value, bool | str) else Decimal(str(value))
    entry = ReadingEntry(metric, exact, unit)
    with ledger.case(activity, actor, at) as case:
        payload = made.measurement_recorded(
            case,
            entry,
            item or "",
            source=source,
            instrument=instrument,
        )
        return case.record(payload)


def finish(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    performers: Sequence[str] = (),
    out_of_sequence: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that people finished the work, which then waits for its sign-off.

    While its finish waits for something, say why in `out_of_sequence`. So it is for a gate of which the matter happened early.
    Raise NotSatisfiedError if a criterion is neither met nor waived.
    """
    with ledger.case(activity, actor, at) as case:
        return case.record(made.finished(case, performers, out_of_sequence))


def hold(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Put an activity on hold until it is resumed. A run of software cannot be held: request its cancellation."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.held(case, reason))


def resume(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str = "",
    *,
    at: datetime | None = None,
) -> Event:
    """Resume an activity that is on hold. It returns to the state that it had before the hold."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.resumed(case, reason))


def na(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Decide that an activity does not apply. Its successors then wait for its predecessors."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.not_applicable(case, reason))


def reopen(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Open an activity that is done again, as its next attempt. Everything done that comes after it becomes stale."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.reopened(case, reason))


def settle_duplicate(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record that an activity is done because the activities that complete it are done."""
    with ledger.case(activity, actor, at) as case:
        return case.record(made.duplicate_settled(case))
