"""Reading schedules of other programs: as MPXJ reads them, and as we wrote them. What is wrong is named with its line."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import process_time
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook

from schedule.errors import ClusterwrightError, InputError
from schedule.exchange.comparing import DatesOf, What, difference
from schedule.exchange.model import Exchange, ExchangeTask
from schedule.exchange.reading import read_exchange
from schedule.exchange.recurring import Recurring, days_of
from schedule.exchange.writing import Form, write_exchange
from tests.schedule.exchanges import as_compared, in_progress, small
from tests.schedule.judges import judges
from tests.schedule.lost import lost
from tests.schedule.mpxj_files import read_by_mpxj

FORMS = [Form.MSPDI, Form.PMXML, Form.XER]
TABLES = [Form.CSV, Form.XLSX]
no_mpxj = next(judge.missing for judge in judges() if judge.name == "MPXJ Primavera")
FOREIGN = next(
    (
        one
        for parent in Path(__file__).resolve().parents
        if (one := parent / "shared" / "data" / "interchange").is_dir()
    ),
    Path("shared/data/interchange"),
)
"""Files that Microsoft Project and P6 wrote. They belong to MPXJ's tests (LGPL), so they are read where they are."""
FILES = sorted(path for path in FOREIGN.glob("*.*") if path.suffix in {".xml", ".pmxml", ".xer"})
needs_files = pytest.mark.skipif(
    bool(no_mpxj) or not FILES, reason=no_mpxj or f"no files of other programs at {FOREIGN}"
)


@needs_files
@pytest.mark.parametrize("path", FILES or [FOREIGN], ids=lambda path: path.name)
def test_files_of_other_programs_are_read_as_mpxj_reads_them(path: Path) -> None:
    """Tasks with their dates, progress, baseline, place and calendar; links; calendars day by day; assignments."""
    found = read_exchange(path).schedule
    read = read_by_mpxj(path)

    assert lost(found, read) == []
    counts = len(found.tasks), len(found.links), len(found.calendars)
    assert counts == (len(read.tasks), len(read.links), len(read.calendars))


@pytest.mark.parametrize("form", [*FORMS, *TABLES])
def test_what_was_written_is_read_again(form: Form, adopted: Path, tmp_path: Path) -> None:
    """Of a site three weeks into the work: no task, link, date or progress differs, and tasks between are links again."""
    found = in_progress(adopted)
    write_exchange(found, tmp_path / f"plan.{form}", form)

    read = read_exchange(tmp_path / f"plan.{form}").schedule

    has_calendars = form in FORMS
    assert as_compared(read, has_calendars=has_calendars) == as_compared(found, has_calendars=has_calendars)
    dated = [(task.id, task.baseline_start, task.baseline_finish) for task in found.tasks]
    assert [(task.id, task.baseline_start, task.baseline_finish) for task in sorted_as(read, found)] == dated
    assert read.data_date == found.data_date


def sorted_as(read: Exchange, found: Exchange) -> list[ExchangeTask]:
    """Return tasks in the order of another schedule."""
    by_id = {task.id: task for task in read.tasks}
    return [by_id[task.id] for task in found.tasks]


@pytest.mark.parametrize("form", FORMS)
def test_shifts_lags_and_long_names_are_read_again(form: Form, tmp_path: Path) -> None:
    """Night shifts, days off, lags on calendars of their own, a name of 60 characters. MSPDI has one of two constraints."""
    found = small()
    write_exchange(found, tmp_path / f"plan.{form}", form)

    assert as_compared(read_exchange(tmp_path / f"plan.{form}").schedule) == as_compared(found)


