"""Decisions by people: approvals, rejections, waivers, broken glass; witnesses; non-conformances."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ledger.log.payloads.base import Decided
from ledger.log.payloads.ncr import NcrClosed, NcrDispositioned
from ledger.log.payloads.sign_off import (
    Overridden,
    Rejected,
    Signed,
    Waived,
    Witnessed,
    WitnessInvited,
    WitnessNoted,
)
from ledger.rules.activity import State
from ledger.state.projection import Handler, Projection, stored

if TYPE_CHECKING:
    from ledger.log.chain import Event

_ATTENDED = """
INSERT INTO attendance (activity, attempt, role, witness, note, person, at)
VALUES (:activity, :attempt, :role, :witness, :note, :person, :at)
ON CONFLICT (activity, attempt, role) DO UPDATE SET witness = :witness, note = :note, person = :person, at = :at"""


def sign(p: Projection, event: Event, payload: Signed) -> None:
    """Keep an approval, and the state that it leads to. The dates of what was done stay; only the doubt is gone."""
    row, at = p.activity(event.subject), event.effective_at
    p.add(
        "sign_off",
        seq=event.seq,
        activity=row.id,
        attempt=row.attempt,
        person=event.actor,
        role=payload.role,
        decision="approved",
        meaning=payload.meaning,
        comment=payload.comment,
        assurance=payload.assurance,
        at=at,
        witnessed=_in_words(payload.witnesses),
    )
    if payload.begins:
        p.change(row, started_at=at, finished_at=at)
    if row.state is not State.DONE:
        p.reach(row, payload.result, event)
        return
    if payload.result == "done":
        p.change(row, stale_since=None)
        p.approve_for_its_time(row, event)
    p.touch(row.id)


def reject(p: Projection, event: Event, payload: Rejected) -> None:
    """Keep a rejection: a non-conformance opens, and the next attempt begins."""
    row = p.activity(event.subject)
    p.add(
        "sign_off",
        seq=event.seq,
        activity=row.id,
        attempt=row.attempt,
        person=event.actor,
        role=payload.role,
        decision="rejected",
        meaning="rejection",
        comment=payload.reason,
        assurance="recorded",
        at=event.effective_at,
        witnessed="",
    )
    p.open_ncr(
        event,
        row.id,
        ncr=payload.ncr,
        ncr_class=payload.ncr_class,
        reason=payload.reason,
    )
    p.next_attempt(row, State(payload.result))
    p.change(row, last_note=payload.reason)
    p.touch(row.id)


def waive(p: Projection, event: Event, payload: Waived) -> None:
    """Keep that a criterion is left unmet by decision."""
    row = p.activity(event.subject)
    p.add(
        "waiver",
        id=payload.waiver,
        activity=row.id,
        attempt=row.attempt,
        metric=payload.metric,
        reason=payload.reason,
        due=payload.due,
        person=event.actor,
        role=payload.role,
        at=event.effective_at,
    )
    p.change(row, waived=True)
    if payload.result != row.state:
        p.reach(row, payload.result, event)


def override(p: Projection, event: Event, payload: Overridden) -> None:
    """Keep that an activity passed against its policy."""
    row = p.activity(event.subject)
    p.add(
        "override",
        seq=event.seq,
        activity=row.id,
        attempt=row.attempt,
        person=event.actor,
        role=payload.role,
        reason=payload.reason,
        lacking=payload.lacking,
        at=event.effective_at,
    )
    p.reach(row, payload.result, event, overridden=True, last_note=payload.reason)


def invite(p: Projection, event: Event, payload: WitnessInvited) -> None:
    """Keep that witnesses were invited."""
    p.add(
        "invitation",
        seq=event.seq,
        activity=event.subject,
        attempt=p.activity(event.subject).attempt,
        roles=payload.roles,
        on=payload.on,
        earliest=payload.earliest,
        agreed=payload.agreed,
        person=event.actor,
        at=event.effective_at,
    )


def attend(p: Projection, event: Event, payload: WitnessNoted) -> None:
    """Keep who came in a role, or that nobody did."""
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


def close_ncr(p: Projection, event: Event, payload: NcrClosed) -> None:
    """Close a non-conformance."""
    p.update("ncr", payload.ncr, closed_at=event.effective_at, disposition=payload.disposition)


def disposition_ncr(p: Projection, event: Event, payload: NcrDispositioned) -> None:  # noqa: ARG001  the handlers' shape
    """Keep what is to be done about a non-conformance."""
    p.update(
        "ncr",
        payload.ncr,
        decided=payload.disposition,
        owner=payload.owner,
        due=payload.due,
    )


def _in_words(witnesses: Sequence[Witnessed]) -> str:
    """Return who witnessed what was signed, and who was invited and did not attend."""
    came = [f"{w.person} ({w.role})" for w in witnesses if w.person is not None]
    missed = [w.role for w in witnesses if w.person is None]
    parts = [f"witnessed by {', '.join(came)}"] if came else []
    parts += [f"invited as witness, did not attend: {', '.join(missed)}"] if missed else []
    return "; ".join(parts)


def note_statement(p: Projection, event: Event, payload: Decided) -> None:
    """Keep the nonce of what was signed, so that it is never used again."""
    if payload.statement is None:
        return
    said = json.loads(payload.statement)["predicate"]
    p.add(
        "statement",
        seq=event.seq,
        nonce=said["nonce"],
        subject=event.subject,
        person=event.actor,
        decision=said["decision"],
    )


HANDLERS: dict[str, tuple[Handler, ...]] = {
    Signed.kind: (sign,),
    Rejected.kind: (reject,),
    Waived.kind: (waive,),
    Overridden.kind: (override,),
    WitnessInvited.kind: (invite,),
    WitnessNoted.kind: (attend,),
    NcrClosed.kind: (close_ncr,),
    NcrDispositioned.kind: (disposition_ncr,),
}
