"""Payloads about the work of an activity: assigned, started, progressed, measured, finished, held, reopened and others."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ledger.log.payload import ReadingPart
from ledger.questions.case import LookedUp
from ledger.questions.ncrs import open_ncrs_of_readings
from ledger.rules.permission import refuse_stranger
from ledger.rules.readings import asked_of, fails, recorded_value, verdicts
from ledger.rules.text import require_reason
from ledger.subjects.again import Tables, about_activity, about_case
from ledger.subjects.runs.rules import kept_at_reopening
from ledger.subjects.work import rules
from ledger.subjects.work.payloads import (
    Assigned,
    Attached,
    Attested,
    Commented,
    Finished,
    Held,
    MeasurementRecorded,
    NotApplicable,
    Progressed,
    Reopened,
    Resumed,
    Started,
)
from schedule.errors import InputError
from steps.acceptance.measured import Measured
from steps.value import Value


def assigned(case: LookedUp, person: str) -> Assigned:
    """Return the assignment of an activity to a person. If it was assigned to an organisation, they must belong to that."""
    rules.assign(case, case.person(person))
    return Assigned(person=person)


def commented(case: LookedUp, text: str) -> Commented:
    """Return a comment."""
    if not text.strip():
        raise InputError("the comment is empty")
    rules.comment(case)
    return Commented(text=text)


def started(case: LookedUp, *, out_of_sequence: str = "") -> Started:
    """Return the start of people's work. `out_of_sequence` is why, if something before it is open.

    Raise NotSatisfiedError if nobody says why, or if it may never be out of sequence.
    """
    return Started(out_of_sequence=rules.start(case, out_of_sequence))


def progressed(
    case: LookedUp,
    *,
    items_done: int | None = None,
    percent: float | Decimal | None = None,
    note: str = "",
) -> Progressed:
    """Return a report of progress: the number of items done or the percentage done, and a note."""
    share = None if percent is None else Decimal(str(percent))
    rules.progress(case, items_done, share, has_note=bool(note))
    return Progressed(items_done=items_done, percent=share, note=note)


def measurement_recorded(
    case: LookedUp,
    metric: str,
    value: Value | float,
    unit: str,
    *,
    item: str | None = None,
    source: str = "",
    instrument: str = "",
) -> MeasurementRecorded:
    """Return a reading by a person, the non-conformance that it opens or belongs to, and the state to which it leads.

    Its unit must be comparable with that of the criterion. Text is read as the type that the criterion asks for: a number, yes or
    no, or a word.
    """
    asked = asked_of(case.row)
    exact: Value = value if isinstance(value, bool | str) else Decimal(str(value))
    read = rules.measure(case, asked, Measured(metric, exact, unit), item or "")
    reading = ReadingPart.of(read._replace(source=source), instrument)
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


def finished(
    case: LookedUp,
    *,
    performers: Sequence[str] = (),
    out_of_sequence: str = "",
) -> Finished:
    """Return the end of people's work, which then waits for its sign-off. `performers` are those who did it besides the actor.

    `out_of_sequence` is why, if something before it is open. So it is for a gate of which the matter happened early.
    Raise NotSatisfiedError if a criterion is neither met nor waived.
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
    """Return a hold, which ends when the activity is resumed. A run of software is not held: its cancellation is requested."""
    require_reason(reason, "'hold'")
    rules.hold(case)
    return Held(reason=reason)


def resumed(case: LookedUp, reason: str = "") -> Resumed:
    """Return the end of a hold, with the state in which the activity goes on."""
    back = rules.resume(case)
    return Resumed(reason=reason, result=back.value)


def not_applicable(case: LookedUp, reason: str) -> NotApplicable:
    """Return the decision that an activity does not apply. Its successors then wait for its predecessors."""
    require_reason(reason, "'not applicable'")
    role = rules.na(case)
    return NotApplicable(reason=reason, role=role)


def reopened(case: LookedUp, reason: str, hosts: Sequence[str] = ()) -> Reopened:
    """Return the decision that an activity is done again, as its next attempt: on these hosts alone, if any are named."""
    require_reason(reason, "'open again'")
    rules.reopen(case)
    again = tuple(sorted(set(hosts)))
    kept = kept_at_reopening(case.row.plan, case.last_run, case.reads, again) if again else ()
    return Reopened(reason=reason, hosts=again, kept=kept)


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


def _measured_again(case: LookedUp, payload: MeasurementRecorded) -> MeasurementRecorded:
    reading = payload.reading
    value = recorded_value(asked_of(case.row), reading.metric, reading.value or "")
    return measurement_recorded(
        case,
        reading.metric,
        value,
        reading.unit,
        item=reading.item,
        source=reading.source,
        instrument=reading.instrument,
    )


def _finished_again(case: LookedUp, payload: Finished) -> Finished:
    return finished(case, performers=payload.performers[1:], out_of_sequence=payload.out_of_sequence)


AGAIN: Tables = {
    Assigned: about_activity(assigned),
    Commented: about_activity(commented),
    Started: about_activity(started),
    Progressed: about_activity(progressed),
    MeasurementRecorded: about_case(_measured_again),
    Finished: about_case(_finished_again),
    Attached: about_case(attached),
    Held: about_activity(held),
    Resumed: about_activity(resumed),
    NotApplicable: about_activity(not_applicable),
    Reopened: about_activity(reopened),
    Attested: about_activity(attested),
}