def refused(path: Path, content: str | bytes) -> str:
    """Return the error for a file."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ClusterwrightError) as error:
        read_exchange(path)
    return str(error.value)


def written(form: Form, folder: Path) -> str:
    """Return the text of the small schedule in a form."""
    write_exchange(small(), folder / f"good.{form}", form)
    return (folder / f"good.{form}").read_text(encoding="cp1252" if form is Form.XER else "utf-8-sig")


@pytest.mark.parametrize(
    ("form", "old", "new", "says"),
    [
        (Form.MSPDI, "<Duration>PT16H0M0S", "<Duration>sixteen", "'sixteen' is no length of time"),
        (Form.MSPDI, "<ActualStart>2027-01-04T08:00:00", "<ActualStart>2027-01-04T08:00:00+02:00", "has an offset"),
        (Form.MSPDI, "<ActualStart>2027-01-04", "<ActualStart>2027-13-04", "'2027-13-04T08:00:00' is no date"),
        (Form.MSPDI, "<LinkLag>6000", "<LinkLag>two", "'two' is no whole number"),
        (Form.MSPDI, "<UID>2</UID><ID>6", "<UID>1</UID><ID>6", "is there twice"),
        (Form.PMXML, "<PlannedDuration>16<", "<PlannedDuration>1e99<", "is no number of hours"),
        (Form.PMXML, "Start to Start", "Start to Begin", "'Start to Begin' is no type of a link"),
        (Form.PMXML, "<ActualStartDate>2027", "<ActualStartDate>0000", "is no date"),
        (Form.MSPDI, "<MaxUnits>3<", "<MaxUnits>INF<", "'INF' is no number"),
        (Form.PMXML, "<MaxUnitsPerTime>3<", "<MaxUnitsPerTime>three<", "'three' is no number"),
        (Form.XER, "\trigger\t3\t", "\trigger\tInfinity\t", "'Infinity' is no number"),
        (Form.XER, "\tPR_SS\t", "\tPR_XX\t", "'PR_XX' is no type of a link"),
        (Form.XER, "\t2027-01-04 08:00\t", "\t2027-31-04 08:00\t", "is no date"),
        (Form.CSV, "2027-01-08 17:00", "Friday", "'Friday' is no date"),
        (Form.CSV, "ASS+2h", "NOBODYSS+2h", "there is no activity 'NOBODY'"),
        (Form.CSV, "duration h", "length", "unknown column 'length'"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(form: Form, old: str, new: str, says: str, tmp_path: Path) -> None:
    """The sentence says what is wrong; the place says the line on which a person finds it."""
    text = written(form, tmp_path)
    assert old in text
    changed = text.replace(old, new, 1)

    message = refused(tmp_path / f"bad.{form}", changed)

    assert says in message
    at = changed[: changed.index(new)].count("\n") + 1
    lines = {int(part.split(":")[0]) for part in message.split(f"bad.{form}:")[1:]}
    assert lines & {at, at - 1}, message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"(?<=\t)(\d+)\.(\d+)(?=[\t\r])", r"\1,\2"),
        ("Pull cables at", "Pull\r\n\r\ncables at"),
    ],
    ids=["the decimal comma", "a name of two lines"],
)
def test_tables_of_p6_have_the_commas_and_the_lines_of_who_wrote_them(old: str, new: str, tmp_path: Path) -> None:
    """P6 writes numbers with the decimal sign of its user's country, and a name with its line ends: nothing differs."""
    text = written(Form.XER, tmp_path)
    changed = re.sub(old, new, text)
    assert changed != text
    with (tmp_path / "other.xer").open("w", encoding="cp1252", newline="") as file:
        file.write(changed)

    found, read = (read_exchange(tmp_path / name).schedule for name in ("good.xer", "other.xer"))

    assert [replace(task, line=None) for task in read.tasks] == [replace(task, line=None) for task in found.tasks]
    assert read.links == found.links


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.xml", "", "the file is empty"),
        ("a.xml", "<Project><Tasks>", "a.xml:1: this is no XML"),
        ("a.xml", "<html/>", "this XML is no schedule: it begins with <html>"),
        ("a.xml", '<!DOCTYPE a [<!ENTITY b "c">]><Project>&b;</Project>', "defines entities or a document type"),
        ("a.xml", b"<?xml version='1.0' encoding='nonsense'?><Project/>", "a.xml"),
        ("a.pmxml", "<APIBusinessObjects/>", "the file has no activities"),
        ("a.xer", "ERMHDR\t8\n%T\tPROJECT\n%E", "the file has no activities"),
        ("a.xer", "ERMHDR\t8\n%T\tTASK\n%F\ta\n%R\t1\t2\n", "a.xer:4: the row has more cells"),
        ("a.xer", b"\x00\x01\x02", "this is no form that can be read"),
        ("a.mpp", b"\xd0\xcf\x11\xe0", "this is no form that can be read"),
        ("a.xlsx", "PK", "this is no workbook"),
        ("a.csv", "title\nx\n", "the column 'id' is missing"),
        ("a.csv", "id,percent\nA,130\n", "a.csv:2: percent: '130' is no percentage"),
        ("a.csv", b"id;title\nA;Tr\xe4ger\n", "a.csv: this is not UTF-8 text"),
        ("a.csv", "id\nA\nA\n", "a.csv:3: 'A' is on line 2 already"),
    ],
)
def test_a_file_that_is_no_schedule_is_refused_with_what_to_do(
    name: str, content: str | bytes, says: str, tmp_path: Path
) -> None:
    assert says in refused(tmp_path / name, content)


