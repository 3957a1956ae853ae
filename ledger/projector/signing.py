"""Decisions by people: sign-offs, rejections, waivers, attestations, releases, duplicates."""

from __future__ import annotations

from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection, next_attempt
from ledger.projector.finishing import hold_for_its_time, reach
from ledger.projector.witnesses import in_words
from ledger.refresh import refresh
from ledger.tables import Attestation, Delegation, Ncr, Override, Release, SignOff, Waiver


def _signed(p: Projection, event: Event, payload: say.Signed) -> None:
    row = p.activity(event.subject)
    p.keep(
        SignOff,
        seq=event.seq,
        activity=row.id,
        attempt=row.attempt,
        person=event.actor,
        role=payload.role,
        decision="approved",
        meaning=payload.meaning,
        comment=payload.comment,
        assurance=payload.assurance,
        at=event.effective_at,
        witnessed=in_words(payload.witnesses),
    )
    if payload.begins:
        row.started_at = row.finished_at = event.effective_at
    if row.state == "done":
        # a stale activity signed again: its dates stand, only the doubt is gone
        if payload.result == "done":
            row.stale_since = None
            hold_for_its_time(row, event)
        refresh(p.unflushed, [row.id])
        return
    reach(p, row, payload.result, event)


def _rejected(p: Projection, event: Event, payload: say.Rejected) -> None:
    row = p.activity(event.subject)
    p.keep(
        SignOff,
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
    open_ncr(p, event, ncr=payload.ncr, ncr_class=payload.ncr_class, reason=payload.reason)
    next_attempt(row, payload.result)
    row.last_note = payload.reason
    refresh(p.unflushed, [row.id])


def open_ncr(p: Projection, event: Event, *, ncr: str, ncr_class: str, reason: str) -> None:
    """Open a non-conformance against the activity's present attempt."""
    row = p.activity(event.subject)
    p.session.add(
        Ncr(
            id=ncr,
            activity=row.id,
            attempt=row.attempt,
            ncr_class=ncr_class,
            reason=reason,
            opened_by=event.actor,
            opened_at=event.effective_at,
        )
    )


def _waived(p: Projection, event: Event, payload: say.Waived) -> None:
    row = p.activity(event.subject)
    p.keep(
        Waiver,
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
    row.waived = True
    if payload.result != row.state:
        reach(p, row, payload.result, event)


def _attested(p: Projection, event: Event, payload: say.Attested) -> None:
    row = p.activity(event.subject)
    p.keep(
        Attestation,
        seq=event.seq,
        activity=row.id,
        attempt=row.attempt,
        person=event.actor,
        reason=payload.reason,
        digests=payload.digests,
        at=event.effective_at,
    )
    row.attested = True
    row.performers = (event.actor,)
    row.started_at = row.started_at or event.effective_at
    row.finished_at = event.effective_at
    row.last_note = payload.reason
    reach(p, row, payload.result, event)


def _released(p: Projection, event: Event, payload: say.Released) -> None:
    p.session.add(
        Release(
            id=payload.release,
            activity=event.subject,
            attempt=payload.attempt,
            hosts=payload.hosts,
            count=payload.count,
            playbook_digest=payload.playbook_digest,
            person=event.actor,
            role=payload.role,
            at=event.effective_at,
        )
    )


def _delegated(p: Projection, event: Event, payload: say.Delegated) -> None:
    p.session.add(
        Delegation(
            id=payload.delegation,
            person=event.actor,
            to=payload.to,
            role=payload.role,
            since=payload.since,
            until=payload.until,
            reason=payload.reason,
        )
    )


def _withdrawn(p: Projection, event: Event, payload: say.Withdrawn) -> None:
    p.session.get_one(Delegation, payload.delegation).withdrawn_at = event.effective_at


def _overridden(p: Projection, event: Event, payload: say.Overridden) -> None:
    row = p.activity(event.subject)
    p.keep(
        Override,
        seq=event.seq,
        activity=row.id,
        attempt=row.attempt,
        person=event.actor,
        role=payload.role,
        reason=payload.reason,
        lacking=payload.lacking,
        at=event.effective_at,
    )
    row.last_note = payload.reason
    reach(p, row, payload.result, event)


def _duplicate(p: Projection, event: Event, payload: say.DuplicateSettled) -> None:
    row = p.activity(event.subject)
    row.last_note = "completed by " + ", ".join(payload.by)
    reach(p, row, "done", event)


def _ncr_closed(p: Projection, event: Event, payload: say.NcrClosed) -> None:
    ncr = p.session.get_one(Ncr, payload.ncr)
    ncr.closed_at = event.effective_at
    ncr.disposition = payload.disposition


def _ncr_dispositioned(p: Projection, event: Event, payload: say.NcrDispositioned) -> None:  # noqa: ARG001
    ncr = p.session.get_one(Ncr, payload.ncr)
    ncr.decided = payload.disposition
    ncr.owner = payload.owner
    ncr.due = payload.due


HANDLERS: dict[str, Handler] = {
    say.Signed.kind: _signed,
    say.Rejected.kind: _rejected,
    say.Waived.kind: _waived,
    say.Attested.kind: _attested,
    say.Released.kind: _released,
    say.DuplicateSettled.kind: _duplicate,
    say.NcrClosed.kind: _ncr_closed,
    say.NcrDispositioned.kind: _ncr_dispositioned,
    say.Delegated.kind: _delegated,
    say.Withdrawn.kind: _withdrawn,
    say.Overridden.kind: _overridden,
}
