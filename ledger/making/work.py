"""Payloads about the work of an activity: assigned, started, progressed, measured, finished, held, reopened and others."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ledger.entries import ReadingEntry
from ledger.log.chain import Event
from ledger.log.payloads.base import ReadingPart
from ledger.log.payloads.work import (
    Assigned,
    Attached,
    Attested,
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
from ledger.making.again import Tables, about_activity
from ledger.questions.case import LookedUp
from ledger.questions.moment import Moment
from ledger.questions.ncrs import open_ncrs_of_readings
from ledger.questions.orders import require_order
from ledger.questions.people import organisations
from ledger.rules import work as rules
from ledger.rules.permission import refuse_stranger, same_organisation
from ledger.rules.readings import asked_of, fails, recorded_value, verdicts
from ledger.rules.reasons import require_reason
from ledger.rules.subjects import is_supply
from schedule.errors import InputError
from steps.value import value_text


def assigned(case: LookedUp, person: str) -> Assigned:
    """Return the assignment of an activity to a person."""
    rules.assign(case, case.person(person))
    return Assigned(person=person)


def organisation_assigned(moment: Moment, actor: str, subject: str, organisation: str) -> OrganisationAssigned:
    """Return the assignment of an activity or an order to an organisation, whose name is in the site's spelling."""
    moment.may(actor, "assign_organisation", subject)
    named = organisation.strip()
    if is_supply(subject):
        require_order(moment.snapshot, subject)
    else:
        moment.case(subject, actor)
        named = named and same_organisation(named, organisations(moment.snapshot))
    return OrganisationAssigned(organisation=named)


def commented(case: LookedUp, text: str) -> Commented:
    """Return a comment."""
    if not text.strip():
        raise InputError("the comment is empty")
    rules.comment(case)
    return Commented(text=text)


def started(case: LookedUp, out_of_sequence: str) -> Started:
    """Return the start of people's work. `out_of_sequence` is why, if something before it is open."""
    return Started(out_of_sequence=rules.start(case, out_of_sequence))


def progressed(
    case: LookedUp,
    items_done: int | None,
    percent: Decimal | None,
    note: str,
) -> Progressed:
    """Return a report of progress."""
    rules.progress(case, items_done, percent, has_note=bool(note))
    return Progressed(items_done=items_done, percent=percent, note=note)


def measurement_recorded(
    case: LookedUp,
    entry: ReadingEntry,
    item: str,
    *,
    source: str,
    instrument: str,
) -> MeasurementRecorded:
    """Return a reading by a person, the non-conformance that it opens or belongs to, and the state to which it leads."""
    asked = asked_of(case.row)
    read = rules.measure(case, asked, entry, item)
    reading = ReadingPart(
        metric=read.metric,
        value=value_text(read.value),
        unit=read.unit,
        item=read.item,
        source=source,
        instrument=instrument,
    )
    criterion = asked[read.metric].criterion
    compares = criterion is not None and criterion.compares_items
    before = case.readings if compares else {}
    under, reason = None, ""
    if fails(asked[read.metric], read, before, case.waived):
        under = open_ncrs_of_readings(case.snapshot, case.row).get((read.metric, read.item))
        (verdict,) = verdicts(asked, [read], before, case.waived)
        at_item = f" at {read.item}" if read.item else ""
        reason = f"{verdict}{at_item}" if under is None else ""
    opens = bool(reason)
    result = rules.after_reading(case, read)
    return MeasurementRecorded(
        reading=reading,
        ncr=case.next_id("ncr") if opens else None,
        ncr_class=case.row.plan.ncr_class if opens else "",
        reason=reason,
        under=under,
        result=None if result is None else result.value,
    )


def finished(case: LookedUp, performers: Sequence[str], out_of_sequence: str) -> Finished:
    """Return the end of people's work. `performers` are those who did it besides the actor.

    `out_of_sequence` is why, if something before it is open.
    """
    for performer in performers:
        refuse_stranger(case.person(performer))
    ended = rules.finish(case, out_of_sequence)
    return Finished(
        performers=() if ended.by_nobody else (case.actor.id, *performers),
        out_of_sequence=ended.out_of_sequence,
        result=ended.result.value,
    )


def attached(case: LookedUp, file: Attached) -> Attached:
    """Return a file that was attached as evidence."""
    rules.attach(case)
    return file


def held(case: LookedUp, reason: str) -> Held:
    """Return a hold."""
    require_reason(reason, "'hold'")
    rules.hold(case)
    return Held(reason=reason)


def resumed(case: LookedUp, reason: str) -> Resumed:
    """Return the end of a hold, with the state in which the activity goes on."""
    back = rules.resume(case)
    return Resumed(reason=reason, result=back.value)


def not_applicable(case: LookedUp, reason: str) -> NotApplicable:
    """Return the decision that an activity does not apply."""
    require_reason(reason, "'not applicable'")
    role = rules.na(case)
    return NotApplicable(reason=reason, role=role)


def reopened(case: LookedUp, reason: str) -> Reopened:
    """Return the decision that an activity is done again."""
    require_reason(reason, "'open again'")
    rules.reopen(case)
    return Reopened(reason=reason)


def attested(
    case: LookedUp,
    reason: str,
    digests: Sequence[str],
    removed: Sequence[str],
) -> Attested:
    """Return a person's statement that a step was done outside, with the state to which it leads."""
    require_reason(reason, "an attestation")
    result = rules.attest(case)
    return Attested(
        reason=reason,
        digests=tuple(digests),
        removed=tuple(removed),
        result=result.value,
    )


def duplicate_settled(case: LookedUp) -> DuplicateSettled:
    """Return the completion of an activity by the activities that complete it."""
    rules.settle_duplicate(case)
    return DuplicateSettled(by=case.row.plan.completed_by)


def _measured_again(case: LookedUp, payload: MeasurementRecorded) -> MeasurementRecorded:
    reading = payload.reading
    value = recorded_value(asked_of(case.row), reading.metric, reading.value or "")
    entry = ReadingEntry(reading.metric, value, reading.unit)
    return measurement_recorded(
        case,
        entry,
        reading.item,
        source=reading.source,
        instrument=reading.instrument,
    )


def _organisation_again(moment: Moment, event: Event, p: OrganisationAssigned) -> OrganisationAssigned:
    return organisation_assigned(moment, event.actor, event.subject, p.organisation)


AGAIN: Tables = {
    Assigned: about_activity(lambda case, p: assigned(case, p.person)),
    OrganisationAssigned: _organisation_again,
    Commented: about_activity(lambda case, p: commented(case, p.text)),
    Started: about_activity(lambda case, p: started(case, p.out_of_sequence)),
    Progressed: about_activity(
        lambda case, p: progressed(case, p.items_done, p.percent, p.note),
    ),
    MeasurementRecorded: about_activity(_measured_again),
    Finished: about_activity(
        lambda case, p: finished(case, p.performers[1:], p.out_of_sequence),
    ),
    Attached: about_activity(attached),
    Held: about_activity(lambda case, p: held(case, p.reason)),
    Resumed: about_activity(lambda case, p: resumed(case, p.reason)),
    NotApplicable: about_activity(lambda case, p: not_applicable(case, p.reason)),
    Reopened: about_activity(lambda case, p: reopened(case, p.reason)),
    Attested: about_activity(
        lambda case, p: attested(case, p.reason, p.digests, p.removed),
    ),
    DuplicateSettled: about_activity(lambda case, _: duplicate_settled(case)),
}
"""How each kind of event about work is made again."""
