"""Non-conformances: what is done about each, who may say so, and what an open one holds back.

An activity with an open class A does not become done, and neither does a gate or hold point that it stands before
(`ledger.class_a`); go-live waits for every open A of the site.
B and C may stay open with an owner and a day.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import select, text
from sqlmodel import col

from ledger.checklist import latest_checks
from ledger.class_a import OPEN_A
from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import NcrClosed, NcrDispositioned
from ledger.services.permitting import may
from ledger.tables import Activity, ItemCheck, Measurement, Ncr, Waiver
from ledger.transitions import State
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError

REWORK, REPAIR, USE_AS_IS, RETURN = "rework", "repair", "use-as-is", "return"
DISPOSITIONS = (REWORK, REPAIR, USE_AS_IS, RETURN)


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
        role = may(writing, actor, _asked(disposition, waiver), ncr, row=row)
        payload = NcrDispositioned(
            ncr=ncr, disposition=disposition, owner=owner, due=due, reason=reason, waiver=waiver, role=role
        )
        return writing.append(actor, payload, subject=row.id, at=at)


def close_ncr(ledger: Ledger, actor: str, ncr: str, disposition: str = "", *, at: datetime | None = None) -> Event:
    """Close a non-conformance, with what was decided unless another word is given; class A wants the decision first."""
    with ledger.write() as writing:
        held = _held(writing, ncr)
        row = writing.activity(held.activity)
        role = may(writing, actor, "close_ncr", ncr, row=row)
        said = disposition.strip() or held.decided
        if not said:
            raise InputError("a disposition says what was decided", hint=", ".join(DISPOSITIONS))
        if held.ncr_class == "A" and not held.decided:
            raise NotSatisfiedError(
                f"{ncr} is class A: its disposition is decided first",
                hint=f"clusterwright ncr disposition {ncr} rework",
            )
        _refuse_failing(writing, row, held)
        payload = NcrClosed(ncr=ncr, disposition=said, role=role)
        return writing.append(actor, payload, subject=held.activity, at=at)


def refuse_open_a(writing: Writing, row: Activity) -> None:
    """Refuse to let an activity pass while a class A that holds it back is open."""
    found = open_a(writing, row)
    if found:
        named = ", ".join(ncr if where == row.id else f"{ncr} of {where}" for ncr, where in found)
        raise NotSatisfiedError(
            f"{row.id} cannot pass: class A non-conformances are open: {named}",
            hint=f"clusterwright ncr show {found[0][0]}",
        )


def unless_open_a(writing: Writing, row: Activity, result: State) -> State:
    """Give the result, or a sign-off to wait for where an open class A keeps it from being done."""
    return State.AWAITING_SIGN_OFF if result is State.DONE and open_a(writing, row) else result


def open_a(writing: Writing, row: Activity) -> list[tuple[str, str]]:
    """Give the open class A that hold an activity back, each with where it was found."""
    return [(ncr, where) for ncr, where, _ in writing.session.execute(text(OPEN_A), {"id": row.id})]


def ncrs_of_items(writing: Writing, row: Activity) -> dict[str, str]:
    """Give the open non-conformance of each item of a checklist that has one, failed in this attempt."""
    found = writing.session.execute(
        select(col(ItemCheck.item), col(ItemCheck.ncr))
        .join(Ncr, col(Ncr.id) == col(ItemCheck.ncr))
        .where(
            col(ItemCheck.activity) == row.id,
            col(ItemCheck.attempt) == row.attempt,
            col(Ncr.closed_at).is_(None),
        )
        .order_by(col(ItemCheck.seq))
    )
    return {item: str(ncr) for item, ncr in found}


def ncrs_of_readings(writing: Writing, row: Activity) -> dict[tuple[str, str], str]:
    """Give the open non-conformance of each metric and item whose reading failed in this attempt."""
    found = writing.session.execute(
        select(col(Measurement.metric), col(Measurement.item), col(Measurement.ncr))
        .join(Ncr, col(Ncr.id) == col(Measurement.ncr))
        .where(
            col(Measurement.activity) == row.id,
            col(Measurement.attempt) == row.attempt,
            col(Ncr.closed_at).is_(None),
        )
        .order_by(col(Measurement.seq))
    )
    return {(metric, item): str(ncr) for metric, item, ncr in found}


def _refuse_failing(writing: Writing, row: Activity, held: Ncr) -> None:
    """Refuse to close what an item still fails by, unless it was decided to use it as it is."""
    checks = latest_checks(writing.session, row)
    failing = [item for item, check in checks.items() if check.failing and check.ncr == held.id]
    if failing and held.decided != USE_AS_IS:
        raise NotSatisfiedError(
            f"{held.id} cannot be closed: {', '.join(failing[:5])} still {'fails' if len(failing) == 1 else 'fail'}",
            hint=f"`clusterwright check {row.id} {failing[0]}` when it is made good, or decide on use-as-is",
        )


def _held(writing: Writing, ncr: str) -> Ncr:
    held = writing.session.get(Ncr, ncr)
    if held is None:
        raise InputError(f"there is no non-conformance {ncr!r}", hint="clusterwright ncr list")
    if held.closed_at is not None:
        raise NotSatisfiedError(f"{ncr} is closed: {held.disposition}")
    return held


def _asked(disposition: str, waiver: str | None) -> str:
    """Give the row of the access table that a disposition asks: to use something as it is wants more than to make it good."""
    if disposition != USE_AS_IS:
        return "disposition_ncr"
    return "use_as_is" if waiver is None else "use_as_is_waived"


def _waiver(writing: Writing, row: Activity) -> str | None:
    """Give a waiver of this attempt, on which use-as-is may rest."""
    of = select(col(Waiver.id)).where(col(Waiver.activity) == row.id, col(Waiver.attempt) == row.attempt)
    return writing.session.execute(of.order_by(col(Waiver.id)).limit(1)).scalar()
