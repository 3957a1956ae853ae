"""The work itself: who does it, how far it is, what was read, and when it is finished, held, left out or opened again."""

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
    """Assign an activity to a person. What was given to an organisation is assigned to its people only."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.assign(case, writing.actor(person))
        return writing.record(case, Assigned(person=person))


def assign_organisation(
    ledger: Ledger, actor: str, subject: str, organisation: str, *, at: datetime | None = None
) -> Event:
    """Assign an activity or an order to an organisation. An empty name takes it back.

    An activity goes to an organisation that has people at the site. A supplier of an order need not have any.
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
        return writing.append(actor, OrganisationAssigned(organisation=wanted), subject=subject, at=asked.now)


def comment(
    ledger: Ledger,
    actor: str,
    activity: str,
    text: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Write something down about an activity."""
    if not text.strip():
        raise InputError("the comment is empty")
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.comment(case)
        return writing.record(case, Commented(text=text))


def start(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record that people began. Raise while anything before it is open."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.start(case)
        return writing.record(case, Started())


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
    """Record how far the work has come: items or percent, and what stands out."""
    share = None if percent is None else Decimal(str(percent))
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.progress(case, items_done, share, has_note=bool(note))
        return writing.record(case, Progressed(items_done=items_done, percent=share, note=note))


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
    """Record a reading, in a unit that compares with its criterion's. One that fails opens a non-conformance.

    A value that is text is read as its criterion asks for: a number, yes or no, or a word.
    """
    exact = Decimal(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        read = rules.measure(case, ReadingEntry(metric, exact, unit), item or "")
        reading = ReadingPart(
            metric=metric,
            value=value_text(read.value),
            unit=read.unit,
            item=read.item,
            source=source,
            instrument=instrument,
        )
        (verdict,) = verdicts(
            asked_of(case.row),
            [read],
            case.readings,
            case.waived,
        )
        failed = verdict.verdict == FAILED
        under = open_ncrs_of_readings(case.snapshot, case.row).get((metric, read.item)) if failed else None
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
        return writing.record(case, payload)


def finish(
    ledger: Ledger, actor: str, activity: str, *, performers: Sequence[str] = (), at: datetime | None = None
) -> Event:
    """Record that people finished. Every criterion is met or waived by then. It then waits for a sign-off."""
    with ledger.write() as writing:
        for performer in performers:
            refuse_stranger(writing.actor(performer))
        case = writing.case(activity, actor, at)
        result = rules.finish(case)
        return writing.record(case, Finished(performers=(actor, *performers), result=result.value))


def hold(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Stop an activity until it is resumed. Running software is cancelled, not held."""
    _refuse_unreasoned(reason, "hold")
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.hold(case)
        return writing.record(case, Held(reason=reason))


def resume(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str = "",
    *,
    at: datetime | None = None,
) -> Event:
    """Let a held activity go on in the state in which it was held."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        back = rules.resume(case)
        return writing.record(case, Resumed(reason=reason, result=back.value))


def na(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Decide that there is nothing to do. What follows then waits for what this activity waited for."""
    _refuse_unreasoned(reason, "not applicable")
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        role = rules.na(case)
        return writing.record(case, NotApplicable(reason=reason, role=role))


def reopen(
    ledger: Ledger,
    actor: str,
    activity: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Open what was done again, as the next attempt. What rested on it becomes stale."""
    _refuse_unreasoned(reason, "open again")
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.reopen(case)
        return writing.record(case, Reopened(reason=reason))


def settle_duplicate(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record that an activity is done, since the steps that complete it are done."""
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        rules.settle_duplicate(case)
        return writing.record(case, DuplicateSettled(by=case.row.plan.completed_by))


def _refuse_unreasoned(reason: str, what: str) -> None:
    if not reason.strip():
        raise InputError(f"{what!r} needs a reason", hint="give --reason")
