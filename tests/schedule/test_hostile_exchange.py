"""Schedules of strangers: whatever is in a small file, it is read or refused within seconds, and no name is silently another one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from time import process_time
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from schedule.cpm.columns import Tie
from schedule.errors import InputError
from schedule.exchange.comparing import DatesOf, difference
from schedule.exchange.mapping import read_mapping
from schedule.exchange.model import ALL_DAY, DayCalendar, Exchange, ExchangeLink, ExchangeTask
from schedule.exchange.read import Read
from schedule.exchange.reading import read_exchange
from schedule.exchange.xer_calendars import calendar_of
from schedule.files.csv_project import read_project

SECONDS = 10
"""Of processor time, on a machine that is busy. What is refused here took a minute or more, or grew with the square of the file."""
TASK = "<Task><UID>{0}</UID><Name>t</Name>{1}</Task>"
ACTIVITY = "<Activity><ObjectId>{0}</ObjectId><Id>A{0}</Id><Name>n</Name>{1}</Activity>"
OFTEN = (
    "<Exception><TimePeriod><FromDate>1990-01-01T00:00:00</FromDate><ToDate>2199-01-01T00:00:00</ToDate></TimePeriod>"
    "<Type>5</Type><MonthItem>0</MonthItem><MonthPosition>1</MonthPosition><DayWorking>0</DayWorking></Exception>"
)
WEEK = "(0||CalendarData()((0||DaysOfWeek()((0||2()((0||0(s|08:00|f|16:00)())))))(0||Exceptions()({0}))))"


def project(tasks: str, calendars: str = "") -> str:
    """Return a file of Microsoft Project."""
    return f"<Project><Calendars>{calendars}</Calendars><Tasks>{tasks}</Tasks></Project>"


def objects(inside: str) -> str:
    """Return a file of P6's XML."""
    return f"<APIBusinessObjects><Project><ObjectId>1</ObjectId>{inside}</Project></APIBusinessObjects>"


def tables(*named: tuple[str, str, list[str]]) -> str:
    """Return an XER file: of each table its name, its columns and its rows."""
    lines = ["ERMHDR\t20.12"]
    for name, columns, rows in named:
        lines += [f"%T\t{name}", f"%F\t{columns}", *(f"%R\t{row}" for row in rows)]
    return "\r\n".join([*lines, "%E"])


def activities(*titles: str) -> str:
    """Return an XER file with these activities."""
    rows = [f"{number}\t1\tA{number}\t{title}" for number, title in enumerate(titles)]
    return tables(
        ("PROJECT", "proj_id\tproj_short_name", ["1\tP"]), ("TASK", "task_id\tproj_id\ttask_code\ttask_name", rows)
    )


def read(folder: Path, name: str, content: str | bytes) -> Read:
    """Read a file with this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_exchange(path)


def chain(length: int) -> Exchange:
    """Return a schedule of tasks of which each waits for the one before."""
    start = datetime(2027, 1, 4, 8)  # noqa: DTZ001 - files have no offsets
    tasks = [ExchangeTask(id=f"A{number:05}", title="t", calendar=0, minutes=60) for number in range(length)]
    links = [ExchangeLink(number, number + 1, Tie.FS, 0, 0) for number in range(length - 1)]
    return Exchange("chain", start, None, [DayCalendar("always", (ALL_DAY,) * 7)], [], tasks, links)


@pytest.mark.parametrize(
    ("code_page", "title", "shown"),
    [("cp1251", "Монтаж стоек", "Ìîíòàæ ñòîåê"), ("cp1250", "Montaż szaf", "Monta¿ szaf"), ("gb18030", "机架", "»ú¼Ü")],
)
def test_names_that_may_be_of_another_code_page_are_shown_with_what_to_do(
    code_page: str, title: str, shown: str, tmp_path: Path
) -> None:
    """P6 writes names in the code page of its user's country, and the file does not say which: a wrong guess is no silent one."""
    found = read(tmp_path, "a.xer", activities("Design", title).encode(code_page))
    (notice,) = found.notices
    assert found.schedule.tasks[1].title == shown
    assert notice.startswith(f"1 activities have names as {shown!r}, read in code page 1252")
    assert "iconv -f CP1251 -t UTF-8" in notice

    as_it_says = read(tmp_path, "b.xer", activities("Design", title))
    plain = read(tmp_path, "c.xer", activities("Design"))

    assert as_it_says.schedule.tasks[1].title == title
    assert as_it_says.notices == plain.notices == ()