def test_links_of_a_baseline_are_no_links_with_another_project(tmp_path: Path) -> None:
    """P6 writes a baseline as a project of its own, with its links between its own activities."""
    own = (
        "<Relationship><PredecessorActivityObjectId>901</PredecessorActivityObjectId></Relationship></BaselineProject>"
    )
    text = written(Form.PMXML, tmp_path).replace("</BaselineProject>", own, 1)
    assert own in text
    (tmp_path / "baseline.xml").write_text(text)

    found = read_exchange(tmp_path / "baseline.xml")

    assert found.notices == read_exchange(tmp_path / "good.pmxml").notices == ()
    assert as_compared(found.schedule) == as_compared(small())


def test_a_calendar_that_is_based_on_itself_is_refused(tmp_path: Path) -> None:
    text = written(Form.MSPDI, tmp_path).replace("<BaseCalendarUID>-1", "<BaseCalendarUID>1", 1)

    assert "a calendar is based on itself" in refused(tmp_path / "a.xml", text)


def test_a_task_between_that_another_program_moved_stays_a_task(tmp_path: Path) -> None:
    """Only a task with its two links is the link that it carried."""
    write_exchange(small(), tmp_path / "plan.xml", Form.MSPDI)
    text = (tmp_path / "plan.xml").read_text()
    task = text.index("<Name>Lag of B after A")
    link = text.index("<PredecessorLink>", task)
    (tmp_path / "plan.xml").write_text(text[:link] + text[text.index("</PredecessorLink>", link) + 18 :])

    names = [task.id for task in read_exchange(tmp_path / "plan.xml").schedule.tasks]

    assert [name for name in names if ">" in name] == ["A>SS>B"]


def test_a_lag_in_percent_is_that_part_of_what_is_before(tmp_path: Path) -> None:
    """A lag of 25 % of 16 hours is 4 hours; Microsoft Project writes the percentage where other lags have tenths of minutes."""
    text = written(Form.MSPDI, tmp_path)
    assert "<LinkLag>6000</LinkLag><LagFormat>6<" in text
    (tmp_path / "a.xml").write_text(
        text.replace("<LinkLag>6000</LinkLag><LagFormat>6<", "<LinkLag>25</LinkLag><LagFormat>19<")
    )

    read = read_exchange(tmp_path / "a.xml").schedule

    lags = {(read.tasks[link.before].id, read.tasks[link.after].id): link.lag for link in read.links}
    assert lags["A", "C"] == 240


def test_a_task_that_was_made_inactive_is_no_task(tmp_path: Path) -> None:
    """In Microsoft Project it stays in the file, without any effect on the schedule; its links go with it."""
    text = written(Form.MSPDI, tmp_path)
    inactive = text.replace("<Name>Burn in</Name><Active>1<", "<Name>Burn in</Name><Active>0<")
    assert inactive != text
    (tmp_path / "a.xml").write_text(inactive)

    read = read_exchange(tmp_path / "a.xml")

    assert "C" not in {task.id for task in read.schedule.tasks}
    assert read.notices[0] == "1 inactive tasks are left out"


def test_recurring_days_follow_their_rule() -> None:
    """Each third day; every second Tuesday; the last Friday of a month; the tenth weekday; 29 February."""
    year = Recurring(type=1, first=date(2028, 1, 1), last=date(2028, 12, 31))

    assert days_of(year._replace(type=7, period=3, occurrences=3))[-1] == date(2028, 1, 7)
    tuesdays = days_of(year._replace(type=6, period=2, days=4))
    assert tuesdays[:2] == [date(2028, 1, 11), date(2028, 1, 25)]
    assert days_of(year._replace(type=5, item=8, place=4))[1] == date(2028, 2, 25)
    assert days_of(year._replace(type=5, item=1, place=3))[0] == date(2028, 1, 6)
    assert days_of(year._replace(type=2, month=1, day=29)) == [date(2028, 2, 29)]
    assert days_of(year._replace(type=3, month=4, item=4, place=0)) == [date(2028, 5, 1)]


