"""Writes a schedule as XER, the tables of Primavera P6, tab separated in code page 1252.

It has no baseline: baseline dates are user fields of the activities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

from schedule.exchange.carrying import LagRule, for_primavera
from schedule.exchange.model import DayCalendar, Exchange, ExchangeTask, Spans
from schedule.exchange.primavera import (
    BASELINE_FINISH,
    BASELINE_START,
    ID_FIELD,
    XER_RULES,
    XER_TYPES,
    codes_of,
    constraints_of,
)
from schedule.exchange.text import clock, hours

ENCODING = "cp1252"
FIRST_DAY = date(1899, 12, 30)
"""Exceptions are days since this one."""
UDF_ID, UDF_START, UDF_FINISH = 1, 2, 3
Row = Mapping[str, object]


def xer_of(found: Exchange) -> tuple[Iterator[str], Sequence[str]]:
    """Return the pieces of the file's text, and what XER cannot have, in sentences."""
    carried = for_primavera(found)
    codes, shortened = codes_of(carried.schedule.tasks)
    notices = [*carried.notices, *shortened]
    if found.baseline:
        dates = f"the user fields {BASELINE_START!r} and {BASELINE_FINISH!r}"
        notices.append(f"XER has no baseline: its dates are {dates}")
    foreign = sum(
        _plain(task.title) != _plain(task.title).encode(ENCODING, "replace").decode(ENCODING) for task in found.tasks
    )
    if foreign:
        notices.append(f"{foreign:,} titles have characters that XER has not: each is a question mark")
    return _pieces(carried.schedule, carried.rule, codes), notices


def _pieces(found: Exchange, rule: LagRule, codes: Sequence[str]) -> Iterator[str]:
    at = found.data_date or found.start
    yield f"ERMHDR\t20.12\t{at:%Y-%m-%d}\tProject\tadmin\tadmin\tdbxDatabaseNoName\tProject Management\t{found.currency}\r\n"
    yield from _table("UDFTYPE", _fields(found))
    yield from _table("PROJECT", [_project(found)])
    yield from _table("CALENDAR", map(_calendar, range(len(found.calendars)), found.calendars))
    options = {
        "schedoptions_id": 1,
        "proj_id": 1,
        "sched_outer_depend_type": "SD_Both",
        "sched_lag_early_start_flag": "Y",
        "sched_retained_logic": "Y",
        "sched_float_type": "FT_FF",
        "sched_calendar_on_relationship_lag": XER_RULES[rule],
        "sched_progress_override": "N",
    }
    yield from _table("SCHEDOPTIONS", [options])
    yield from _table("PROJWBS", _branches(found))
    yield from _table("RSRC", _resources(found))
    yield from _table("TASK", (_task(task, row, codes[row]) for row, task in enumerate(found.tasks)))
    yield from _table("TASKPRED", _links(found))
    yield from _table("TASKRSRC", _assignments(found))
    yield from _table("UDFVALUE", _values(found, codes))
    yield "%E\r\n"


def _table(name: str, rows: Iterator[Row] | Sequence[Row] | map[Row]) -> Iterator[str]:
    """Yield a table whose columns are those of its first row; nothing if it has none."""
    columns: tuple[str, ...] = ()
    for row in rows:
        if not columns:
            columns = tuple(row)
            yield f"%T\t{name}\r\n%F\t" + "\t".join(columns) + "\r\n"
        yield "%R\t" + "\t".join("" if value is None else _plain(str(value)) for value in row.values()) + "\r\n"


def _plain(text: str) -> str:
    """Return text without what ends a cell or a line."""
    return " ".join(text.split()) if any(mark in text for mark in "\t\r\n") else text


def _at(instant: datetime | None) -> str | None:
    return None if instant is None else instant.strftime("%Y-%m-%d %H:%M")


def _fields(found: Exchange) -> Iterator[Row]:
    kinds = [(UDF_ID, ID_FIELD, "FT_TEXT")]
    if found.baseline:
        kinds += [(UDF_START, BASELINE_START, "FT_START_DATE"), (UDF_FINISH, BASELINE_FINISH, "FT_END_DATE")]
    for number, label, kind in kinds:
        yield {
            "udf_type_id": number,
            "table_name": "TASK",
            "udf_type_name": f"user_field_{number}",
            "udf_type_label": label,
            "logical_data_type": kind,
            "super_flag": "N",
        }


def _project(found: Exchange) -> Row:
    return {
        "proj_id": 1,
        "fy_start_month_num": 1,
        "project_flag": "Y",
        "name_sep_char": ".",
        "def_complete_pct_type": "CP_Drtn",
        "proj_short_name": found.name[:40],
        "clndr_id": 1,
        "last_recalc_date": _at(found.data_date),
        "plan_start_date": _at(found.start),
        "scd_end_date": _at(found.finish),
        "def_duration_type": "DT_FixedDrtn",
        "def_task_type": "TT_Task",
        "critical_path_type": "CT_TotFloat",
        "export_flag": "Y",
    }


def _calendar(number: int, calendar: DayCalendar) -> Row:
    week = calendar.week_minutes
    return {
        "clndr_id": number + 1,
        "default_flag": "N" if number else "Y",
        "clndr_name": calendar.name,
        "proj_id": None,
        "base_clndr_id": None,
        "last_chng_date": None,
        "clndr_type": "CA_Base",
        "day_hr_cnt": hours(calendar.day_minutes),
        "week_hr_cnt": hours(week),
        "month_hr_cnt": hours(week * 4),
        "year_hr_cnt": hours(week * 52),
        "rsrc_private": "N",
        "clndr_data": _calendar_data(calendar),
    }


