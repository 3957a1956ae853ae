"""Decisions about the work of an activity: assign, start, progress, measure, finish, hold, resume, reopen, not applicable."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from ledger.entries import ReadingEntry
from ledger.log.chain import Event
from ledger.log.payloads.base import ReadingPart
from ledger.log.payloads.work import (
    Assigned,
    Commented,
    DuplicateSettled,
    Finished,
    Held,
    MeasurementRecorded,
    NotApplicable,
    OrganisationAssigned,
    Progressed,
    Reopened,
    Resumed,
    Started,
)
from ledger.questions.ncrs import open_ncrs_of_readings
from ledger.questions.orders import require_order
from ledger.questions.people import organisations
from ledger.questions.records import next_id
from ledger.rules import work as rules
from ledger.rules.judgement import FAILED
from ledger.rules.permission import refuse_stranger, same_organisation
from ledger.rules.readings import asked_of, verdicts
from ledger.rules.reasons import require_reason
from ledger.writing import Ledger
from steps.errors import InputError
from steps.value import Value, value_text


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
        rules.assign(case, case.writing.actor(person))
        return case.record(Assigned(person=person))


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
    wanted = organisation.strip()
    with ledger.write() as writing:
        writing.may(actor, "assign_organisation", subject)
        asked = writing.at(at)
        if "#" in subject:
            require_order(asked, subject)
        else:
            subject = writing.case(subject, actor).row.id
            wanted = wanted and same_organisation(wanted, organisations(asked))
        payload = OrganisationAssigned(organisation=wanted)
        return writing.append(actor, payload, subject=subject, at=asked.now)


def comment(
    ledger: Ledger,
    actor: str,
    activity: str,
    text: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record a comment on an activity."""
    if not text.strip():
        raise InputError("the comment is empty")
    with ledger.case(activity, actor, at) as case:
        rules.comment(case)
        return case.record(Commented(text=text))


def start(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record that people started an activity. Raise NotSatisfiedError while it waits for its predecessors."""
    with ledger.case(activity, actor, at) as case:
        rules.start(case)
        return case.record(Started())


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
        rules.progress(case, items_done, share, has_note=bool(note))
        return case.record(Progressed(items_done=items_done, percent=share, note=note))


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
    with ledger.case(activity, actor, at) as case:
        read = rules.measure(case, ReadingEntry(metric, exact, unit), item or "")
        reading = ReadingPart(
            metric=metric,
            value=value_text(read.value),
            unit=read.unit,
            item=read.item,
            source=source,
            instrument=instrument,
        )
        asked = asked_of(case.row)
        (verdict,) = verdicts(asked, [read], case.readings, case.waived)
        failed = verdict.verdict == FAILED
        earlier = open_ncrs_of_readings(case.snapshot, case.row) if failed else {}
        under = earlier.get((metric, read.item))
        opens = failed and under is None
        at_item = f" at {read.item}" if read.item else ""
        result = rules.after_reading(case, read)
        payload = MeasurementRecorded(
            reading=reading,
            ncr=next_id(case.snapshot, "ncr", "NCR") if opens else None,
            ncr_class=case.row.plan.ncr_class if opens else "",
            reason=f"{verdict}{at_item}" if opens else "",
            under=under,
            result=None if result is None else result.value,
        )
        return case.record(payload)


def finish(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    performers: Sequence[str] = (),
    at: datetime | None = None,
) -> Event:
    """Record that people finished the work, which then waits for its sign-off.

    Raise NotSatisfiedError if a criterion is neither met nor waived.
    """
    with ledger.case(activity, actor, at) as case:
        for performer in performers:
            refuse_stranger(case.writing.actor(performer))
        result = rules.finish(case)
        return case.record(Finished(performers=(actor, *performers), result=result.value))


def hold(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Put an activity on hold until it is resumed. A run of software cannot be held: request its cancellation."""
    require_reason(reason, "'hold'")
    with ledger.case(activity, actor, at) as case:
        rules.hold(case)
        return case.record(Held(reason=reason))


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
        back = rules.resume(case)
        return case.record(Resumed(reason=reason, result=back.value))


def na(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Decide that an activity does not apply. Its successors then wait for its predecessors."""
    require_reason(reason, "'not applicable'")
    with ledger.case(activity, actor, at) as case:
        role = rules.na(case)
        return case.record(NotApplicable(reason=reason, role=role))


def reopen(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Open an activity that is done again, as its next attempt. Everything done that comes after it becomes stale."""
    require_reason(reason, "'open again'")
    with ledger.case(activity, actor, at) as case:
        rules.reopen(case)
        return case.record(Reopened(reason=reason))


def settle_duplicate(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record that an activity is done because the activities that complete it are done."""
    with ledger.case(activity, actor, at) as case:
        rules.settle_duplicate(case)
        return case.record(DuplicateSettled(by=case.row.plan.completed_by))
