"""Payloads about non-conformances: their disposition, their owner, and their end."""

from __future__ import annotations

from datetime import date

from ledger.log.chain import Event
from ledger.questions.case import LookedUp
from ledger.questions.checks import failed_readings
from ledger.questions.moment import Moment
from ledger.questions.ncrs import require_ncr, waiver_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.approval import allowed, refuse_past_day
from ledger.rules.permission import refuse_stranger
from ledger.rules.rows import NcrRow
from ledger.rules.version import DATES_AND_TIMES, FAULTS_AND_INVITATIONS
from ledger.subjects.again import Named, Tables, about_named, refuse_other_subject
from ledger.subjects.ncr import rules
from ledger.subjects.ncr.payloads import NcrAssigned, NcrClosed, NcrDispositioned
from schedule.errors import NotSatisfiedError


def _open_ncr(snapshot: Snapshot, ncr: str) -> NcrRow:
    """Return an open non-conformance. Raise for one that does not exist or is closed."""
    found = require_ncr(snapshot, ncr)
    rules.refuse_closed(found)
    return found


NCR = Named("ncr", _open_ncr, "activity")
"""An open non-conformance. Its event is about the activity."""


def dispositioned(
    moment: Moment,
    actor: str,
    found: NcrRow,
    disposition: str,
    *,
    owner: str = "",
    due: date | None = None,
    reason: str = "",
) -> NcrDispositioned:
    """Return what is done about a non-conformance. Use-as-is needs a waiver, or a role that may waive.

    Without `owner` or `due`, those that it has stay.
    """
    case = moment.case(found.activity, actor)
    rules.refuse_bad_disposition(disposition, owner=owner or found.owner, due=due, reason=reason)
    _refuse_past_day(case, due)
    if owner:
        refuse_stranger(case.person(owner))
    waiver = waiver_of(case.snapshot, case.row) if disposition == rules.USE_AS_IS else None
    role = rules.disposition(case, found, disposition, waiver)
    return NcrDispositioned(
        ncr=found.id,
        disposition=disposition,
        owner=owner or found.owner,
        due=due or found.due,
        reason=reason,
        waiver=waiver,
        role=role,
    )


def _refuse_past_day(case: LookedUp, due: date | None) -> None:
    """Raise for a day that was over when it was decided. Before version 3 of the rules any day could be named."""
    if due is not None and case.rules >= DATES_AND_TIMES:
        refuse_past_day(case, due)


def assigned(
    moment: Moment,
    actor: str,
    found: NcrRow,
    owner: str,
    due: date | None = None,
) -> NcrAssigned:
    """Return the assignment of a non-conformance to a person, who makes it good by a day."""
    case = moment.case(found.activity, actor)
    _refuse_past_day(case, due)
    refuse_stranger(case.person(owner))
    role = allowed(case, "assign_ncr", subject=found.id)
    return NcrAssigned(ncr=found.id, owner=owner, due=due, role=role)


def closed(moment: Moment, actor: str, found: NcrRow, disposition: str = "") -> NcrClosed:
    """Return the end of a non-conformance. An empty disposition means the one that was decided. Class A needs a decided one."""
    case = moment.case(found.activity, actor)
    role, how = rules.close(case, found, disposition)
    if case.rules >= FAULTS_AND_INVITATIONS and found.decided != rules.USE_AS_IS:
        _refuse_failing(case, found.id)
    return NcrClosed(ncr=found.id, disposition=how, role=role)


def _refuse_failing(case: LookedUp, ncr: str) -> None:
    """Raise while a reading under a non-conformance fails."""
    name = case.row.id
    for item, metrics in failed_readings(case.snapshot, case.row).items():
        mine = [metric for metric, under in metrics.items() if under == ncr]
        if mine:
            at_item, option = (f" at {item}", f" --item {item}") if item else ("", "")
            again = f"`clusterwright measure {name} {mine[0]} VALUE UNIT{option}`"
            raise NotSatisfiedError(
                f"{ncr} cannot be closed: {mine[0]}{at_item} still fails",
                hint=f"{again} when it is made good, or decide on use-as-is",
            )


def _dispositioned_again(moment: Moment, event: Event, p: NcrDispositioned) -> NcrDispositioned:
    """Return a disposition again. An owner who is no longer at the site may keep it, as in the decision."""
    found = _open_ncr(moment.snapshot, p.ncr)
    refuse_other_subject(event, found.activity)
    owner = "" if p.owner == found.owner else p.owner
    due = None if p.due == found.due else p.due
    return dispositioned(
        moment,
        event.actor,
        found,
        p.disposition,
        owner=owner,
        due=due,
        reason=p.reason,
    )


AGAIN: Tables = {
    NcrDispositioned: _dispositioned_again,
    NcrAssigned: about_named(NCR, assigned),
    NcrClosed: about_named(NCR, closed),
}
