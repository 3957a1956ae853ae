"""Decisions of people: approvals, rejections, waivers and overrides. Witnesses, and dispositions of non-conformances."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ledger.log.payloads.base import Decided
from ledger.log.payloads.ncr import NcrAssigned, NcrClosed, NcrDispositioned
from ledger.log.payloads.sign_off import (
    Overridden,
    Rejected,
    Signed,
    Waived,
    WaiverMoved,
    Witnessed,
    WitnessInvited,
    WitnessNoted,
)
from ledger.rules.activity import Activity, State
from ledger.state.projection import Handlers, Projection, stored
from steps.stamps import moment

if TYPE_CHECKING:
    from datetime import datetime

    from ledger.log.chain import Event

_LAST_APPROVAL = """
SELECT max(at) FROM sign_off WHERE activity = :activity AND attempt = :attempt AND decision = 'approved'"""
_ATTENDED = """
INSERT INTO attendance (activity, attempt, role, witness, note, person, at)
VALUES (:activity, :attempt, :role, :witness, :note, :person, :at)
ON CONFLICT (activity, attempt, role) DO UPDATE SET witness = :witness, note = :note, person = :person, at = :at"""


def sign(p: Projection, event: Event, payload: Signed) -> None:
    """Add an approval, and put the activity into the state to which it leads.

    An activity that was done already keeps its dates. It is no longer stale once enough people have signed.
    """
    row, at = p.activity(event.subject), event.effective_at
    p.record(
        "sign_off",
        event,
        row.id,
        seq=event.seq,
        role=payload.role,
        decision="approved",
        meaning=payload.meaning,
        comment=payload.comment,
        assurance=payload.assurance,
        witnessed=_in_words(payload.witnesses),
    )
    if payload.begins:
        p.change(row, started_at=at, finished_at=at)
    if row.state is not State.DONE:
        p.reach(row, payload.result, event)
        if payload.result == "done":
            p.change(row, done_at=_completed_at(p, row, at))
        return
    if payload.result == "done":
        p.change(row, stale_since=None)
        p.approve_for_its_time(row, event)
    p.touch(row.id)


def _completed_at(p: Projection, row: Activity, at: datetime) -> datetime:
    """Return when the last of an attempt's approvals was given. It may have been recorded before others."""
    found = p.ask(_LAST_APPROVAL, activity=row.id, attempt=row.attempt)
    return max(at, *(moment(last) for (last,) in found))


def reject(p: Projection, event: Event, payload: Rejected) -> None:
    """Add a rejection, open a non-conformance, and begin the next attempt."""
    row = p.activity(event.subject)
    p.record(
        "sign_off",
        event,
        row.id,
        seq=event.seq,
        role=payload.role,
        decision="rejected",
        meaning="rejection",
        comment=payload.reason,
        assurance="recorded",
        witnessed="",
    )
    p.open_ncr(event, row.id, payload, payload.reason)
    p.next_attempt(row, State(payload.result))
    p.change(row, last_note=payload.reason)
    p.touch(row.id)


def waive(p: Projection, event: Event, payload: Waived) -> None:
    """Add a waiver, and put the activity into the state to which it leads."""
    row = p.activity(event.subject)
    p.record(
        "waiver",
        event,
        row.id,
        id=payload.waiver,
        metric=payload.metric,
        reason=payload.reason,
        due=payload.due,
        role=payload.role,
    )
    p.change(row, waived=True)
    if payload.result != row.state:
        p.reach(row, payload.result, event)


def move_waiver(p: Projection, event: Event, payload: WaiverMoved) -> None:  # noqa: ARG001  every handler takes the three
    """Set another day for a waiver."""
    p.update("waiver", payload.waiver, due=payload.due)


def override(p: Projection, event: Event, payload: Overridden) -> None:
    """Note that an activity was passed against its policy."""
    row = p.activity(event.subject)
    p.record(
        "override",
        event,
        row.id,
        seq=event.seq,
        role=payload.role,
        reason=payload.reason,
        lacking=payload.lacking,
    )
    p.reach(row, payload.result, event, overridden=True, last_note=payload.reason)


def invite(p: Projection, event: Event, payload: WitnessInvited) -> None:
    """Add an invitation of witnesses."""
    p.record(
        "invitation",
        event,
        event.subject,
        seq=event.seq,
        roles=payload.roles,
        on=payload.on,
        earliest=payload.earliest,
        agreed=payload.agreed,
    )


def attend(p: Projection, event: Event, payload: WitnessNoted) -> None:
    """Note who came in a role, or that nobody came."""
    p.run(
        _ATTENDED,
        activity=event.subject,
        attempt=p.activity(event.subject).attempt,
        role=payload.role,
        witness=payload.person,
        note=payload.note,
        person=event.actor,
        at=stored(event.effective_at),
    )


def assign_ncr(p: Projection, event: Event, payload: NcrAssigned) -> None:  # noqa: ARG001  every handler takes the three
    """Note who makes a non-conformance good, and by when."""
    due = {} if payload.due is None else {"due": payload.due}
    p.update("ncr", payload.ncr, owner=payload.owner, **due)


def close_ncr(p: Projection, event: Event, payload: NcrClosed) -> None:
    """Close a non-conformance."""
    p.update("ncr", payload.ncr, closed_at=event.effective_at, disposition=payload.disposition)


def disposition_ncr(p: Projection, event: Event, payload: NcrDispositioned) -> None:  # noqa: ARG001  every handler takes the three
    """Note what is to be done about a non-conformance."""
    p.update(
        "ncr",
        payload.ncr,
        decided=payload.disposition,
        owner=payload.owner,
        due=payload.due,
    )


def _in_words(witnesses: Sequence[Witnessed]) -> str:
    """Return in words who witnessed the activity, and which roles were invited and did not attend."""
    came = [f"{w.person} ({w.role})" for w in witnesses if w.person is not None]
    missed = [w.role for w in witnesses if w.person is None]
    parts = [f"witnessed by {', '.join(came)}"] if came else []
    parts += [f"invited as witness, did not attend: {', '.join(missed)}"] if missed else []
    return "; ".join(parts)


def note_statement(p: Projection, event: Event, payload: Decided) -> None:
    """Note a signed statement and its nonce, so that the statement cannot be recorded twice."""
    if payload.statement is None:
        return
    predicate = json.loads(payload.statement)["predicate"]
    p.add(
        "statement",
        seq=event.seq,
        nonce=predicate["nonce"],
        subject=event.subject,
        person=event.actor,
        decision=predicate["decision"],
    )


HANDLERS: Handlers = {
    Signed: sign,
    Rejected: reject,
    Waived: waive,
    WaiverMoved: move_waiver,
    Overridden: override,
    WitnessInvited: invite,
    WitnessNoted: attend,
    NcrAssigned: assign_ncr,
    NcrClosed: close_ncr,
    NcrDispositioned: disposition_ncr,
}
