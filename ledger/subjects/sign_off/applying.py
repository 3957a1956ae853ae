"""Decisions of people: approvals, rejections, waivers and overrides. Witnesses of an activity."""

from __future__ import annotations

import json

from ledger.log.chain import Event
from ledger.log.payload import Decided
from ledger.rules.activity import State
from ledger.rules.version import FAULTS_AND_INVITATIONS
from ledger.state.projection import Handlers, Projection
from ledger.subjects.sign_off.payloads import Overridden, Rejected, Waived, WaiverMoved, WitnessInvited, WitnessNoted

_FORGET = "DELETE FROM attendance WHERE activity = :activity AND attempt = :attempt AND role = coalesce(:role, role)"


def reject(p: Projection, event: Event, payload: Rejected) -> None:
    """Add a rejection, open a non-conformance, and begin the next attempt."""
    row = p.activity(event.subject)
    p.record(
        "sign_off",
        event,
        payload,
        decision="rejected",
        meaning="rejection",
        comment=payload.reason,
        assurance="recorded",
    )
    p.open_ncr(event, row.id, payload, payload.reason)
    p.next_attempt(row, State(payload.result))
    p.change(row, last_note=payload.reason)
    p.touch(row.id)


def waive(p: Projection, event: Event, payload: Waived) -> None:
    """Add a waiver, and put the activity into the state to which it leads."""
    row = p.activity(event.subject)
    p.record("waiver", event, payload, id=payload.waiver)
    p.change(row, waived=True)
    if payload.result != row.state:
        p.reach(row, payload.result, event)


def move_waiver(p: Projection, event: Event, payload: WaiverMoved) -> None:  # noqa: ARG001  every handler takes the three
    """Set another day for a waiver."""
    p.update("waiver", payload.waiver, due=payload.due)


def override(p: Projection, event: Event, payload: Overridden) -> None:
    """Note that an activity was passed against its policy."""
    row = p.activity(event.subject)
    p.record("override", event, payload)
    p.reach(row, payload.result, event, overridden=True, last_note=payload.reason)


def invite(p: Projection, event: Event, payload: WitnessInvited) -> None:
    """Add an invitation. From version 6 of the rules on who came to an earlier date does not count for this one."""
    p.record("invitation", event, payload)
    if p.rules >= FAULTS_AND_INVITATIONS:
        row = p.activity(event.subject)
        p.run(_FORGET, activity=row.id, attempt=row.attempt, role=None)


def attend(p: Projection, event: Event, payload: WitnessNoted) -> None:
    """Note who came in a role, or that nobody came."""
    attempt = p.activity(event.subject).attempt
    p.run(_FORGET, activity=event.subject, attempt=attempt, role=payload.role)
    p.record("attendance", event, payload, witness=payload.person, person=event.actor)


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
