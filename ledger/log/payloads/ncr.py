"""Decisions about non-conformances."""

from __future__ import annotations

from datetime import date

from ledger.log.payloads.base import Decided


class NcrClosed(Decided):
    """A non-conformance has its disposition."""

    kind = "ncr.closed"
    version = 2
    ncr: str
    disposition: str
    role: str


class NcrDispositioned(Decided):
    """What is to be done about a non-conformance, by whom and by when; the waiver that use-as-is rests on, if any."""

    kind = "ncr.dispositioned"
    ncr: str
    disposition: str
    owner: str
    due: date | None
    reason: str
    waiver: str | None
    role: str
