"""Times in the record that are years from the project. No calendar has them, and so no dates can be worked out from them.

The first two versions of the rules let people record such a time. A wrong year is an entry to correct: the error names its event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from ledger.questions.log import EventRow
from ledger.questions.snapshot import Snapshot, one_of
from ledger.rules.subjects import is_delivery, is_supply, order_of
from ledger.subjects.corrections.rules import CORRECTABLE
from schedule.errors import InputError
from steps.planning.dates.dating import YEAR, YEARS_AFTER, YEARS_BEFORE
from steps.planning.record.forecast import Actual
from steps.stamps import local_day, minute, moment, stamp

MEAN_YEAR = timedelta(days=365.25)

_TERMS = "SELECT start, time_zone FROM plan_revision ORDER BY revision DESC LIMIT 1"
_COUNTS = "t.seq NOT IN (SELECT seq FROM refused) AND t.seq NOT IN (SELECT seq FROM entry WHERE taken_back IS NOT NULL)"
_LAST = f"AND {_COUNTS} ORDER BY t.seq DESC"
_EVENT = f"WHERE t.subject = :name AND t.effective_at = :at {_LAST}"
_PROMISE = f"""
WHERE t.subject IN (:name, :order)
  AND CASE WHEN json_valid(t.payload) THEN json_extract(t.payload, '$.promised') END = :day {_LAST}"""
_BROUGHT = f"WHERE t.kind IN ('progress.adopted', 'plan.adopted') AND instr(t.payload, :name) {_LAST}"


def refuse_far(snapshot: Snapshot, found: Mapping[str, Actual]) -> None:
    """Raise InputError for the first time in the record that is too far from the project to be planned with."""
    terms = snapshot.first(_TERMS)
    if terms is None:
        return
    begins, zone = moment(terms[0]), str(terms[1])
    first = begins - (YEARS_BEFORE - 1) * YEAR
    last = begins + YEARS_AFTER // 2 * YEAR  # the work that follows needs room in the calendars too
    for name, actual in found.items():
        for at in _times(actual):
            if not first < at < last:
                raise _far(snapshot, name, at, begins, zone)


def _times(actual: Actual) -> Iterator[datetime]:
    for at in (actual.started, actual.finished, actual.approved):
        if at is not None:
            yield at


def _far(
    snapshot: Snapshot,
    name: str,
    at: datetime,
    begins: datetime,
    zone: str,
) -> InputError:
    """Return the error that names the event, and how it is corrected."""
    shown = minute(at, zone)
    years = round(abs(at - begins) / MEAN_YEAR)
    side = "before" if at < begins else "after"
    where = f"{years} years {side} the project, which begins on {local_day(begins, zone)}"
    event = _source(snapshot, name, at, zone)
    if event is None:
        return InputError(
            f"{name}: the record has {shown} for it; that is {where}, and no dates follow from it",
            hint=f"clusterwright log '{name}'",
        )
    happened = event.effective_at or at
    says = f"is of {minute(happened, zone)}"
    if happened != at:
        says += f" and says {shown} of {name}"
    return InputError(
        f"event {event.seq} ({event.kind} of {event.subject} by {event.actor}) {says}; that is {where}, and no dates follow from it",
        hint=_remedy(event, name),
    )


def _source(snapshot: Snapshot, name: str, at: datetime, zone: str) -> EventRow | None:
    """Return the event from which a time is. None if it cannot be found."""
    found = one_of(snapshot, EventRow, _EVENT, name=name, at=stamp(at))
    if found is None and is_delivery(name):
        day = local_day(at, zone).isoformat()
        order = order_of(name)
        found = one_of(snapshot, EventRow, _PROMISE, name=name, order=order, day=day)
        found = found or one_of(snapshot, EventRow, _EVENT, name=order, at=stamp(at))
    return found or one_of(snapshot, EventRow, _BROUGHT, name=f'"{name}"')


def _remedy(event: EventRow, name: str) -> str:
    """Return how a wrong year is corrected: the entry is taken back. Work that was approved on it is opened again."""
    again = "then record it anew with the right day"
    take_back = f"clusterwright correct {event.seq} --reason WHY"
    if is_supply(name):
        return f"if the year is wrong: `{take_back}`, {again}"
    reopen = f"clusterwright reopen {name} --reason WHY"
    if event.kind not in CORRECTABLE:
        return f"if the year is wrong: `{reopen}`, {again}"
    return f"if the year is wrong: `{take_back}`, or where it is approved already `{reopen}`; {again}"
