"""A contractor's page: their work, their dates, what it waits for, and what they have to deliver and to hand in.

It has no money, no odds, no commitment and no date of others: these are the owner's. tests/clusterwright/test_contractor_page.py
lists the figures that it may have.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from clusterwright.look_ahead import in_the_way, look_ahead
from clusterwright.order_columns import state_cell
from clusterwright.output import day
from clusterwright.reports.asked import Asked
from clusterwright.reports.charts import own_chart
from clusterwright.reports.page import Band, Photos, Sheet, Table, Tile, counted_table, fitted, side_by_side
from clusterwright.reports.photos import photos
from clusterwright.reports.tables import done_table, due, quality_table, where
from clusterwright.week_report import own_words
from ledger.questions.lateness import finish_of, start_of
from ledger.questions.orders import orders
from ledger.rules.activity import OVER, Activity, State
from ledger.rules.permission import is_same
from ledger.rules.rows import OrderRow
from steps.amount import counted

MOST_PHOTOS = 5
MOST_ROWS = 40
MOST_BARS = 14


def contractor_page(asked: Asked) -> Sheet:
    """Return the page of one contractor's work."""
    return fitted(contractor_sheet(asked), most=MOST_ROWS)


def contractor_sheet(asked: Asked) -> Sheet:
    """Return what is on the page, with all rows."""
    ahead = look_ahead(asked.rows, asked.kept, asked.snapshot.now)
    who = asked.organisation or ""
    owed = [
        row
        for row in orders(asked.snapshot, organisation=who)
        if row.placed_at and is_same(row.supplier_name, who) and any(one.to_come > 0 for one in row.tranches)
    ]
    bands = [side_by_side(_work_table(asked, ahead))]
    if owed:
        bands.insert(0, side_by_side(_orders_table(asked, owed)))
    if chart := own_chart(asked, "Your work", MOST_BARS):
        bands.append(side_by_side(chart))
    bands += [
        side_by_side(_waits_table(asked)),
        side_by_side(_sheets_table(ahead), quality_table(asked)),
        side_by_side(done_table(asked)),
    ]
    if small := photos(asked.snapshot, asked.since, MOST_PHOTOS, asked.ids):
        bands.append(Band((Photos(f"Your photos of this {asked.span}", small),), (1.0,)))
    return Sheet(
        title=f"{asked.title}: {asked.organisation}",
        subtitle=asked.as_of,
        lines=own_words(asked.rows, asked.zone) if asked.rows or not owed else (),
        tiles=tuple(_tiles(asked, ahead, owed)),
        bands=tuple(bands),
        foot="Marked !: its day has passed. Dates are those that the site works to.",
    )


def _tiles(asked: Asked, ahead: list[Activity], owed: list[OrderRow]) -> Iterator[Tile]:
    if owed:
        yield Tile("Orders to deliver", f"{len(owed):,}", f"{sum(row.late for row in owed):,} late")
    if not asked.rows and owed:  # a supplier who does nothing here
        return
    live = [row for row in asked.rows if row.state not in OVER]
    past = sum(row.past_planned_finish for row in live)
    yield Tile("Open", f"{len(live):,}", f"of {len(asked.rows):,} activities")
    yield Tile("To do in three weeks", f"{len(ahead):,}", "begun, or to start")
    yield Tile("Past their planned finish", f"{past:,}", "activities")
    yield Tile("Wait for sign-off", f"{sum(row.state is State.AWAITING_SIGN_OFF for row in live):,}", "finished")


def _work_table(asked: Asked, ahead: list[Activity]) -> Table:
    found = asked.kept

    def cells(row: Activity) -> tuple[str, ...]:
        dates, expected = row.plan.dates, finish_of(found, row.id, row.state)
        finish: datetime | None = dates.early_finish if dates else None
        start = asked.day(start_of(found, row))
        return row.id, row.plan.title, row.state.words, start, due(asked, finish), asked.day(expected)

    headers = ("activity", "what", "state", "start", "planned finish", "expected finish")
    return counted_table("Your next three weeks", headers, (14, 38, 14, 11, 12, 11), list(map(cells, ahead)))


def _orders_table(asked: Asked, owed: list[OrderRow]) -> Table:
    """Return what they have yet to deliver, what is late first: without its value, which is the owner's."""
    owed.sort(key=lambda row: -row.days_late)
    rows = [
        (
            row.id,
            row.title,
            counted(sum((one.to_come for one in row.tranches), Decimal(0)), row.unit_of_measure),
            state_cell(row),
            day(row.promised_last, asked.zone),
            due(asked, row.need_by),
        )
        for row in owed
    ]
    headers = ("order", "what", "to come", "state", "promised", "needed here")
    return counted_table("Your deliveries", headers, (24, 26, 12, 16, 11, 11), rows)


def _waits_table(asked: Asked) -> Table:
    """Return what their work waits for and who has it: without its dates, which are others'."""
    rows = [
        (one.id, one.title, one.state, asked.names.get(one.who, one.who), one.holds_words, due(asked, one.needed))
        for one in in_the_way(asked.snapshot, asked.rows, asked.kept)
    ]
    headers = ("constraint", "what", "state", "who has it", "what waits", "your start")
    return counted_table("Constraints: what your work waits for", headers, (16, 32, 12, 15, 14, 11), rows)


def _sheets_table(ahead: list[Activity]) -> Table:
    """Return what is to be handed in with the work before it can be signed off. The same step at several units is one row."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for row in ahead:
        if row.plan.policy.evidence:
            found.setdefault((row.plan.title, tuple(row.plan.policy.evidence)), []).append(row.id)
    rows = [(title, where(names), ", ".join(kinds)) for (title, kinds), names in found.items()]
    return counted_table("Sheets and photos to hand in", ("with", "where", "what"), (38, 20, 42), rows)
