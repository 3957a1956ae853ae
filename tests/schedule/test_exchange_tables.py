"""The schedule as CSV, XLSX and iCalendar: what a spreadsheet and a calendar find in them."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from ledger.questions.orders import orders
from ledger.reading import open_snapshot
from schedule.exchange.model import Appointment, Exchange
from schedule.exchange.table import COLUMNS
from schedule.exchange.writing import Form, write_exchange
from tests.commands import called
from tests.schedule.exchanges import in_force, in_progress, small
from tests.schedule.spreadsheets import NO_SPREADSHEET, converted


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV below its columns."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    header = next(number for number, row in enumerate(rows) if row[0] == "id")
    return [dict(zip(rows[header], row, strict=True)) for row in rows[header + 1 :]]


def test_a_csv_has_a_row_for_each_task_with_progress_baseline_and_links(adopted: Path, tmp_path: Path) -> None:
    found = in_progress(adopted)
    path = tmp_path / "plan.csv"

    write_exchange(found, path, Form.CSV)

    rows = {row["id"]: row for row in rows_of(path)}
    assert list(rows) == [task.id for task in found.tasks]
    for task in found.tasks:
        row = rows[task.id]
        assert row["actual start"] == ("" if task.actual_start is None else f"{task.actual_start:%Y-%m-%d %H:%M}")
        assert row["baseline finish"] == (
            "" if task.baseline_finish is None else f"{task.baseline_finish:%Y-%m-%d %H:%M}"
        )
        assert round(float(row["duration h"]) * 60) == task.minutes
    links = sum(len([part for part in row["predecessors"].split(", ") if part]) for row in rows.values())
    assert links == len(found.links)


def test_links_have_their_type_and_lag(tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"

    notices = write_exchange(small(), path, Form.CSV)

    rows = {row["id"]: row for row in rows_of(path)}
    assert rows["B"]["predecessors"] == "ASS+2h, AFF+1.016667h"
    assert rows["C"]["predecessors"] == "AFS+10eh, B"
    assert rows["A"]["resources"] == "rigger:2"
    assert notices == ()


def test_a_title_that_looks_like_a_formula_stays_text(tmp_path: Path) -> None:
    """Nothing that a person typed is worked out by the spreadsheet of another."""
    found = small()
    found = replace(found, tasks=[replace(found.tasks[0], title="=1+1"), *found.tasks[1:]])
    write_exchange(found, tmp_path / "plan.csv", Form.CSV)
    write_exchange(found, tmp_path / "plan.xlsx", Form.XLSX)

    assert rows_of(tmp_path / "plan.csv")[0]["title"] == "'=1+1"
    cell = load_workbook(tmp_path / "plan.xlsx")["Schedule"]["B2"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")


def test_dates_of_a_workbook_are_dates_and_cells_to_fill_in_are_validated(adopted: Path, tmp_path: Path) -> None:
    found = in_progress(adopted)
    path = tmp_path / "plan.xlsx"

    write_exchange(found, path, Form.XLSX)

    book = load_workbook(path)
    sheet = book["Schedule"]
    column = {name: number for number, name in enumerate(COLUMNS, start=1)}
    for row, task in enumerate(found.tasks, start=2):
        assert sheet.cell(row, column["finish"]).value == task.finish
        assert sheet.cell(row, column["baseline start"]).value == task.baseline_start
        assert sheet.cell(row, column["percent"]).value == task.percent
    ruled = {str(area): rule.type for rule in sheet.data_validations.dataValidation for area in rule.sqref.ranges}
    actual = get_column_letter(column["actual start"])
    assert ruled[f"{actual}2:{actual}{len(found.tasks) + 501}"] == "date"
    assert (book["Project"]["B1"].value, book["Project"]["B3"].value) == (found.start, found.zone)


@pytest.mark.skipif(bool(NO_SPREADSHEET), reason=NO_SPREADSHEET or "installed")
def test_libreoffice_opens_the_workbook_with_its_dates_and_validations(adopted: Path, tmp_path: Path) -> None:
    """It is opened, saved as another workbook and as CSV: rows, dates and validations are the same."""
    found = in_force(adopted)
    path = tmp_path / "plan.xlsx"
    write_exchange(found, path, Form.XLSX)

    saved = load_workbook(converted(path, "xlsx:Calc MS Excel 2007 XML", tmp_path / "again"))["Schedule"]
    text = converted(path, "csv", tmp_path / "again").read_text(encoding="utf-8")

    finish = COLUMNS.index("finish") + 1
    assert [saved.cell(row, finish).value for row in range(2, saved.max_row + 1)] == [one.finish for one in found.tasks]
    assert len(saved.data_validations.dataValidation) >= 3
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["id"] for row in rows] == [task.id for task in found.tasks]
    assert datetime.fromisoformat(rows[0]["start"]) == found.tasks[0].start


def calendar_of(found: Exchange, path: Path) -> list[dict[str, object]]:
    """Return the events of a calendar file by their fields, as another program reads it."""
    write_exchange(found, path, Form.ICS)
    calendar = Calendar.from_ical(path.read_bytes())
    assert not isinstance(calendar, list)
    assert not calendar.errors
    events = []
    for event in calendar.walk("VEVENT"):
        assert not event.errors
        events.append({name.lower(): getattr(value, "dt", value) for name, value in event.items()})
    return events


def test_a_calendar_has_order_by_dates_milestones_and_inspections(adopted: Path, tmp_path: Path) -> None:
    """Each has an id of its own and what iCalendar requires; an order that was placed has no date to order by."""
    found = in_force(adopted)
    events = calendar_of(found, tmp_path / "plan.ics")

    assert len({str(event["uid"]) for event in events}) == len(events) == len(found.appointments)
    assert all(isinstance(event["dtstamp"], datetime) for event in events)
    kinds = [one.kind for one in found.appointments]
    assert {*kinds} == {"order by", "milestone", "inspection"}
    assert kinds.count("order by") == sum("#" in one.id and "/" not in one.id for one in found.tasks)
    last = max(task.finish for task in found.tasks if task.id.startswith("195@") and task.finish)
    closing = next(event for event in events if str(event["uid"]).startswith("milestone.195@"))
    assert closing["dtstart"] == last.date()
    later = in_progress(adopted).appointments
    ordered = next(task.id for task in in_progress(adopted).tasks if "#" in task.id and task.actual_finish)
    assert ordered not in {one.id for one in later if one.kind == "order by"}


def test_an_order_that_is_late_says_by_when_it_was_to_be_placed(adopted: Path) -> None:
    """Its day is the first on which it can be placed; `orders` has the other one, and nobody is to take the two for one."""
    with open_snapshot(adopted) as snapshot:
        by = {row.id: row.order_by for row in orders(snapshot)}
    found = [one for one in in_force(adopted).appointments if one.kind == "order by"]

    late = [one for one in found if not one.title.startswith("Order by: ")]

    assert late
    for one in found:
        at = by[one.id]
        assert at is not None
        assert one.start.date() == at.date() or (one in late and f"order by {at:%Y-%m-%d}, before" in one.note)
    assert any(
        one.note == "32 servers from server-maker" or "32 servers from server-maker;" in one.note for one in found
    )


def test_times_of_inspections_are_in_utc(tmp_path: Path) -> None:
    """Nine o'clock in Berlin in July is seven in UTC. Text that means something in iCalendar is text."""
    nine, ten = datetime(2027, 7, 5, 9), datetime(2027, 7, 5, 10)  # noqa: DTZ001 - local
    inspection = Appointment(id="H01", kind="inspection", title="Look; see, \\ sign\nhere", start=nine, finish=ten)
    order = Appointment(id="001", kind="order by", title="Servers", start=ten)
    found = replace(small(), zone="Europe/Berlin", appointments=[inspection, order])

    first, second = calendar_of(found, tmp_path / "plan.ics")

    assert first["dtstart"] == datetime(2027, 7, 5, 7, tzinfo=UTC)
    assert first["dtend"] == ten.replace(tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC)
    assert str(first["summary"]).startswith("Look; see, \\ sign")
    assert second["dtstart"] == date(2027, 7, 5)
    assert all(len(line) <= 75 for line in (tmp_path / "plan.ics").read_bytes().split(b"\r\n"))


@pytest.mark.parametrize("name", ["plan.csv", "plan.xlsx", "plan.ics"])
def test_the_command_writes_it_by_its_ending(name: str, adopted: Path, tmp_path: Path) -> None:
    done = called(["export", "schedule", tmp_path / name, "--site", adopted])

    assert done.returncode == 0, done.stderr
    assert f"as {name[5:]}" in done.stderr
    assert (tmp_path / name).stat().st_size > 10_000
