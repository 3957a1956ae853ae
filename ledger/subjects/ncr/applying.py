"""Non-conformances that are assigned, decided and closed."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.rules.version import FAULTS_AND_INVITATIONS
from ledger.state.projection import Handlers, Projection
from ledger.subjects.ncr.payloads import NcrAssigned, NcrClosed, NcrDispositioned
from ledger.subjects.ncr.rules import USE_AS_IS


def assign_ncr(p: Projection, event: Event, payload: NcrAssigned) -> None:  # noqa: ARG001  every handler takes the three
    """Note who makes a non-conformance good, and by when."""
    due = {} if payload.due is None else {"due": payload.due}
    p.update("ncr", payload.ncr, owner=payload.owner, **due)


def close_ncr(p: Projection, event: Event, payload: NcrClosed) -> None:
    """Close a non-conformance."""
    p.update("ncr", payload.ncr, closed_at=event.effective_at, disposition=payload.disposition)


def disposition_ncr(p: Projection, event: Event, payload: NcrDispositioned) -> None:  # noqa: ARG001  every handler takes the three
    """Note what is to be done about a non-conformance. From version 6 of the rules on, use-as-is accepts what failed under it.

    One that rests on a waiver does not: who decided it may accept no more than what was waived.
    """
    accepts = p.rules >= FAULTS_AND_INVITATIONS and payload.disposition == USE_AS_IS and payload.waiver is None
    p.update(
        "ncr",
        payload.ncr,
        decided=payload.disposition,
        accepts=accepts,
        owner=payload.owner,
        due=payload.due,
    )


HANDLERS: Handlers = {
    NcrAssigned: assign_ncr,
    NcrClosed: close_ncr,
    NcrDispositioned: disposition_ncr,
}
