"""The list of units, and of each unit its activities with their bars: every activity is reached from here without a script."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from clusterwright.reports.page import counted_table
from clusterwright.reports.portal.leaf import Bar, Bars, Leaf
from clusterwright.reports.portal.portal import UNITS, Portal, state_cell
from clusterwright.week_report import DONE
from ledger.questions.site import UnitRow
from ledger.rules.activity import NOT_BEGUN, Activity, State

HEADERS = ("activity", "what", "state", "start", "finish")
LEAST = 0.4
"""Percent: the least width of a bar, so that it can be seen."""


def units_leaf(portal: Portal) -> Leaf:
    """Return the list of units."""
    rows = []
    for unit, own in portal.by_unit():
        applies = [row for row in own if row.state is not State.NOT_APPLICABLE]
        done = sum(row.state in DONE for row in applies)
        begun = sum(row.state not in NOT_BEGUN for row in applies) - done
        past = sum(row.past_planned_finish for row in applies)
        share = f"{100 * done / len(applies):.0f} %" if applies else ""
        finishes = [at for row in applies if (at := portal.finish(row))]
        last = portal.day(max(finishes, default=None))
        rows.append((unit.id, unit.title, f"{len(applies):,}", f"{done:,}", share, f"{begun:,}", f"{past:,}", last))
    headers = ("unit", "", "activities", "finished", "", "at work", "past planned finish", "last finish")
    table = counted_table("Units", headers, (), rows, right=(2, 3, 4, 5, 6))
    lines = ("Each unit has a page with its activities and their bars, each activity one of its own.",)
    return Leaf(UNITS, "Work", lines=lines, bands=((table,),))


def unit_leaves(portal: Portal) -> Iterator[Leaf]:
    """Yield the page of each unit."""
    ends = [(start, portal.finish(row)) for row in portal.asked.rows if (start := portal.start(row))]
    first = min((start for start, _ in ends), default=portal.snapshot.now)
    last = max((finish for _, finish in ends if finish), default=first)
    scale = _Scale(portal, min(first, portal.snapshot.now), max(last, portal.snapshot.now))
    for unit, own in portal.by_unit():
        yield _unit_leaf(portal, unit, own, scale)


class _Scale:
    """The time that all lists of a portal show, so that their bars can be compared."""

    def __init__(self, portal: Portal, first: datetime, last: datetime) -> None:
        self._first, self._long = first, max((last - first).total_seconds(), 1.0)
        self.span = f"{portal.day(first)} – {portal.day(last)}"
        self.today = self.at(portal.snapshot.now)

    def at(self, moment: datetime) -> float:
        """Return the place of a moment, in percent."""
        return round(100 * (moment - self._first).total_seconds() / self._long, 1)


def _unit_leaf(portal: Portal, unit: UnitRow, own: list[Activity], scale: _Scale) -> Leaf:
    phases: dict[str, list[Activity]] = {}
    for row in own:
        phases.setdefault(row.plan.phase, []).append(row)
    bands = []
    for phase, rows in phases.items():
        bars = tuple(_bar(portal, row, scale) for row in rows)
        title = f"{phase.replace('_', ' ').capitalize()} ({len(rows):,})"
        bands.append((Bars(title, HEADERS, scale.span, scale.today, bars),))
    title = f"{unit.id} {unit.title}" if unit.title != unit.id else unit.id
    return Leaf(
        portal.paths[unit.id],
        title,
        bands=tuple(bands),
        foot="The vertical line is the data date. Finish is as it was, as expected, or else as planned.",
    )


def _bar(portal: Portal, row: Activity, scale: _Scale) -> Bar:
    start, finish = portal.start(row), portal.finish(row)
    late = " !" if row.past_planned_finish else ""
    cells = (row.id, row.plan.title, state_cell(row), portal.day(start), f"{portal.day(finish)}{late}")
    if start is None or finish is None:
        return Bar(cells, 0.0, 0.0, "")
    left = scale.at(start)
    return Bar(cells, left, max(LEAST, scale.at(finish) - left), _look(portal, row))


def _look(portal: Portal, row: Activity) -> str:
    if row.state in DONE:
        return "over"
    return "critical" if portal.is_owners and row.is_critical else "open"