def test_a_table_that_is_there_twice_is_read_whole(tmp_path: Path) -> None:
    columns = "task_id\tproj_id\ttask_code\ttask_name"
    project_row = ("PROJECT", "proj_id\tproj_short_name", ["1\tP"])

    found = read(
        tmp_path, "a.xer", tables(project_row, ("TASK", columns, ["1\t1\tA\ta"]), ("TASK", columns, ["2\t1\tB\tb"]))
    )

    assert [task.id for task in found.schedule.tasks] == ["A", "B"]


def test_a_calendar_of_p6_that_means_nothing_is_refused() -> None:
    """A reader of files tells its person which one; a day of no year and records in records without end raised other errors."""
    assert len(calendar_of("c", WEEK.format("(0||0(d|46000)())")).exceptions) == 1
    for data in (
        WEEK.format("(0||0(d|99999999)())"),
        WEEK.format("(0||0(d|99999999999999)())"),
        "(0||X()(" * 3000 + "))" * 3000,
    ):
        with pytest.raises(ValueError, match=r"is in no year|has no week"):
            calendar_of("c", data)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.xml", project("".join(TASK.format(number, "<Start>4.1.2027</Start>") for number in range(1, 5001))), "5000 faults"),
        ("a.xml", objects("".join(ACTIVITY.format(number, "<StartDate>4.1.2027</StartDate>") for number in range(5000))), "5000 faults"),
        ("a.xml", project(TASK.format(1, "<Duration>PT99999999999999999999H0M0S</Duration>")), "longer than a thousand years"),
        ("a.xml", project(TASK.format(1, "") + TASK.format(2, f"<PredecessorLink><PredecessorUID>1</PredecessorUID><LinkLag>{'9' * 400}</LinkLag></PredecessorLink>")), "larger than any number"),
        ("a.xml", project("", "".join(f"<Calendar><UID>{n}</UID><BaseCalendarUID>{n + 1}</BaseCalendarUID></Calendar>" for n in range(2000))), "based on itself, or on more than 10"),
        ("a.xml", project("", "".join(f"<Calendar><UID>{n}</UID><BaseCalendarUID>1</BaseCalendarUID><Exceptions>{OFTEN}</Exceptions></Calendar>" for n in range(2, 300))), "more than 1,000,000 days off"),
        ("a.xml", objects(ACTIVITY.format(1, "") + "".join(f"<WBS><ObjectId>{n}</ObjectId><ParentObjectId>{n - 1}</ParentObjectId><Code>c</Code></WBS>" for n in range(3000, 0, -1))), "too deep at 'c'"),
    ],
    ids=["dates of Project", "dates of P6", "a duration", "a lag", "bases", "days off", "a deep tree"],
)  # fmt: skip
def test_a_small_file_is_refused_within_seconds(name: str, content: str, says: str, tmp_path: Path) -> None:
    """One date in a country's own form, and each activity of a plan has it. What else is here, a stranger makes on purpose."""
    begun = process_time()

    with pytest.raises(InputError, match=says):
        read(tmp_path, name, content)

    assert process_time() - begun < SECONDS


def test_summaries_within_summaries_are_read_within_seconds(tmp_path: Path) -> None:
    levels = (f"<OutlineLevel>{level}</OutlineLevel><Summary>1</Summary>" for level in range(1, 10_001))
    begun = process_time()

    found = read(
        tmp_path, "a.xml", project("".join(TASK.format(*one) for one in enumerate(levels, 1)) + TASK.format(10_001, ""))
    )

    assert len(found.schedule.branches) == 10_000
    assert found.schedule.tasks[0].branch is None
    assert process_time() - begun < SECONDS / 2


