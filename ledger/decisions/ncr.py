"""Decisions about non-conformances: their disposition, and closing them. See `ledger.rules.ncr`."""

from __future__ import annotations

from datetime import date, datetime

from ledger.log.chain import Event
from ledger.log.payloads.ncr import NcrAssigned, NcrClosed, NcrDispositioned
from ledger.questions.ncrs import require_ncr, waiver_of
from ledger.rules import ncr as rules
from ledger.rules.approval import matter_of
from ledger.rules.permission import may, refuse_stranger
from ledger.writing import Ledger


def disposition_ncr(
    ledger: Ledger,
    actor: str,
    ncr: str,
    disposition: str,
    *,
    owner: str = "",
    due: date | None = None,
    reason: str = "",
    at: datetime | None = None,
) -> Event:
    """Decide what is done about a non-conformance. Use-as-is needs a waiver, or a role that may waive.

    Without `owner` or `due`, those that it has stay.
    """
    rules.refuse_bad_disposition(disposition, owner=owner, due=due, reason=reason)
    with ledger.write() as writing:
        found = require_ncr(writing.at(at), ncr)
        rules.refuse_closed(found)
        case = writing.case(found.activity, actor, at)
        if owner:
            refuse_stranger(writing.actor(owner))
        waiver = waiver_of(case.snapshot, case.row) if disposition == rules.USE_AS_IS else None
        role = rules.disposition(case, found, disposition, waiver)
        payload = NcrDispositioned(
            ncr=ncr,
            disposition=disposition,
            owner=owner or found.owner,
            due=due or found.due,
            reason=reason,
            waiver=waiver,
            role=role,
        )
        return case.record(payload)


def assign_ncr(
    ledger: Ledger,
    actor: str,
    ncr: str,
    owner: str,
    due: date | None = None,
    *,
    at: datetime | None = None,
) -> Event:
    """Assign an open non-conformance to a person, who makes it good by a day."""
    with ledger.write() as writing:
        found = require_ncr(writing.at(at), ncr)
        rules.refuse_closed(found)
        case = writing.case(found.activity, actor, at)
        refuse_stranger(writing.actor(owner))
        role = may(case.actor, "assign_ncr", matter_of(case)._replace(subject=ncr))
        return case.record(NcrAssigned(ncr=ncr, owner=owner, due=due, role=role))


def close_ncr(
    ledger: Ledger,
    actor: str,
    ncr: str,
    disposition: str = "",
    *,
    at: datetime | None = None,
) -> Event:
    """Close a non-conformance, with the disposition that was decided or with another one. Class A needs a decided disposition."""
    with ledger.write() as writing:
        found = require_ncr(writing.at(at), ncr)
        rules.refuse_closed(found)
        case = writing.case(found.activity, actor, at)
        role, how = rules.close(case, found, disposition)
        return case.record(NcrClosed(ncr=ncr, disposition=how, role=role))
