"""Sheets to fill in, made from the record: of work, items, readings and deliveries. No money is in them, and no odds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from clusterwright.sheets.columns import COLUMNS, AboutSheet, Cell, FieldSheet, Part, SheetTable, item_columns
from ledger.questions.activities import activities
from ledger.questions.cabling import cable_ends
from ledger.questions.case import case_of
from ledger.questions.checks import planned_items, standing_entries
from ledger.questions.orders import orders
from ledger.questions.site import head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import WORK_OVER, Activity
from ledger.rules.judgement import bound_words
from ledger.rules.rows import OrderRow, TrancheRow
from schedule.errors import InputError
from steps.catalog.terms import PEOPLES_WORK
from steps.planning.activity import PlanCriterion
from steps.stamps import minute

MOST = 100_000
"""The most lines of a sheet: nobody fills in more, and spreadsheets become slow."""


def sheet_of(
    snapshot: Snapshot, parts: Collection[Part], among: Collection[str] | None, organisation: str | None
) -> FieldSheet:
    """Return the sheet of what is open of some activities and deliveries, or with None of all. Raise if nothing is."""
    site = site_of(snapshot)
    zone = site.time_zone
    made_at = minute(snapshot.now, zone)
    about = AboutSheet(site.name, site.uuid, site.revision, head(snapshot).seq, made_at, zone, organisation or "")
    rows = [
        row
        for row in activities(snapshot, organisation=organisation)
        if row.plan.kind in PEOPLES_WORK and row.state not in WORK_OVER and (among is None or row.id in among)
    ]
    bought = orders(snapshot, organisation=organisation) if Part.DELIVERIES in parts else []
    made = {
        Part.WORK: lambda: SheetTable(Part.WORK, COLUMNS[Part.WORK], [_work_row(row, zone) for row in rows]),
        Part.ITEMS: lambda: _items(snapshot, rows),
        Part.READINGS: lambda: _readings(snapshot, rows),
        Part.DELIVERIES: lambda: _deliveries(bought, among),
    }
    tables = [table for part in Part if part in parts and (table := made[part]()).rows]
    lines = sum(len(table.rows) for table in tables)
    if not lines:
        whose = f" of {organisation}" if organisation else ""
        raise InputError(
            f"nothing{whose} is open in {' and '.join(parts)}",
            hint="`clusterwright list` and `clusterwright orders` have what there is",
        )
    if lines > MOST:
        raise InputError(f"the sheet would have {lines:,} lines", hint=f"name fewer activities: {MOST:,} is the most")
    return FieldSheet(about, tables)


def _work_row(row: Activity, zone: str) -> Sequence[Cell]:
    plan, dates = row.plan, row.plan.dates
    planned = (_local(dates.early_start, zone), _local(dates.early_finish, zone)) if dates else ("", "")
    items = f"{plan.items} {plan.items_of or 'items'}" if plan.items else ""
    to_read = (row.id, row.id, plan.title, *planned, items, _state(row, zone))
    return (*to_read, "", "", "", "" if plan.items else None, "", "")


def _state(row: Activity, zone: str) -> str:
    since = f" since {minute(row.started_at, zone)}" if row.started_at else ""
    done = ""
    if row.plan.items and row.items_done:
        done = f", {row.items_done} of {row.plan.items}"
    elif row.percent:
        done = f", {row.percent:g} %"
    return f"{row.state.words}{since}{done}"


def _items(snapshot: Snapshot, rows: Iterable[Activity]) -> SheetTable:
    """Return the items that did not pass yet, for activities whose plan names them."""
    read: dict[str, dict[str, str]] = {}
    lines: list[tuple[Activity, str, str, str]] = []
    for row in rows:
        names = planned_items(snapshot, row)
        if not names:
            continue
        read[row.id] = {c.metric: f"{c.metric} [{c.unit}]" for c in row.plan.criteria if c.each is not None}
        checked = standing_entries(snapshot, row)
        ends = cable_ends(snapshot, row.plan.unit, names)
        for name in names:
            entry = checked.get(name)
            if entry is None or entry.failing:
                state = "open" if entry is None else f"failed, {entry.ncr}"
                lines.append((row, name, ends[name].where if name in ends else "", state))
    metrics = list(dict.fromkeys(column for found in read.values() for column in found.values()))
    return SheetTable(Part.ITEMS, item_columns(metrics), [_item_row(*line, metrics, read) for line in lines])


def _item_row(
    row: Activity, name: str, where: str, state: str, metrics: Sequence[str], read: dict[str, dict[str, str]]
) -> Sequence[Cell]:
    own = read[row.id].values()
    asked = ("" if metric in own else None for metric in metrics)
    return (f"{row.id} {name}", row.id, row.plan.title, name, where, state, "", *asked, "", "", "")


def _readings(snapshot: Snapshot, rows: Iterable[Activity]) -> SheetTable:
    """Return the criteria that a person reads once for an activity, and that are not met yet."""
    lines = [
        (f"{row.id} {c.metric}", row.id, row.plan.title, c.metric, bound_words(c), c.unit, "", "", "")
        for row in rows
        for c in _unread(snapshot, row)
    ]
    return SheetTable(Part.READINGS, COLUMNS[Part.READINGS], lines)


def _unread(snapshot: Snapshot, row: Activity) -> Iterator[PlanCriterion]:
    for judged in case_of(snapshot, row.id, "").judgements:
        if judged.criterion.each is None and judged.is_open:
            yield judged.criterion


def _deliveries(bought: Iterable[OrderRow], among: Collection[str] | None) -> SheetTable:
    """Return what is still to come of orders that were placed: a line a piece where pieces have serial numbers, else a line a delivery."""
    rows: list[Sequence[Cell]] = []
    for order in bought:
        for one in order.tranches if order.placed_at else ():
            if one.to_come > 0 and (among is None or one.id in among or order.id in among):
                rows += _delivery_rows(order, one)
    return SheetTable(Part.DELIVERIES, COLUMNS[Part.DELIVERIES], rows)


def _delivery_rows(order: OrderRow, one: TrancheRow) -> Iterator[Sequence[Cell]]:
    promised = one.promised.isoformat() if one.promised else ""
    left = one.to_come
    what = (one.id, order.title, _plain(left), order.unit_of_measure, promised)
    if not order.serialised:
        yield (one.id, *what, "", None, "", "")
        return
    for piece in range(1, int(left) + 1):
        yield (f"{one.id} {piece}", *what, None, "", "", "")


def _plain(quantity: Decimal) -> Cell:
    return int(quantity) if quantity == quantity.to_integral_value() else float(quantity)


def _local(at: datetime, zone: str) -> datetime:
    """Return an instant as the site's clocks show it, to the minute, as spreadsheets have times."""
    return at.astimezone(ZoneInfo(zone)).replace(tzinfo=None, second=0, microsecond=0)
