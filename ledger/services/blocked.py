"""What an activity or order still waits for, said so that a person can act on it."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from sqlalchemy import Select, literal, or_, select
from sqlmodel import col

from ledger.lapsing import is_expired
from steps.stamps import stamp
from ledger.tables import Activity, Link, OrderLine, Tranche
from ledger.transitions import State
from ledger.writing import Writing
from steps.errors import NotSatisfiedError

NAMED = 20
"""How many predecessors a refusal names; the rest are counted."""


def refuse_blocked(writing: Writing, row: Activity, at: datetime | None) -> None:
    """Refuse to begin what is not ready, naming what it waits for."""
    if writing.seen(row, writing.when(at)) is State.BLOCKED:
        raise _refusal(writing, row.id, row.title, "start", "start", writing.when(at))


def refuse_unfinishable(writing: Writing, row: Activity, at: datetime) -> None:
    """Refuse to finish before what holds the finish back (FF and SF links)."""
    if row.finish_from is None or row.finish_from > at:
        raise _refusal(writing, row.id, row.title, "finish", "finish", at)


def refuse_order(writing: Writing, order: OrderLine, at: datetime) -> None:
    """Refuse to place an order before what it waits for."""
    if order.ready_from is None or order.ready_from > at or writing.lapsed(order.id, at):
        raise _refusal(writing, order.id, order.title, "start", "be placed", at)


def _refusal(writing: Writing, node: str, title: str, side: str, verb: str, at: datetime) -> NotSatisfiedError:
    links = writing.session.scalars(
        select(Link)
        .where(
            col(Link.after) == node,
            col(Link.side) == side,
            or_(
                col(Link.satisfied_at).is_(None), col(Link.satisfied_at) > at, col(Link.before).in_(_expired(at, side))
            ),
        )
        .order_by(col(Link.id))
    ).all()
    counts: Counter[str] = Counter()
    named: list[str] = []
    for link in links:
        state, what = _standing(writing, link, at)
        counts[state] += 1
        if len(named) < NAMED:
            named.append(f"{link.before} {what}: {state} ({link.reason})")
    tally = ", ".join(f"{state} {n}" for state, n in counts.most_common())
    rest = f"; and {len(links) - NAMED} more" if len(links) > NAMED else ""
    return NotSatisfiedError(
        f"{node} {title!r} cannot {verb} yet; it waits for {len(links)} ({tally}): " + "; ".join(named) + rest,
        hint=f"clusterwright why '{node}'",
    )


def _expired(at: datetime, side: str) -> Select[Any]:
    """Give the hold points whose approval is over; they hold back what has not started."""
    held = select(col(Activity.id)).where(col(Activity.hold_point), col(Activity.valid_until) <= at)
    return held.where(literal(side == "start"))


def _standing(writing: Writing, link: Link, at: datetime) -> tuple[str, str]:
    """Give how a predecessor stands, and its title."""
    name = link.before
    if "#" in name:
        return _supply_standing(writing, name)
    row = writing.session.get(Activity, name)
    if row is None:
        return "unknown", ""
    if row.hold_point and is_expired(row, at):
        return f"its approval ended {stamp(row.valid_until or at)[:10]}, to be signed again", row.title
    if link.satisfied_at is not None:
        return f"over, its lag ends {stamp(link.satisfied_at)[:16]}Z", row.title
    state = writing.seen(row, at)
    if state is State.DONE and row.stale_since is not None:
        return "stale, to be signed again", row.title
    if state in {State.BLOCKED, State.READY}:
        return "open", row.title
    return state.words, row.title


def _supply_standing(writing: Writing, name: str) -> tuple[str, str]:
    order, _, number = name.partition("#")
    held = writing.session.get(OrderLine, name.rpartition("/")[0] if "/" in number else name)
    title = held.title if held is not None else order
    if "/" not in number:
        return ("placed" if held is not None and held.placed_at else "not ordered"), title
    tranche = writing.session.get(Tranche, name)
    if tranche is not None and tranche.received_quantity > 0:
        return "partly received", title
    return "not received", title
