"""Reads XER, the tables of Primavera P6. Of several projects in a file, the one that was exported is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from schedule.exchange.carrying import LagRule
from schedule.exchange.model import (
    Assignment,
    DayCalendar,
    Exchange,
    ExchangeLink,
    ExchangeResource,
    ExchangeTask,
)
from schedule.exchange.primavera import (
    BASELINE_FINISH,
    BASELINE_START,
    ID_FIELD,
    NOT_EARLIER,
    NOT_LATER,
    XER_RULES,
    XER_TYPES,
    LagCalendars,
    Node,
    branches_of,
    percent_of,
)
from schedule.exchange.read import Read
from schedule.exchange.writing import Form
from schedule.exchange.xer_calendars import STANDARD_WEEK, calendar_of
from schedule.exchange.xer_tables import XerFile, XerRow, read_tables
from schedule.exchange.xml_reading import SHOWN, instant_in, minutes_of_hours, number_in

TIES = {name: tie for tie, name in XER_TYPES.items()}
RULES = {name: rule for rule, name in XER_RULES.items()}


def read_xer(path: Path) -> Read:
    """Return the schedule of a file. Raise InputError for all faults."""
    reading = _Reading(read_tables(path))
    project = reading.project
    tasks = list(reading.tasks())
    links = list(reading.links(tasks))
    resources = reading.resources()
    assignments = list(reading.assignments(list(resources)))
    starts = [task.start for task in tasks if task.start is not None]
    start, data_date = min(starts, default=datetime(2000, 1, 1)), None  # noqa: DTZ001 - local
    with reading.file.faults.at(project.place()):
        start = instant_in(project.get("plan_start_date")) or start
        data_date = instant_in(project.get("last_recalc_date"))
    reading.file.faults.end()
    reading.doubt_letters(tasks)
    schedule = Exchange(
        name=reading.name or project.get("proj_short_name"),
        start=start,
        data_date=data_date,
        calendars=reading.lags.calendars,
        branches=reading.branches,
        tasks=tasks,
        links=links,
        resources=list(resources.values()),
        assignments=assignments,
        baseline="baseline" if any(task.baseline_start for task in tasks) else "",
    )
    return Read(schedule, Form.XER, tuple(f"{number:,} {what}" for what, number in reading.left_out.items()))


class _Reading:
    """What is known while the tables are read."""

    def __init__(self, file: XerFile) -> None:
        self.file = file
        self.left_out: Counter[str] = Counter()
        projects = file.rows("PROJECT")
        used = {row.get("proj_id") for row in file.rows("TASK")}
        projects = [row for row in projects if row.get("proj_id") in used] or projects
        exported = [row for row in projects if row.get("export_flag") != "N"]
        self.project = next(iter([*exported, *projects]), XerRow(str(file.path), 1, {}))
        if len(projects) > 1:
            self.left_out["projects are in the file, and one is read"] = len(projects)
        self.calendar: dict[str, int] = {}
        calendars: list[DayCalendar] = []
        default = self.project.get("clndr_id")
        for row in sorted(file.rows("CALENDAR"), key=lambda row: row.get("clndr_id") != default):
            self.calendar[row.get("clndr_id")] = len(calendars)
            try:
                calendars.append(calendar_of(row.get("clndr_name"), row.get("clndr_data")))
            except ValueError:
                week = calendars[0].week if calendars else STANDARD_WEEK
                calendars.append(DayCalendar(row.get("clndr_name"), week))
                name = f"line {row.line}: {row.get('clndr_name')!r}"
                what = f"calendar cannot be read ({name}): the week of the project's own calendar stands in for it"
                self.left_out[what] += 1
        rules = [row.get("sched_calendar_on_relationship_lag") for row in self._own("SCHEDOPTIONS")]
        rule = RULES.get(next(iter(rules), ""), LagRule.PREDECESSOR)
        self.lags = LagCalendars(calendars or [DayCalendar("Standard", STANDARD_WEEK)], rule)
        self.branches, self._branch = branches_of(self._tree())
        self.row: dict[str, int] = {}
        self._fields = self._user_fields()
        self._has_baseline = any(label == BASELINE_START for _, label in self._fields)

    def _own(self, table: str) -> Iterator[XerRow]:
        """Yield the rows of a table that are of the project."""
        own = self.project.get("proj_id")
        return (row for row in self.file.rows(table) if row.get("proj_id") in {own, ""})

    def _tree(self) -> dict[str, Node]:
        """Return the branches by id. The project's own node is none: it has the project's name."""
        nodes = list(self._own("PROJWBS"))
        self.name = next((row.get("wbs_name") for row in nodes if row.get("proj_node_flag") == "Y"), "")
        return {
            row.get("wbs_id"): Node(row.get("parent_wbs_id"), row.get("wbs_short_name"), row.get("wbs_name"))
            for row in nodes
            if row.get("proj_node_flag") != "Y"
        }

    def _user_fields(self) -> dict[tuple[str, str], XerRow]:
        """Return the user fields that the export wrote, by task and label."""
        labels = {row.get("udf_type_id"): row.get("udf_type_label") for row in self.file.rows("UDFTYPE")}
        ours = {ID_FIELD, BASELINE_START, BASELINE_FINISH}
        known = {number: label for number, label in labels.items() if label in ours}
        return {
            (row.get("fk_id"), known[row.get("udf_type_id")]): row
            for row in self.file.rows("UDFVALUE")
            if row.get("udf_type_id") in known
        }

    def _field(self, task: str, label: str, column: str) -> str:
        row = self._fields.get((task, label))
        return "" if row is None else row.get(column)

    def _baseline(self, row: XerRow, label: str, planned: str) -> str:
        """Return a date of the baseline: our user field, else the planned date, as P6 does for a project without a baseline."""
        if self._has_baseline:
            return self._field(row.get("task_id"), label, "udf_date")
        return row.get(planned)

    def tasks(self) -> Iterator[ExchangeTask]:
        """Yield the activities."""
        names: set[str] = set()
        for row in self._own("TASK"):
            with self.file.faults.at(row.place()):
                task = self._task(row)
                if task.id in names:
                    raise ValueError(f"activity {task.id!r} is there twice; rename one of them")
                names.add(task.id)
                self.row[row.get("task_id")] = len(self.row)
                yield task

    def _task(self, row: XerRow) -> ExchangeTask:
        number = row.get("task_id")
        constraints = (
            (row.get("cstr_type"), row.get("cstr_date")),
            (row.get("cstr_type2"), row.get("cstr_date2")),
        )
        dates = {kind: instant_in(text) for kind, text in constraints if kind and text}
        started, finished = instant_in(row.get("act_start_date")), instant_in(row.get("act_end_date"))
        started = started or finished
        name = self._field(number, ID_FIELD, "udf_text") or row.get("task_code")
        if started is not None and finished is not None and finished < started:
            raise ValueError(f"activity {name!r} finished before it started; correct one of the dates")
        starts = (row.get("early_start_date"), row.get("restart_date"), row.get("target_start_date"))
        ends = (row.get("early_end_date"), row.get("reend_date"), row.get("target_end_date"))
        return ExchangeTask(
            id=name,
            title=row.get("task_name"),
            calendar=self.calendar.get(row.get("clndr_id"), 0),
            minutes=max(0, minutes_of_hours(row.number("target_drtn_hr_cnt")) or 0),
            branch=self._branch.get(row.get("wbs_id")),
            start=started or next((instant_in(text) for text in starts if text), None),
            finish=finished or next((instant_in(text) for text in ends if text), None),
            baseline_start=instant_in(self._baseline(row, BASELINE_START, "target_start_date")),
            baseline_finish=instant_in(self._baseline(row, BASELINE_FINISH, "target_end_date")),
            actual_start=started,
            actual_finish=finished,
            remaining=minutes_of_hours(row.number("remain_drtn_hr_cnt")) if started and not finished else None,
            stated_percent=_stated_percent(row),
            no_earlier=next((at for kind, at in dates.items() if kind in NOT_EARLIER), None),
            no_later=next((at for kind, at in dates.items() if kind in NOT_LATER), None),
            line=row.line,
        )

    def doubt_letters(self, tasks: Iterable[ExchangeTask]) -> None:
        """Say that names may be wrong: P6 writes the code page of its user's country, and the file does not say which."""
        foreign = [task.title for task in tasks if not f"{task.id}{task.title}".isascii()]
        if foreign and not self.file.is_utf8:
            what = (
                f"activities have names as {foreign[0][:SHOWN]!r}, read in code page 1252. If that is wrong, convert the file "
                "first: iconv -f CP1251 -t UTF-8 for Russian, CP1250 for Polish or Czech, GB18030 for Chinese"
            )
            self.left_out[what] = len(foreign)

    def links(self, tasks: list[ExchangeTask]) -> Iterator[ExchangeLink]:
        """Yield the links. What is linked to another project is left out and counted."""
        for row in self._own("TASKPRED"):
            with self.file.faults.at(row.place()):
                before, after = (self.row.get(row.get(end)) for end in ("pred_task_id", "task_id"))
                if before is None or after is None:
                    self.left_out["links with another project are left out"] += 1
                    continue
                kind = row.get("pred_type")
                if kind not in TIES:
                    raise ValueError(f"{kind[:20]!r} is no type of a link; types are {', '.join(TIES)}")
                lag = minutes_of_hours(row.number("lag_hr_cnt")) or 0
                calendar = self.lags.of(tasks[before].calendar, tasks[after].calendar)
                yield ExchangeLink(before, after, TIES[kind], lag, calendar)

    def resources(self) -> Mapping[str, ExchangeResource]:
        """Return the resources by id."""
        found = {}
        for row in self.file.rows("RSRC"):
            with self.file.faults.at(row.place()):
                amount = number_in(row.number("def_qty_per_hr") or "1")
                found[row.get("rsrc_id")] = ExchangeResource(
                    row.get("rsrc_short_name"), row.get("rsrc_name"), round(amount)
                )
        return found

    def assignments(self, resources: list[str]) -> Iterator[Assignment]:
        """Yield what activities have of resources."""
        place = {name: number for number, name in enumerate(resources)}
        for row in self._own("TASKRSRC"):
            with self.file.faults.at(row.place()):
                task, resource = self.row.get(row.get("task_id")), place.get(row.get("rsrc_id"))
                if task is not None and resource is not None:
                    yield Assignment(task, resource, max(1, round(number_in(row.number("target_qty_per_hr") or "1"))))


def _stated_percent(row: XerRow) -> int | None:
    """Return how much of the physical work or of the units is done. None where P6 counts the duration."""
    match row.get("complete_pct_type"):
        case "CP_Phys":
            return percent_of(number_in(row.number("phys_complete_pct") or "0"), 100)
        case "CP_Units":
            done, left = (
                sum(number_in(row.number(f"{when}_{what}_qty") or "0") for what in ("work", "equip"))
                for when in ("act", "remain")
            )
            return percent_of(done, done + left)
    return None
