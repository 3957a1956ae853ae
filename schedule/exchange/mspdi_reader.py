"""Reads MSPDI, the XML of Microsoft Project. Our id is the custom field that the export named, else the task's unique id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime

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
from schedule.exchange.mspdi_calendars import read_calendars
from schedule.exchange.mspdi_writer import ID_FIELD, TYPES
from schedule.exchange.read import Read
from schedule.exchange.writing import Form
from schedule.exchange.xml_reading import (
    Located,
    XmlFile,
    instant_in,
    located,
    minutes_of_period,
    number_in,
    whole_number,
)

TIES = {number: tie for tie, number in TYPES.items()}
PERCENT_LAGS = frozenset({19, 20, 51, 52})
ELAPSED = frozenset({4, 6, 8, 10, 12, 20, 36, 38, 40, 42, 44, 52})
"""Units that count around the clock, of durations and lags."""
AROUND = "around the clock"
NOT_EARLIER, NOT_LATER = frozenset({2, 4}), frozenset({3, 7})
"""Constraints: must start on and start no earlier than; must finish on and finish no later than."""


def read_mspdi(file: XmlFile) -> Read:
    """Return the schedule of a file. Raise InputError for all faults."""
    reading = _Reading(file)
    tasks = list(reading.tasks())
    links = list(reading.links(tasks))
    resources = dict(reading.resources())
    assignments = list(reading.assignments(resources))
    root = Located(file.root, 0)
    starts = [task.start for task in tasks if task.start is not None]
    start, data_date = min(starts, default=datetime(2000, 1, 1)), None  # noqa: DTZ001 - local
    with file.at(root, "Project"):
        start = instant_in(root.text("StartDate")) or start
        data_date = instant_in(root.text("StatusDate"))
    file.faults.end()
    schedule = Exchange(
        name=root.text("Title") or root.text("Name"),
        start=start,
        data_date=data_date,
        calendars=reading.calendars,
        branches=reading.branches,
        tasks=tasks,
        links=links,
        resources=list(resources.values()),
        assignments=assignments,
        baseline="baseline" if any(task.baseline_start for task in tasks) else "",
    )
    return Read(schedule, Form.MSPDI, tuple(f"{number:,} {what}" for what, number in reading.left_out.items()))


class _Reading:
    """What is known while the parts of a file are read."""

    def __init__(self, file: XmlFile) -> None:
        self.file = file
        self.left_out: Counter[str] = Counter()
        found, default = read_calendars(file)
        self.uids: Mapping[int, int] = {uid: place for place, uid in enumerate(found)}
        self.calendars: list[DayCalendar] = list(found.values())
        self.default = self.uids.get(default, 0)
        self.branches: list[Branch] = []
        self.row: dict[int, int] = {}
        self._elements: list[Located] = []
        self._code = next(
            (one.text("FieldID") for one in located(file.root, "ExtendedAttribute") if one.text("Alias") == ID_FIELD),
            None,
        )

    @property
    def around(self) -> int:
        """The calendar that is always worked."""
        place = next((place for place, one in enumerate(self.calendars) if one.is_continuous), None)
        if place is None:
            self.calendars.append(DayCalendar(AROUND, (ALL_DAY,) * 7))
            place = len(self.calendars) - 1
        return place

    def tasks(self) -> Iterator[ExchangeTask]:
        """Yield the tasks that are no summaries; those are branches."""
        above: dict[int, int] = {}
        names: dict[str, int] = {}
        for one in located(self.file.root, "Task"):
            if one.element.find("UID") is None or one.text("IsNull") == "1" or one.text("UID") == "0":
                continue
            if one.text("Active") == "0":
                self.left_out["inactive tasks are left out"] += 1
                continue
            with self.file.at(one, "Task"):
                level = whole_number(one.text("OutlineLevel") or "1")
                while above and next(reversed(above)) >= level:
                    above.popitem()
                parent = next(reversed(above.values()), None)
                if one.text("Summary") == "1":
                    self.branches.append(Branch(one.text("WBS"), one.text("Name"), parent))
                    above[level] = len(self.branches) - 1
                    continue
                uid = whole_number(one.text("UID"))
                task = self._task(one, parent)
                if uid in self.row or task.id in names:
                    raise ValueError(f"task {task.id!r} is there twice; take one of them out")
                names[task.id] = self.row[uid] = len(self._elements)
                self._elements.append(one)
                yield task

    def _task(self, one: Located, branch: int | None) -> ExchangeTask:
        calendar = whole_number(one.text("CalendarUID") or "-1")
        minutes = minutes_of_period(one.text("Duration")) or 0
        if minutes < 0:
            raise ValueError(f"a duration of {one.text('Duration')} is less than nothing; correct it")
        elapsed = whole_number(one.text("DurationFormat") or "0") in ELAPSED
        kind = whole_number(one.text("ConstraintType") or "0")
        held = instant_in(one.text("ConstraintDate"))
        started, finished = instant_in(one.text("ActualStart")), instant_in(one.text("ActualFinish"))
        if finished is not None and started is None:
            started = finished
        if started is not None and finished is not None and finished < started:
            raise ValueError(f"task {self._id(one)!r} finished before it started; correct one of the dates")
        baseline = next((part for part in one.element.iter("Baseline") if part.findtext("Number") == "0"), None)
        left = minutes_of_period(one.text("RemainingDuration"))
        return ExchangeTask(
            id=self._id(one),
            title=one.text("Name"),
            calendar=self.around if elapsed else self.uids.get(calendar, self.default),
            minutes=minutes,
            branch=branch,
            start=instant_in(one.text("Start")),
            finish=instant_in(one.text("Finish")),
            baseline_start=None if baseline is None else instant_in(baseline.findtext("Start") or ""),
            baseline_finish=None if baseline is None else instant_in(baseline.findtext("Finish") or ""),
            actual_start=started,
            actual_finish=finished,
            remaining=left if started is not None and finished is None else None,
            stated_percent=whole_number(one.text("PercentComplete") or "0") if left is None else None,
            no_earlier=held if kind in NOT_EARLIER else None,
            no_later=held if kind in NOT_LATER else instant_in(one.text("Deadline")),
        )

    def _id(self, one: Located) -> str:
        if self._code is not None:
            for own in one.element.iter("ExtendedAttribute"):
                if own.findtext("FieldID") == self._code and (own.findtext("Value") or "").strip():
                    return (own.findtext("Value") or "").strip()
        return one.text("UID")

    def links(self, tasks: list[ExchangeTask]) -> Iterator[ExchangeLink]:
        """Yield the links between tasks. What is linked to a summary or to another project is left out and counted."""
        for after, one in enumerate(self._elements):
            for link in one.element.iter("PredecessorLink"):
                with self.file.at(one, "PredecessorLink"):
                    before = self.row.get(whole_number(link.findtext("PredecessorUID") or ""))
                    if before is None or link.findtext("CrossProject") == "1":
                        self.left_out["links with a summary task or another project are left out"] += 1
                        continue
                    unit = whole_number(link.findtext("LagFormat") or "7")
                    tenths = whole_number(link.findtext("LinkLag") or "0")
                    lag = round(tasks[before].minutes * tenths / 100 if unit in PERCENT_LAGS else tenths / 10)
                    calendar = self.around if unit in ELAPSED and lag else tasks[after].calendar
                    kind = whole_number(link.findtext("Type") or "1")
                    if kind not in TIES:
                        raise ValueError(f"{kind} is no type of a link; types are 0 to 3")
                    yield ExchangeLink(before, after, TIES[kind], lag, calendar)

    def resources(self) -> Iterator[tuple[int, ExchangeResource]]:
        """Yield the resources that have a name."""
        for one in located(self.file.root, "Resource"):
            with self.file.at(one, "Resource"):
                uid, name = whole_number(one.text("UID") or "0"), one.text("Name")
                if name and one.text("IsNull") != "1":
                    amount = number_in(one.text("MaxUnits") or "1")
                    yield uid, ExchangeResource(one.text("Code") or name, name, round(amount))

    def assignments(self, resources: Mapping[int, ExchangeResource]) -> Iterator[Assignment]:
        """Yield what tasks have of resources."""
        place = {uid: number for number, uid in enumerate(resources)}
        for one in located(self.file.root, "Assignment"):
            with self.file.at(one, "Assignment"):
                task = self.row.get(whole_number(one.text("TaskUID") or "-1"))
                resource = place.get(whole_number(one.text("ResourceUID") or "-1"))
                if task is not None and resource is not None:
                    yield Assignment(task, resource, max(1, round(number_in(one.text("Units") or "1"))))
