"""Who was invited to see an activity done, and who came."""

from __future__ import annotations

from collections.abc import Iterable

from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection
from ledger.tables import Attendance, Invitation


def _invited(p: Projection, event: Event, payload: say.WitnessInvited) -> None:
    p.keep(
        Invitation,
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


def _noted(p: Projection, event: Event, payload: say.WitnessNoted) -> None:
    row = p.activity(event.subject)
    p.session.merge(
        Attendance(
            activity=row.id,
            attempt=row.attempt,
            role=payload.role,
            witness=payload.person,
            note=payload.note,
            person=event.actor,
            at=event.effective_at,
        )
    )
    p.session.flush()


def in_words(witnesses: Iterable[say.Witnessed]) -> str:
    """Say who witnessed what was signed, and who was invited and did not attend."""
    all_ = list(witnesses)
    came = [f"{w.person} ({w.role})" for w in all_ if w.person is not None]
    missed = [w.role for w in all_ if w.person is None]
    said = [f"witnessed by {', '.join(came)}"] if came else []
    said += [f"invited as witness, did not attend: {', '.join(missed)}"] if missed else []
    return "; ".join(said)


HANDLERS: dict[str, Handler] = {say.WitnessInvited.kind: _invited, say.WitnessNoted.kind: _noted}
