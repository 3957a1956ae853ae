"""Decisions of people: approvals, rejections, waivers and overrides. Witnesses of an activity."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ledger.log.payload import Decided
from ledger.rules.activity import State
from ledger.state.projection import Handlers, Projection, stored
from ledger.subjects.sign_off.payloads import Overridden, Rejected, Waived, WaiverMoved, WitnessInvited, WitnessNoted

if TYPE_CHECKING:
    from ledger.log.chain import Event

_ATTENDED = """
INSERT INTO attendance (activity, attempt, role, witness, note, person, at)
VALUES (:activity, :attempt, :role, :witness, :note, :person, :at)
ON CONFLICT (activity, attempt, role) DO UPDATE SET witness = :witness, note = :note, person = :person, at = :at"""


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
    Rejected: reject,
    Waived: waive,
    WaiverMoved: move_waiver,
    Overridden: override,
    WitnessInvited: invite,
    WitnessNoted: attend,
}