def _calendar_data(calendar: DayCalendar) -> str:
    days = "".join(f"(0||{day}(){_times(calendar.week[(day - 2) % 7])})" for day in range(1, 8))  # Sunday is the first
    exceptions = "".join(
        f"(0||{place}(d|{(day - FIRST_DAY).days}){_times(spans)})"
        for place, (day, spans) in enumerate(sorted(calendar.exceptions.items()))
    )
    return f"(0||CalendarData()((0||DaysOfWeek()({days}))(0||VIEW(ShowTotal|N)())(0||Exceptions()({exceptions}))))"


def _times(spans: Spans) -> str:
    times = (f"(0||{place}(s|{clock(start)[:5]}|f|{clock(end)[:5]})())" for place, (start, end) in enumerate(spans))
    return f"({''.join(times)})"


def _branches(found: Exchange) -> Iterator[Row]:
    """Yield the project's own node, and below it the phases and units."""
    nodes: list[tuple[int, str, str, int | None]] = [(1, found.name[:40], found.name, None)]
    for number, branch in enumerate(found.branches):
        above = 1 if branch.parent is None else branch.parent + 2
        nodes.append((number + 2, branch.code.rpartition(".")[2], branch.title, above))
    for place, (node, code, title, parent) in enumerate(nodes):
        yield {
            "wbs_id": node,
            "proj_id": 1,
            "seq_num": place,
            "proj_node_flag": "N" if parent else "Y",
            "status_code": "WS_Open",
            "wbs_short_name": code,
            "wbs_name": title,
            "parent_wbs_id": parent,
        }


def _resources(found: Exchange) -> Iterator[Row]:
    for number, resource in enumerate(found.resources):
        yield {
            "rsrc_id": number + 1,
            "clndr_id": 1,
            "rsrc_seq_num": number,
            "rsrc_name": resource.title,
            "rsrc_short_name": resource.id,
            "def_qty_per_hr": resource.amount,
            "active_flag": "Y",
            "rsrc_type": "RT_Labor",
        }


def _task(task: ExchangeTask, row: int, code: str) -> Row:
    is_open = task.actual_finish is None
    is_new = task.actual_start is None
    first, second = constraints_of(task, "CS_MSOA", "CS_MEOB")
    return {
        "task_id": row + 1,
        "proj_id": 1,
        "wbs_id": 1 if task.branch is None else task.branch + 2,
        "clndr_id": task.calendar + 1,
        "phys_complete_pct": task.percent,
        "complete_pct_type": "CP_Drtn",
        "task_type": "TT_Task" if task.minutes else "TT_FinMile",
        "duration_type": "DT_FixedDrtn",
        "status_code": "TK_Complete" if not is_open else "TK_NotStart" if is_new else "TK_Active",
        "task_code": code,
        "task_name": task.title,
        "total_float_hr_cnt": hours(task.total_float) if is_open else None,
        "free_float_hr_cnt": hours(task.free_float) if is_open else None,
        "remain_drtn_hr_cnt": hours(task.left),
        "target_drtn_hr_cnt": hours(task.minutes),
        "cstr_date": _at(first[1]),
        "act_start_date": _at(task.actual_start),
        "act_end_date": _at(task.actual_finish),
        "late_start_date": _at(task.late_start) if is_open else None,
        "late_end_date": _at(task.late_finish) if is_open else None,
        "early_start_date": _at(task.start) if is_new else None,
        "early_end_date": _at(task.finish) if is_open else None,
        "target_start_date": _at(task.start),
        "target_end_date": _at(task.finish),
        "cstr_type": first[0],
        "priority_type": "PT_Normal",
        "cstr_date2": _at(second[1]),
        "cstr_type2": second[0],
        "driving_path_flag": "Y" if task.is_critical else "N",
    }


def _links(found: Exchange) -> Iterator[Row]:
    for number, link in enumerate(found.links):
        yield {
            "task_pred_id": number + 1,
            "task_id": link.after + 1,
            "pred_task_id": link.before + 1,
            "proj_id": 1,
            "pred_proj_id": 1,
            "pred_type": XER_TYPES[link.type],
            "lag_hr_cnt": hours(link.lag),
        }


def _assignments(found: Exchange) -> Iterator[Row]:
    for number, one in enumerate(found.assignments):
        task = found.tasks[one.task]
        yield {
            "taskrsrc_id": number + 1,
            "task_id": one.task + 1,
            "proj_id": 1,
            "rsrc_id": one.resource + 1,
            "remain_qty": hours(task.left * one.amount),
            "target_qty": hours(task.minutes * one.amount),
            "remain_qty_per_hr": one.amount,
            "target_qty_per_hr": one.amount,
            "target_start_date": _at(task.start),
            "target_end_date": _at(task.finish),
            "rsrc_type": "RT_Labor",
        }


def _values(found: Exchange, codes: Sequence[str]) -> Iterator[Row]:
    for row, task in enumerate(found.tasks):
        if codes[row] != task.id:
            yield _value(UDF_ID, row, text=task.id)
        if found.baseline and task.baseline_start is not None and task.baseline_finish is not None:
            yield _value(UDF_START, row, instant=task.baseline_start)
            yield _value(UDF_FINISH, row, instant=task.baseline_finish)


def _value(field: int, row: int, *, text: str | None = None, instant: datetime | None = None) -> Row:
    return {"udf_type_id": field, "fk_id": row + 1, "proj_id": 1, "udf_date": _at(instant), "udf_text": text}
