"""Taking over what was done before Clusterwright: checked as a whole, recorded as one event.

Rows name activities, orders or deliveries. The order of the network holds for them too: what is done needs
its predecessors done, in the ledger or in the same file, and not later. Every fault is named by its line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import BeforeRow, ProgressAdopted
from ledger.refresh import times_of
from ledger.services.permitting import may
from ledger.tables import Activity, Link, OrderLine, Tranche
from ledger.transitions import Action, is_open_to
from ledger.values import ProgressRow
from ledger.writing import Writing
from steps.errors import InputError

SHOWN = 25
"""How many faults a refusal lists."""

__all__ = ["ProgressRow", "adopt_progress"]


def adopt_progress(
    ledger: Ledger,
    actor: str,
    rows: Sequence[ProgressRow],
    *,
    dry_run: bool = False,
    at: datetime | None = None,
) -> Event | None:
    """Record what was done before; a dry run asks every rule and gives None."""
    with ledger.write() as writing:
        may(writing, actor, "adopt_progress", "progress")
        first = {row.activity: row for row in reversed(rows)}
        faults = [fault for row in rows for fault in _faults(writing, row, first, at)]
        if not rows:
            faults.append("there are no rows")
        if faults:
            more = f"\n  and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
            raise InputError(f"{len(faults)} faults; nothing recorded:\n  " + "\n  ".join(faults[:SHOWN]) + more)
        if dry_run:
            return None
        payload = ProgressAdopted(rows=tuple(_said(row) for row in rows))
        return writing.append(actor, payload, subject="progress", at=at)


def _said(row: ProgressRow) -> BeforeRow:
    return BeforeRow(
        subject=row.activity,
        state=row.state,
        started=row.started,
        finished=row.finished,
        by=row.by,
        note=row.note,
    )


def _faults(writing: Writing, row: ProgressRow, first: Mapping[str, ProgressRow], at: datetime | None) -> list[str]:
    faults = [*_shape(row, writing.when(at)), *_subject(writing, row, first, at)]
    if not faults:
        faults = _order(writing, row, first)
    return [f"line {row.line}: {fault}" for fault in faults]


def _shape(row: ProgressRow, now: datetime) -> list[str]:
    found = []
    if row.state not in {"done", "in_progress"}:
        found.append(f"the state is done or in_progress, not {row.state!r}")
    if row.state == "done" and row.finished is None:
        found.append(f"{row.activity} is done, so `finished` needs a date")
    if row.started and row.finished and row.finished < row.started:
        found.append(f"{row.activity} finished before it started")
    if any(t is not None and t > now for t in (row.started, row.finished)):
        found.append(f"{row.activity} lies in the future; this is for what was done before")
    return found


def _subject(writing: Writing, row: ProgressRow, first: Mapping[str, ProgressRow], at: datetime | None) -> list[str]:
    name = row.activity
    if first[name] is not row:
        return [f"{name} is there twice"]
    if "#" in name:
        return _supply(writing, row)
    held = writing.session.get(Activity, name)
    if held is None:
        return [f"there is no activity {name!r}"]
    state = writing.seen(held, writing.when(at))
    if not is_open_to(state, Action.ADOPT):
        return [f"{name} is {state.words} in the ledger already"]
    return []


def _supply(writing: Writing, row: ProgressRow) -> list[str]:
    name = row.activity
    if row.state != "done":
        return [f"{name} is an order or a delivery: done or not there"]
    if "/" in name.partition("#")[2]:
        tranche = writing.session.get(Tranche, name)
        if tranche is None:
            return [f"there is no delivery {name!r}"]
        return [f"{name} is received already"] if tranche.received_at else []
    order = writing.session.get(OrderLine, name)
    if order is None:
        return [f"there is no order {name!r}"]
    return [f"{name} is placed already"] if order.placed_at else []


def _order(writing: Writing, row: ProgressRow, before: Mapping[str, ProgressRow]) -> list[str]:
    """Give faults against the network's order, without lags: dates from before are days, not hours."""
    begins = row.started or row.finished
    faults = []
    for link in writing.session.scalars(
        select(Link).where(col(Link.after) == row.activity).order_by(col(Link.id))
    ).all():
        if link.side == "finish" and row.state != "done":
            continue
        needed = begins if link.side == "start" else row.finished
        over = _over(writing, link, before)
        if over is None:
            faults.append(f"{row.activity} waits for {link.before} ({link.reason}); add a row for it")
        elif needed is not None and over.date() > needed.date():
            faults.append(
                f"{row.activity} on {needed:%Y-%m-%d} comes before {link.before} on {over:%Y-%m-%d} ({link.reason})"
            )
    return faults


def _over(writing: Writing, link: Link, before: Mapping[str, ProgressRow]) -> datetime | None:
    row = before.get(link.before)
    if row is not None and link.type[0] == "S":
        return row.started or row.finished
    if row is not None and row.state == "done":
        return row.finished
    times = times_of(writing.session, link.before)
    return times.started if link.type[0] == "S" else times.finished
