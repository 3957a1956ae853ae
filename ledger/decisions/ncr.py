"""Decisions about non-conformances: their disposition, and closing them. See `ledger.rules.ncr`."""

from __future__ import annotations

from datetime import date, datetime

from ledger.log.chain import Event
from ledger.making import ncr as made
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
    with ledger.write() as writing:
        found = made.open_ncr(writing.moment(at), ncr)
        case = writing.case(found.activity, actor, at)
        payload = made.dispositioned(
            case,
            found,
            disposition,
            owner=owner,
            due=due,
            reason=reason,
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
        found = made.open_ncr(writing.moment(at), ncr)
        case = writing.case(found.activity, actor, at)
        return case.record(made.assigned(case, found, owner, due))


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
        found = made.open_ncr(writing.moment(at), ncr)
        case = writing.case(found.activity, actor, at)
        return case.record(made.closed(case, found, disposition))
