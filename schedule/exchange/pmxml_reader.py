"""Reads PMXML, the XML of Primavera P6. Of several projects in a file, the first with activities is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING

from schedule.errors import InputError, Place
from schedule.exchange.carrying import LagRule
from schedule.exchange.model import (
    DAY,
    Assignment,
    DayCalendar,
    Exchange,
    ExchangeLink,
    ExchangeResource,
    ExchangeTask,
    Spans,
)
from schedule.exchange.pmxml_writer import DAYS
from schedule.exchange.primavera import (
    ID_FIELD,
    NOT_EARLIER,
    NOT_LATER,
    XML_RULES,
    XML_TYPES,
    LagCalendars,
    Node,
    branches_of,
    percent_of,
)
from schedule.exchange.read import Read
from schedule.exchange.writing import Form
from schedule.exchange.xer_calendars import STANDARD_WEEK
from schedule.exchange.xml_reading import (
    Located,
    XmlFile,
    instant_in,
    located,
    minute_of_day,
    minutes_of_hours,
    number_in,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

TIES = {name: tie for tie, name in XML_TYPES.items()}
RULES = {name: rule for rule, name in XML_RULES.items()}
Baseline = dict[str, tuple[datetime | None, datetime | None]]


def read_pmxml(file: XmlFile) -> Read:
    """Return the schedule of a file. Raise InputError for all faults."""
    reading = _Reading(file)
    tasks = list(reading.tasks())
    links = list(reading.links(tasks))
    resources = dict(reading.resources())
    assignments = list(reading.assignments(list(resources)))
    project = next(one for one in located(file.root, "Project") if one.element is reading.project)
    starts = [task.start for task in tasks if task.start is not None]
    start, data_date = min(starts, default=datetime(2000, 1, 1)), None  # noqa: DTZ001 - local
    with file.at(project, "Project"):
        start = instant_in(project.text("PlannedStartDate")) or start
        data_date = instant_in(project.text("DataDate"))
    file.faults.end()
    schedule = Exchange(
        name=project.text("Name") or project.text("Id"),
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
    return Read(schedule, Form.PMXML, tuple(f"{number:,} {what}" for what, number in reading.left_out.items()))


class _Reading:
    """What is known while the parts of a file are read."""

    def __init__(self, file: XmlFile) -> None:
        self.file = file
        self.left_out: Counter[str] = Counter()
        projects = [one for one in file.root.iterfind("Project") if one.find("Activity") is not None]
        if not projects:
            hint = "export a project with its activities"
            raise InputError("the file has no activities", hint=hint, place=Place(str(file.path)))
        if len(projects) > 1:
            self.left_out["projects are in the file, and one is read"] = len(projects)
        self.project = projects[0]
        self.calendar: dict[str, int] = {}
        rule = self.project.findtext("ScheduleOptions/RelationshipLagCalendar") or self.project.findtext(
            "RelationshipLagCalendar"
        )
        self.lags = LagCalendars(self._calendars(), RULES.get(rule or "", LagRule.PREDECESSOR))
        self.branches, self._branch = branches_of(self._tree())
        self.row: dict[str, int] = {}
        self._field = next(
            (one.text("ObjectId") for one in located(file.root, "UDFType") if one.text("Title") == ID_FIELD), None
        )
        self.baseline = self._baseline()

    def _calendars(self) -> list[DayCalendar]:
        """Return the calendars: the project's own first, and days off of a base calendar with those of the others."""
        own = self.project.findtext("ActivityDefaultCalendarObjectId")
        elements = {one.text("ObjectId"): one for one in located(self.file.root, "Calendar")}
        found: list[DayCalendar] = []
        for number in sorted(elements, key=lambda number: number != own):
            self.calendar[number] = len(found)
            one = elements[number]
            with self.file.at(one, "Calendar"):
                found.append(_calendar(one, elements))
                continue
            found.append(DayCalendar(one.text("Name"), STANDARD_WEEK))
        return found or [DayCalendar("Standard", STANDARD_WEEK)]

    def _tree(self) -> dict[str, Node]:
        return {
            one.findtext("ObjectId") or "": Node(
                *(one.findtext(name) or "" for name in ("ParentObjectId", "Code", "Name"))
            )
            for one in self.project.iterfind("WBS")
        }

    def _baseline(self) -> Baseline:
        """Return the dates of the current baseline, else of the first one, by the activity's id."""
        current = self.project.findtext("CurrentBaselineProjectObjectId")
        own = self.project.findtext("ObjectId")
        plans = [
            one
            for one in located(self.file.root, "BaselineProject")
            if one.element.findtext("OriginalProjectObjectId") in {own, None}
        ]
        chosen = next((one for one in plans if one.text("ObjectId") == current), next(iter(plans), None))
        found: Baseline = {}
        if chosen is not None:
            with self.file.at(chosen, "BaselineProject"):
                found |= {one.findtext("Id") or "": _dates(one) for one in chosen.element.iterfind("Activity")}
        return found

    def _own(self, name: str) -> Iterator[Located]:
        """Yield the elements of the project. A baseline, and each other project of the file, has some of the same name."""
        own = {id(one) for one in self.project.iterfind(name)}
        return (one for one in located(self.file.root, name) if id(one.element) in own)

    def tasks(self) -> Iterator[ExchangeTask]:
        """Yield the activities of the project."""
        names: set[str] = set()
        for one in self._own("Activity"):
            with self.file.at(one, "Activity"):
                task = self._task(one)
                if task.id in names:
                    raise ValueError(f"activity {task.id!r} is there twice; rename one of them")
                names.add(task.id)
                self.row[one.text("ObjectId")] = len(self.row)
                yield task

    def _task(self, one: Located) -> ExchangeTask:
        constraints = (
            (one.text("PrimaryConstraintType"), one.text("PrimaryConstraintDate")),
            (one.text("SecondaryConstraintType"), one.text("SecondaryConstraintDate")),
        )
        dates = {kind: instant_in(text) for kind, text in constraints if kind and text}
        started, finished = instant_in(one.text("ActualStartDate")), instant_in(one.text("ActualFinishDate"))
        started = started or finished
        if started is not None and finished is not None and finished < started:
            raise ValueError(f"activity {one.text('Id')!r} finished before it started; correct one of the dates")
        planned = instant_in(one.text("PlannedStartDate")), instant_in(one.text("PlannedFinishDate"))
        baseline = self.baseline.get(one.text("Id"), (None, None)) if self.baseline else planned
        left = minutes_of_hours(one.text("RemainingDuration"))
        return ExchangeTask(
            id=self._id(one.element) or one.text("Id"),
            title=one.text("Name"),
            calendar=self.calendar.get(one.text("CalendarObjectId"), 0),
            minutes=max(0, minutes_of_hours(one.text("PlannedDuration")) or 0),
            branch=self._branch.get(one.text("WBSObjectId")),
            start=started or instant_in(one.text("StartDate") or one.text("PlannedStartDate")),
            finish=finished or instant_in(one.text("FinishDate") or one.text("PlannedFinishDate")),
            baseline_start=baseline[0],
            baseline_finish=baseline[1],
            actual_start=started,
            actual_finish=finished,
            remaining=left if started is not None and finished is None else None,
            stated_percent=_stated_percent(one),
            no_earlier=next((at for kind, at in dates.items() if kind in NOT_EARLIER), None),
            no_later=next((at for kind, at in dates.items() if kind in NOT_LATER), None),
        )

    def _id(self, element: Element) -> str:
        for own in element.iterfind("UDF") if self._field is not None else ():
            if own.findtext("TypeObjectId") == self._field:
                return (own.findtext("TextValue") or "").strip()
        return ""

    def links(self, tasks: list[ExchangeTask]) -> Iterator[ExchangeLink]:
        """Yield the links. What is linked to another project is left out and counted."""
        for one in self._own("Relationship"):
            with self.file.at(one, "Relationship"):
                before = self.row.get(one.text("PredecessorActivityObjectId"))
                after = self.row.get(one.text("SuccessorActivityObjectId"))
                if before is None or after is None:
                    self.left_out["links with another project are left out"] += 1
                    continue
                kind = one.text("Type")
                if kind not in TIES:
                    raise ValueError(f"{kind[:40]!r} is no type of a link; types are {', '.join(TIES)}")
                lag = minutes_of_hours(one.text("Lag")) or 0
                calendar = self.lags.of(tasks[before].calendar, tasks[after].calendar)
                yield ExchangeLink(before, after, TIES[kind], lag, calendar)

    def resources(self) -> Iterator[tuple[str, ExchangeResource]]:
        """Yield the resources."""
        for one in located(self.file.root, "Resource"):
            with self.file.at(one, "Resource"):
                amount = round(number_in(one.text("MaxUnitsPerTime") or "1"))
                yield one.text("ObjectId"), ExchangeResource(one.text("Id"), one.text("Name"), amount)

    def assignments(self, resources: list[str]) -> Iterator[Assignment]:
        """Yield what activities have of resources."""
        place = {number: row for row, number in enumerate(resources)}
        for one in located(self.file.root, "ResourceAssignment"):
            with self.file.at(one, "ResourceAssignment"):
                task, resource = self.row.get(one.text("ActivityObjectId")), place.get(one.text("ResourceObjectId"))
                if task is not None and resource is not None:
                    amount = number_in(one.text("PlannedUnitsPerTime") or "1")
                    yield Assignment(task, resource, max(1, round(amount)))


