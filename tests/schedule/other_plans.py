"""A plan that people made in P6 before they knew ours: their ids, their titles, their order of things. MPXJ writes the file."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from schedule.cpm.columns import Tie
from schedule.exchange.model import Branch, DayCalendar, Exchange, ExchangeLink, ExchangeTask
from schedule.exchange.writing import Form, write_exchange
from tests.schedule.mpxj_files import write_by_mpxj

WRITERS = {
    Form.MSPDI: "mspdi.MSPDIWriter",
    Form.PMXML: "primavera.PrimaveraPMFileWriter",
    Form.XER: "primavera.PrimaveraXERFileWriter",
}
WORKDAY = ((480, 720), (780, 1020))
DAY = 480


def _at(month: int, day: int, hour: int = 8, year: int = 2026) -> datetime:
    return datetime(year, month, day, hour)  # noqa: DTZ001 - files have no offsets


def other_plan() -> Exchange:
    """Return the plan: eight activities, of which two are under way, two are one of ours, and two are none of ours."""
    days = DayCalendar("five days", (WORKDAY,) * 5 + ((), ()))
    branches = [Branch("D", "Design"), Branch("B", "Building"), Branch("B.1", "Pod 1", 1)]

    def task(name: str, title: str, days_long: float, start: datetime, finish: datetime, branch: int) -> ExchangeTask:
        length = round(days_long * DAY)
        return ExchangeTask(id=name, title=title, calendar=0, minutes=length, start=start, finish=finish, branch=branch)

    fabric = task("D1000", "Design the compute fabric", 5, _at(11, 23, 9), _at(11, 30, 17), 0)
    draw = task("D1010", "Work out what one server draws", 4, _at(11, 23, 10), _at(11, 27, 17), 0)
    tasks = [
        replace(fabric, actual_start=fabric.start, remaining=3 * DAY),
        replace(draw, actual_start=draw.start, remaining=2 * DAY),
        task("D1020", "Server draw at its worst", 6, _at(11, 30), _at(12, 7, 17), 0),
        task("B1000", "Mount PDUs in every rack", 10, _at(5, 3, year=2027), _at(5, 14, 17, 2027), 2),
        task("B1010", "Paint the floor of the data hall", 3, _at(5, 17, year=2027), _at(5, 19, 17, 2027), 2),
        task("B1020", "Label ends of every power cord", 2, _at(5, 20, year=2027), _at(5, 21, 17, 2027), 2),
        task("B1030", "Order GPU servers", 0, _at(12, 14), _at(12, 14), 1),
        task("M1", "Steering committee", 0, _at(12, 1), _at(12, 1), 1),
    ]
    links = [ExchangeLink(row, row + 1, Tie.FS, 0, 0) for row in (3, 4)]
    return Exchange("Old plan", _at(11, 24), _at(11, 25), [days], branches, tasks, links)


def written_by_mpxj(found: Exchange, folder: Path, form: Form) -> Path:
    """Return the file that MPXJ's own writer makes of a plan."""
    source, target = folder / f"source.{form}", folder / f"theirs.{form}"
    write_exchange(found, source, form)
    write_by_mpxj(source, target, WRITERS[form], rounds=1)
    return target
