"""Non-conformances: what is done about each, who may say so, and what an open one holds back.

An activity with an open class A does not become done, and go-live waits for every open A of the site.
B and C may stay open with an owner and a day.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import NcrClosed, NcrDispositioned
from ledger.services.policy import PROCEED_ROLES, refuse_performer
from ledger.tables import Activity, Ncr, Waiver
from ledger.transitions import State
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError

REWORK, REPAIR, USE_AS_IS, RETURN = "rework", "repair", "use-as-is", "return"
DISPOSITIONS = (REWORK, REPAIR, USE_AS_IS, RETURN)
GO_LIVE = "195"
"""The step that no open class A lets pass, wherever it was found."""


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
    """Decide what is done about a non-conformance; use-as-is wants a waiver, or a role that may give one."""
    if disposition not in DISPOSITIONS:
        raise InputError(f"{disposition!r} is no disposition", hint="one of " + ", ".join(DISPOSITIONS))
    if due is not None and not owner:
        raise InputError("a day needs an owner", hint="give --owner PERSON")
    if disposition == USE_AS_IS and not reason.strip():
        raise InputError("use-as-is needs a reason", hint="give --reason")
    with ledger.write() as writing:
        row = writing.activity(_held(writing, ncr).activity)
        if owner:
            writing.person(owner)
        waiver = _waiver(writing, row) if disposition == USE_AS_IS else None
        may = (*row.roles, *PROCEED_ROLES)
        if disposition != USE_AS_IS or waiver is not None:
            may = (*may, row.role)
        role = writing.holds(actor, tuple(dict.fromkeys(may)), f"decide on {ncr}")
        if disposition == USE_AS_IS:
            refuse_performer(row, actor, "accept")
        payload = NcrDispositioned(
            ncr=ncr, disposition=disposition, owner=owner, due=due, reason=reason, waiver=waiver, role=role
        )
        return writing.append(actor, payload, subject=row.id, at=at)


def close_ncr(ledger: Ledger, actor: str, ncr: str, disposition: str = "", *, at: datetime | None = None) -> Event:
    """Close a non-conformance, with what was decided unless another word is given; class A wants the decision first."""
    with ledger.write() as writing:
        held = _held(writing, ncr)
        said = disposition.strip() or held.decided
        if not said:
            raise InputError("a disposition says what was decided", hint=", ".join(DISPOSITIONS))
        if held.ncr_class == "A" and not held.decided:
            raise NotSatisfiedError(
                f"{ncr} is class A: its disposition is decided first",
                hint=f"clusterwright ncr disposition {ncr} rework",
            )
        row = writing.activity(held.activity)
        may = tuple(dict.fromkeys((*row.roles, *PROCEED_ROLES)))
        role = writing.holds(actor, may, f"close {ncr}")
        refuse_performer(row, actor, f"close {ncr} of")
        payload = NcrClosed(ncr=ncr, disposition=said, role=role)
        return writing.append(actor, payload, subject=held.activity, at=at)


def refuse_open_a(writing: Writing, row: Activity) -> None:
    """Refuse to let an activity pass while a class A that holds it back is open."""
    found = open_a(writing, row)
    if found:
        raise NotSatisfiedError(
            f"{row.id} cannot pass: class A non-conformances are open: {', '.join(found)}",
            hint=f"clusterwright ncr show {found[0]}",
        )


def unless_open_a(writing: Writing, row: Activity, result: State) -> State:
    """Give the result, or a sign-off to wait for where an open class A keeps it from being done."""
    return State.AWAITING_SIGN_OFF if result is State.DONE and open_a(writing, row) else result


def open_a(writing: Writing, row: Activity) -> list[str]:
    """Give the open class A that hold an activity back: its own, and for go-live all of the site."""
    held = select(col(Ncr.id)).where(col(Ncr.ncr_class) == "A", col(Ncr.closed_at).is_(None))
    if row.step != GO_LIVE:
        held = held.where(col(Ncr.activity) == row.id)
    return list(writing.session.scalars(held.order_by(col(Ncr.id))).all())


def _held(writing: Writing, ncr: str) -> Ncr:
    held = writing.session.get(Ncr, ncr)
    if held is None:
        raise InputError(f"there is no non-conformance {ncr!r}", hint="clusterwright ncr list")
    if held.closed_at is not None:
        raise NotSatisfiedError(f"{ncr} is closed: {held.disposition}")
    return held


def _waiver(writing: Writing, row: Activity) -> str | None:
    """Give a waiver of this attempt, on which use-as-is may rest."""
    of = select(col(Waiver.id)).where(col(Waiver.activity) == row.id, col(Waiver.attempt) == row.attempt)
    return writing.session.execute(of.order_by(col(Waiver.id)).limit(1)).scalar()