def _stated_percent(one: Located) -> int | None:
    """Return how much of the physical work or of the units is done. None where P6 counts the duration."""
    if one.text("PercentCompleteType") not in {"Physical", "Units"}:
        return None
    return percent_of(number_in(one.text("PercentComplete") or "0"), 1)


def _dates(activity: Element) -> tuple[datetime | None, datetime | None]:
    """Return the start and the finish of an activity of a baseline."""
    start, finish = (
        instant_in((activity.findtext(f"{kind}Date") or activity.findtext(f"Planned{kind}Date") or "").strip())
        for kind in ("Start", "Finish")
    )
    return start, finish


def _calendar(one: Located, elements: dict[str, Located]) -> DayCalendar:
    week: list[Spans] = [()] * 7
    for day in one.element.iterfind("StandardWorkWeek/StandardWorkHours"):
        name = (day.findtext("DayOfWeek") or "").strip()
        if name not in DAYS:
            raise ValueError(f"{name[:20]!r} is no day of the week")
        week[DAYS.index(name)] = _spans(day)
    exceptions: dict[date, Spans] = {}
    base = elements.get(one.text("BaseCalendarObjectId"))
    for source in (*([base] if base is not None else []), one):
        for day in source.element.iterfind("HolidayOrExceptions/HolidayOrException"):
            at = instant_in((day.findtext("Date") or "").strip())
            if at is not None:
                exceptions[at.date()] = _spans(day)
    return DayCalendar(one.text("Name"), tuple(week), exceptions)


def _spans(element: Element) -> Spans:
    """Return the working times. P6 writes the last minute that is worked: 15:59 is until 16:00."""
    spans = []
    for time in element.iterfind("WorkTime"):
        begins, ends = (time.findtext("Start") or "").strip(), (time.findtext("Finish") or "").strip()
        if begins and ends:
            start, end = minute_of_day(begins), minute_of_day(ends)
            end = end + 1 if end % 10 == 9 else end or DAY
            if end <= start:
                raise ValueError(f"working time from {begins} to {ends} ends before it begins; correct it")
            spans.append((start, end))
    return tuple(sorted(spans))
