"""Decisions about non-conformances."""

from __future__ import annotations

from datetime import date

from ledger.log.payload import Decided, Payload


class NcrAssigned(Payload):
    """A non-conformance was assigned to a person, who makes it good by `due`. None keeps the day that there was."""

    kind = "ncr.assigned"
    ncr: str
    owner: str
    due: date | None
    role: str


class NcrClosed(Decided):
    """A non-conformance was closed."""

    kind = "ncr.closed"
    version = 2
    ncr: str
    disposition: str
    role: str


class NcrDispositioned(Decided):
    """It was decided what is done about a non-conformance, by whom (`owner`) and by when.

    `waiver` is the waiver that permits use-as-is. It is None if there is none.
    """

    kind = "ncr.dispositioned"
    ncr: str
    disposition: str
    owner: str
    due: date | None
    reason: str
    waiver: str | None
    role: str