def workbook(folder: Path, rows: Sequence[list[object]], cell: bytes, instead: bytes) -> Path:
    """Return a workbook with these rows, in whose XML a cell reads otherwise."""
    book, made = Workbook(), folder / "a.xlsx"
    book.active.title = "Schedule"  # type: ignore[union-attr]  # a new workbook has a sheet
    for row in rows:
        book["Schedule"].append(row)
    book.save(folder / "plain.xlsx")
    with ZipFile(folder / "plain.xlsx") as plain, ZipFile(made, "w") as other:
        for part in plain.namelist():
            other.writestr(part, plain.read(part).replace(cell, instead))
    return made


def test_a_workbook_that_names_no_text_is_none(tmp_path: Path) -> None:
    """A cell names its text by a number: one that the workbook does not have was a fault of ours."""
    text, number = b't="inlineStr"><is><t>071@site</t></is>', b't="s"><v>9</v>'
    with pytest.raises(InputError, match="this is no workbook"):
        read_exchange(workbook(tmp_path, [["id"], ["071@site"]], text, number))


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        (b"<f>TODAY()</f><v></v>", "a formula without its result"),
        (b"<f>TODAY()</f><v />", "a formula without its result"),
        (b'<f t="shared" si="0"/>', "a formula without its result"),
        (b"<f>1+1</f><v>2</v>", ""),
    ],
)
def test_a_formula_that_nobody_worked_out_is_no_empty_cell(cell: bytes, says: str, tmp_path: Path) -> None:
    """A program wrote it, no spreadsheet. The start or the percentage that it stands for was silently left out."""
    made = workbook(tmp_path, [["id", "percent"], ["071@site", 40]], b't="n"><v>40</v>', b">" + cell)

    if says:
        with pytest.raises(InputError, match=says):
            read_exchange(made)
    else:
        assert read_exchange(made).schedule.tasks[0].percent == 2


def test_a_formula_whose_result_is_an_empty_text_says_nothing(tmp_path: Path) -> None:
    text, worked = b't="inlineStr"><is><t>x</t></is>', b't="str"><f>IF(1,"","y")</f><v></v>'
    made = workbook(tmp_path, [["id", "title"], ["071@site", "x"]], text, worked)

    assert read_exchange(made).schedule.tasks[0].title == ""


def test_a_mapping_of_last_months_ids_is_refused_within_seconds(tmp_path: Path) -> None:
    """Each line then names an activity that is there no more. Names that are alike are looked for where they are shown."""
    theirs = chain(3000)
    (tmp_path / "map.csv").write_text("theirs,ours\n" + "".join(f"B{number:05},none\n" for number in range(3000)))
    begun = process_time()

    with pytest.raises(InputError, match=r"3000 faults") as refused:
        read_mapping(tmp_path / "map.csv", theirs, ["071@site"])

    assert process_time() - begun < SECONDS
    assert "did you mean A0000" in str(refused.value)


def test_another_plan_of_thousands_of_new_activities_is_compared_within_seconds() -> None:
    ours, theirs = chain(1), chain(20_000)
    begun = process_time()

    found = difference(ours, theirs, before=ours, dates=DatesOf.PROGRAM)

    assert process_time() - begun < SECONDS / 2
    assert found.proposals[0].now == "1 h after A00000 before A00002"


def test_resources_that_nobody_has_are_named_within_seconds(tmp_path: Path) -> None:
    rows = "".join(f"A{number},1d,crew-{number:05}x\n" for number in range(2000))
    (tmp_path / "activities.csv").write_text(f"start,2027-01-04\nid,duration,resources\n{rows}")
    (tmp_path / "resources.csv").write_text("resource,amount\n" + "".join(f"crew-{n:05},1\n" for n in range(2000)))
    begun = process_time()

    with pytest.raises(InputError, match=r"2000 faults"):
        read_project(tmp_path)

    assert process_time() - begun < SECONDS
