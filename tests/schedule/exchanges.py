"""Schedules for tests of files: a small one with all that a form may lack, and those of a site."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from ledger.evidence.plans import read_plan
from ledger.reading import open_snapshot
from schedule.cpm.columns import Tie
from schedule.exchange.model import (
    ALL_DAY,
    Assignment,
    Branch,
    DayCalendar,
    Exchange,
    ExchangeLink,
    ExchangeResource,
    ExchangeTask,
)
from steps.planning.exchange.of_plan import Foreseen, exchange_of_plan
from steps.planning.record.forecast import Actual, solve_forecast

DAY = ((480, 720), (780, 1020))
NIGHT = ((0, 360), (1320, 1440))


def small() -> Exchange:
    """Return a schedule with all that a form may lack: calendars of lags, two links between two tasks, names that are too long."""
    days = DayCalendar("days", (DAY,) * 5 + ((), ()), {date(2027, 1, 6): (), date(2027, 1, 9): ((480, 720),)})
    nights = DayCalendar("nights", (NIGHT,) * 5 + (((0, 360),), ()), {date(2027, 1, 6): ((0, 360),)})
    around = DayCalendar("around the clock", (ALL_DAY,) * 7)
    at = datetime(2027, 1, 4, 8)  # noqa: DTZ001 - files have no offsets
    task = ExchangeTask(id="A", title="Raise <racks> & bolt", calendar=0, minutes=960, branch=1, start=at)
    monday, friday = at, datetime(2027, 1, 8, 17)  # noqa: DTZ001 - as above
    tasks = [
        replace(task, finish=friday, baseline_start=monday, baseline_finish=friday, actual_start=monday, remaining=400),
        replace(task, id="B", title="Pull cables at night", calendar=1, minutes=777, finish=friday, no_earlier=friday),
        replace(task, id="C", title="Burn in", calendar=2, minutes=4320, finish=friday, no_later=friday),
        replace(task, id="D" * 60, title="In service", minutes=0, branch=0, start=friday, finish=friday),
    ]
    links = [
        ExchangeLink(0, 1, Tie.SS, 120, 0),
        ExchangeLink(0, 1, Tie.FF, 61, 0),
        ExchangeLink(0, 2, Tie.FS, 600, 2),
        ExchangeLink(1, 2, Tie.FS, 0, 1),
        ExchangeLink(1, 3, Tie.SF, 30, 1),
        ExchangeLink(2, 3, Tie.FF, 0, 2),
    ]
    crew = ExchangeResource("rigger", "Riggers", 3)
    branches = [Branch("power", "Power"), Branch("power.hall-1", "Hall 1", 0)]
    assignments = [Assignment(0, 0, 2), Assignment(1, 0, 1)]
    return Exchange("small", at, at, [days, nights, around], branches, tasks, links, [crew], assignments, "first")


def in_force(site: Path) -> Exchange:
    """Return the schedule of the plan in force, before anything has happened."""
    with open_snapshot(site) as snapshot:
        return exchange_of_plan(read_plan(snapshot)).schedule


def in_progress(site: Path, *, with_done: bool = True) -> Exchange:
    """Return the schedule of a site three weeks into the work: one activity done, two running, a delivery promised later.

    What is done took longer than planned, so that the forecast gives others longer too, unless it is left out.
    """
    with open_snapshot(site) as snapshot:
        plan = read_plan(snapshot)
    first = sorted((one for one in plan.activities if one.dates), key=lambda one: one.dates.early_start)  # type: ignore[union-attr]  # none without dates is left
    began, now = datetime(2026, 11, 23, 8, tzinfo=UTC), datetime(2026, 12, 14, 10, tzinfo=UTC)
    long = next(one for one in first[2:] if one.duration.m > 24 and one.role != first[0].role)
    placed, tranche = plan.orders[0].id, plan.orders[0].tranches[0].id
    happened = {
        first[0].id: Actual(began, datetime(2026, 12, 2, 15, 30, tzinfo=UTC)),
        first[1].id: Actual(began, None, share=0.25),
        long.id: Actual(datetime(2026, 12, 11, 9, tzinfo=UTC), None),
        placed: Actual(now, now, out_of_sequence=True),
        tranche: Actual(now, datetime(2027, 9, 1, tzinfo=UTC), out_of_sequence=True),
    }
    if not with_done:
        del happened[first[0].id]
    forecast = Foreseen(solve_forecast(plan, happened, now), happened)
    return exchange_of_plan(plan, forecast=forecast, baseline=plan).schedule


def as_compared(found: Exchange, *, has_calendars: bool = True) -> tuple[object, ...]:
    """Return what must survive a file and back, in one order. Calendars of links are those of the form."""
    names = [task.id for task in found.tasks]
    tasks = [
        (
            task.id,
            task.title,
            task.minutes,
            found.calendars[task.calendar].name if has_calendars else "",
            (task.start, task.finish, task.no_earlier, task.no_later),
            (task.actual_start, task.actual_finish, task.left),
        )
        for task in found.tasks
    ]
    links = [(names[link.before], names[link.after], link.type, link.lag) for link in found.links]
    calendars = {one.name: (one.week, dict(one.exceptions)) for one in found.calendars} if has_calendars else {}
    return sorted(tasks), sorted(links), calendars