def test_a_table_needs_only_ids_and_what_is_said(tmp_path: Path) -> None:
    """A foreman's list: an id and a percentage. A title that was made harmless for spreadsheets is the title again."""
    (tmp_path / "a.csv").write_text("id;title;actual start;duration h;percent\nA;'=1+1;2027-01-04;10;40\n")
    (task,) = read_exchange(tmp_path / "a.csv").schedule.tasks

    assert (task.id, task.title, task.percent, task.line) == ("A", "=1+1", 40, 2)
    found = small()
    harmful = replace(found, tasks=[replace(found.tasks[0], title="@now"), *found.tasks[1:]])
    write_exchange(harmful, tmp_path / "b.csv", Form.CSV)
    assert read_exchange(tmp_path / "b.csv").schedule.tasks[0].title == "@now"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,percent\nA,60\n", ["60 %"]),
        ("id,percent\nA,60 %\n", ["60 %"]),
        ("id,actual start,percent\nA,2027-01-04 08:00,60\n", ["60 %"]),
        ("id,actual start,duration h,percent,remaining h\nA,2027-01-04 08:00,16,60,6.666667\n", ["60 %"]),
        ("id,actual start,duration h,percent,remaining h\nA,2027-01-04 08:00,16,58,4\n", ["75 %"]),
        ("id,actual start,duration h,percent,remaining h\nA,2027-01-04 08:00,16,58,6.666667\n", []),
        ("id,actual start,duration h\nA,2027-01-04 08:00,16\n", []),
        ("id,percent\nA,\n", []),
        ("id,percent\nB,5\n", ["5 %"]),
        ("id,percent\nB,0\n", []),
    ],
)
def test_a_table_says_progress_by_the_percentage_or_by_what_remains(text: str, said: list[str], tmp_path: Path) -> None:
    """Of A 58 % is on record. What a person changed counts, also without a start; an empty cell takes nothing back."""
    (tmp_path / "a.csv").write_text(text)

    found = difference(small(), read_exchange(tmp_path / "a.csv").schedule, before=small(), dates=DatesOf.PEOPLE)

    assert [one.now for one in found.proposals if one.what is What.PROGRESS] == said


def test_a_percentage_that_a_spreadsheet_made_of_what_was_typed_is_one(tmp_path: Path) -> None:
    """Excel keeps 60% as 0.6 with a format. Without that format 0.6 is refused: nobody knows what is meant."""
    book = Workbook()
    book.active.title = "Schedule"  # type: ignore[union-attr]  # a new workbook has a sheet
    sheet = book["Schedule"]
    sheet.append(["id", "percent"])
    sheet.append(["A", 0.6])
    book.save(tmp_path / "plain.xlsx")
    sheet["B2"].number_format = "0%"
    book.save(tmp_path / "typed.xlsx")

    (task,) = read_exchange(tmp_path / "typed.xlsx").schedule.tasks

    assert task.percent == 60
    with pytest.raises(InputError, match="less than 1 %"):
        read_exchange(tmp_path / "plain.xlsx")


@pytest.mark.parametrize(
    ("rows", "times", "refused"),
    [
        (b"<row>" + b"<c><v>1</v></c>" * 20 + b"</row>", 20_000, "cells and marks, too many for its"),
        (b"<row/>", 400_000, "cells and marks, too many for its"),
        (b'<row><c t="inlineStr"><is><t>' + b"x" * 2000 + b"</t></is></c></row>", 20_000, "unpacks to more than"),
        (b'<row r="1"/><row r="99999999999"><c r="A1"><v>1</v></c></row>', 1, "the file has no rows"),
    ],
)
def test_a_small_workbook_that_would_take_minutes_is_refused_at_once(
    tmp_path: Path, rows: bytes, times: int, refused: str
) -> None:
    """Anybody may send one: some kilobytes unpack to a million rows."""
    book = Workbook(write_only=True)
    book.create_sheet("Schedule")
    book.save(tmp_path / "plain.xlsx")
    path = tmp_path / "bloated.xlsx"
    with ZipFile(tmp_path / "plain.xlsx") as plain, ZipFile(path, "w", ZIP_DEFLATED) as bloated:
        for part in plain.namelist():
            content = plain.read(part)
            if part.endswith("sheet1.xml"):
                before, _, after = content.partition(b"<sheetData")
                content = (
                    before + b"<sheetData>" + rows * times + b"</sheetData>" + after[after.index(b"<pageMargins") :]
                )
            bloated.writestr(part, content)
    begun = process_time()

    with pytest.raises(InputError, match=refused):
        read_exchange(path)

    assert process_time() - begun < 5
