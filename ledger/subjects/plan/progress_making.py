"""The payload of progress from before Clusterwright. Its rows are checked together.

Rows name activities, orders or deliveries. They must agree with the network: what is done needs predecessors that were done
no later, in the ledger or in the same file. A refusal names the line of every fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from ledger.entries import ProgressRow
from ledger.log.chain import Event
from ledger.questions.case import activity
from ledger.questions.links import predecessors
from ledger.questions.moment import Moment
from ledger.questions.orders import order, tranche
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Action, is_open_to
from ledger.rules.readiness import NEVER, Times, activity_times, side_of
from ledger.rules.rows import LinkRow
from ledger.rules.sequence import why_never
from ledger.rules.subjects import is_delivery
from ledger.subjects.again import Tables, refuse_other_subject, subject_of
from ledger.subjects.plan.payloads import BeforeRow, ProgressAdopted
from schedule.errors import InputError
from steps.amount import first_of
from steps.catalog.terms import Kind
from steps.stamps import local_day

SHOWN = 25
"""How many faults a refusal lists."""

InFile = Mapping[str, ProgressRow]
"""By what it is about: the first row of the file."""


def progress_adopted(moment: Moment, actor: str, rows: Sequence[ProgressRow]) -> ProgressAdopted:
    """Return work that was done before Clusterwright."""
    moment.may(actor, "import_progress", "progress")
    first = {row.activity: row for row in reversed(rows)}
    faults = [f"line {row.line}: {fault}" for row in rows for fault in _faults(moment.snapshot, row, first)]
    if not rows:
        faults.append("there are no rows")
    if faults:
        shown = first_of(faults, SHOWN, "\n  ")
        raise InputError(f"{len(faults)} faults; nothing recorded:\n  {shown}")
    return ProgressAdopted(rows=tuple(map(_part, rows)))


def _part(row: ProgressRow) -> BeforeRow:
    return BeforeRow(
        subject=row.activity,
        state=row.state,
        started=row.started,
        finished=row.finished,
        by=row.by,
        note=row.note,
        out_of_sequence=row.out_of_sequence,
    )


def _faults(asked: Snapshot, row: ProgressRow, first: InFile) -> list[str]:
    faults = [*_of_shape(row, asked.now), *_of_subject(asked, row, first)]
    return faults or list(_out_of_order(asked, row, first))


def _out_of_order(asked: Snapshot, row: ProgressRow, first: InFile) -> Iterator[str]:
    """Yield disagreements with the network, unless the row says why it is out of sequence and may be so."""
    faults = list(_of_order(asked, row, first))
    if not row.out_of_sequence:
        yield from faults
        return
    never = _why_never(asked, row)
    if never:
        yield f"{row.activity} cannot be out of sequence: {never}"
    elif not faults:
        yield f"nothing before {row.activity} is open; leave its `out_of_sequence` empty"


def _why_never(asked: Snapshot, row: ProgressRow) -> str:
    if is_delivery(row.activity):
        return "a delivery follows its order"
    found = activity(asked, row.activity)
    if found is None:
        return ""
    is_hard = found.plan.kind is Kind.GATE or found.plan.policy.hold_point
    if is_hard and row.state == "done":
        what = f"clusterwright finish {row.activity} --out-of-sequence WHY records what happened"
        return f"nobody may pass a gate or a hold point then; {what}"
    return why_never(found)


def _of_shape(row: ProgressRow, now: datetime) -> Iterator[str]:
    if row.state not in {"done", "in_progress"}:
        yield f"the state is done or in_progress, not {row.state!r}"
    if row.state == "done" and row.finished is None:
        yield f"{row.activity} is done, so `finished` needs a date"
    if row.started and row.finished and row.finished < row.started:
        yield f"{row.activity} finished before it started"
    if any(t is not None and t > now for t in (row.started, row.finished)):
        yield f"{row.activity} is in the future; this is for what was done before"


def _of_subject(asked: Snapshot, row: ProgressRow, first: InFile) -> Iterator[str]:
    name = row.activity
    if first[name] is not row:
        yield f"{name} is there twice"
    elif "#" in name:
        yield from _of_supply(asked, row)
    elif (found := activity(asked, name)) is None:
        yield f"there is no activity {name!r}"
    elif not is_open_to(found.state, Action.IMPORT):
        yield f"{name} is {found.state.words} in the ledger already"


def _of_supply(asked: Snapshot, row: ProgressRow) -> Iterator[str]:
    name = row.activity
    if row.state != "done":
        yield f"{name} is an order or a delivery: done or not there"
    elif is_delivery(name):
        delivery = tranche(asked, name)
        if delivery is None:
            yield f"there is no delivery {name!r}"
        elif delivery.received_at:
            yield f"{name} is received already"
    else:
        ordered = order(asked, name)
        if ordered is None:
            yield f"there is no order {name!r}"
        elif ordered.placed_at:
            yield f"{name} is placed already"


def _of_order(asked: Snapshot, row: ProgressRow, before: InFile) -> Iterator[str]:
    """Yield disagreements with the network. Lags do not count, because these dates are whole days."""
    begins, zone = row.started or row.finished, site_of(asked).time_zone
    for link in predecessors(asked, row.activity):
        side = side_of(link.type)
        if side == "finish" and row.state != "done":
            continue
        needed = begins if side == "start" else row.finished
        over = _over(asked, link, before)
        if over is None:
            yield f"{row.activity} waits for {link.before} ({link.reason}); add a row for it, or say why in its `out_of_sequence`"
        elif needed is not None and local_day(over, zone) > local_day(needed, zone):
            later = f"comes before {link.before} on {local_day(over, zone)} ({link.reason})"
            yield f"{row.activity} on {local_day(needed, zone)} {later}"


def _over(asked: Snapshot, link: LinkRow, before: InFile) -> datetime | None:
    row, from_start = before.get(link.before), link.type[0] == "S"
    if row is not None and row.out_of_sequence:
        return None
    if row is not None and from_start:
        return row.started or row.finished
    if row is not None and row.state == "done":
        return row.finished
    times = _times(asked, link.before)
    return times.started if from_start else times.finished


def _times(asked: Snapshot, name: str) -> Times:
    """Return when a node started and finished, as its successors count it."""
    if "#" not in name:
        found = activity(asked, name)
        return NEVER if found is None else activity_times(found)
    if is_delivery(name):
        delivery = tranche(asked, name)
        return NEVER if delivery is None else Times(delivery.received_at, delivery.received_at)
    ordered = order(asked, name)
    return NEVER if ordered is None else Times(ordered.placed_at, ordered.placed_at)


def _adopted_again(moment: Moment, event: Event, p: ProgressAdopted) -> ProgressAdopted:
    rows = []
    for line, row in enumerate(p.rows, start=1):
        when = (row.started, row.finished)
        what = (line, row.subject, row.state)
        rows.append(ProgressRow(*what, *when, row.by, row.note, row.out_of_sequence))
    refuse_other_subject(event, subject_of(p))
    return progress_adopted(moment, event.actor, rows)


AGAIN: Tables = {ProgressAdopted: _adopted_again}
