"""Writes a schedule as MSPDI, the XML of Microsoft Project.

Our id is the custom field Text1. Summary tasks are the phases and, below them, the units. Each task keeps its calendar, and its
assignments do not change its dates: its type is fixed duration and resource calendars are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta

from schedule.cpm.columns import Tie
from schedule.exchange.carrying import for_microsoft
from schedule.exchange.model import DayCalendar, Exchange, ExchangeLink, ExchangeTask, Spans
from schedule.exchange.text import clock, element, iso, period, xml_text

TEXT1 = 188743731
"""The number of the custom field Text1."""
ID_FIELD = "Clusterwright ID"
TYPES = {Tie.FF: 0, Tie.FS: 1, Tie.SF: 2, Tie.SS: 3}
HOURS, ELAPSED_HOURS = 5, 6
"""Units in which a duration or a lag is shown."""
START_NO_EARLIER = 4
CALENDAR_UID = 1
"""Of the first calendar; the others follow."""


def mspdi_of(found: Exchange) -> tuple[Iterator[str], Sequence[str]]:
    """Return the pieces of the file's text, and what Microsoft Project cannot have, in sentences."""
    carried = for_microsoft(found)
    notices = list(carried.notices)
    late = sum(task.no_later is not None for task in found.tasks)
    if late:
        notices.append(f"latest finishes that are deadlines: {late:,}; a task of Microsoft Project has one constraint")
    return _pieces(carried.schedule), notices


def _pieces(found: Exchange) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    yield '<Project xmlns="http://schemas.microsoft.com/project">\n'
    yield from _head(found)
    yield "<Calendars>\n"
    for number, calendar in enumerate(found.calendars):
        yield from _calendar(number + CALENDAR_UID, calendar)
    yield "</Calendars>\n<Tasks>\n"
    yield from _tasks(found)
    yield "</Tasks>\n<Resources>\n"
    for number, resource in enumerate(found.resources):
        name = f"<UID>{number + 1}</UID><ID>{number + 1}</ID><Name>{xml_text(resource.title)}</Name><Type>1</Type>"
        code = f"<IsNull>0</IsNull><Code>{xml_text(resource.id)}</Code><MaxUnits>{resource.amount}</MaxUnits>"
        yield f"<Resource>{name}{code}<CalendarUID>{CALENDAR_UID}</CalendarUID></Resource>\n"
    yield "</Resources>\n<Assignments>\n"
    yield from _assignments(found)
    yield "</Assignments>\n</Project>\n"


def _head(found: Exchange) -> Iterator[str]:
    own = found.calendars[0]
    facts = {
        "SaveVersion": 14,
        "Name": xml_text(found.name),
        "Title": xml_text(found.name),
        "ScheduleFromStart": 1,
        "StartDate": iso(found.start),
        "FinishDate": iso(found.finish),
        "CurrencyCode": xml_text(found.currency),
        "CalendarUID": CALENDAR_UID,
        "DefaultStartTime": clock(_opens(own)),
        "MinutesPerDay": own.day_minutes,
        "MinutesPerWeek": own.week_minutes,
        "DaysPerMonth": 20,
        "DefaultTaskType": 1,
        "DurationFormat": HOURS,
        "NewTasksAreManual": 0,
        "StatusDate": iso(found.data_date),
    }
    yield from (element(name, value) + "\n" for name, value in facts.items())
    field = element("FieldID", TEXT1) + element("FieldName", "Text1") + element("Alias", ID_FIELD)
    yield f"<ExtendedAttributes><ExtendedAttribute>{field}</ExtendedAttribute></ExtendedAttributes>\n"


def _opens(calendar: DayCalendar) -> int:
    return min((spans[0][0] for spans in calendar.week if spans), default=0)


def _calendar(uid: int, calendar: DayCalendar) -> Iterator[str]:
    yield f"<Calendar><UID>{uid}</UID><Name>{xml_text(calendar.name)}</Name><IsBaseCalendar>1</IsBaseCalendar>"
    yield "<IsBaselineCalendar>0</IsBaselineCalendar><BaseCalendarUID>-1</BaseCalendarUID><WeekDays>\n"
    for day_type in range(1, 8):  # Sunday is the first
        yield f"<WeekDay><DayType>{day_type}</DayType>{_times(calendar.week[(day_type - 2) % 7])}</WeekDay>\n"
    yield "</WeekDays>"
    if calendar.exceptions:
        yield "<Exceptions>\n"
        for day, spans in sorted(calendar.exceptions.items()):
            first = datetime.combine(day, time())
            last = first + timedelta(days=1, minutes=-1)
            span = f"<TimePeriod><FromDate>{iso(first)}</FromDate><ToDate>{iso(last)}</ToDate></TimePeriod>"
            once = f"<EnteredByOccurrences>0</EnteredByOccurrences>{span}<Occurrences>1</Occurrences><Type>1</Type>"
            yield f"<Exception>{once}{_times(spans)}</Exception>\n"
        yield "</Exceptions>"
    yield "</Calendar>\n"


def _times(spans: Spans) -> str:
    if not spans:
        return "<DayWorking>0</DayWorking>"
    times = "".join(
        f"<WorkingTime><FromTime>{clock(start)}</FromTime><ToTime>{clock(end)}</ToTime></WorkingTime>"
        for start, end in spans
    )
    return f"<DayWorking>1</DayWorking><WorkingTimes>{times}</WorkingTimes>"


def _tasks(found: Exchange) -> Iterator[str]:
    """Yield the tasks in the order of their outline. The UID of a task is its row and one; summaries come after all rows."""
    number = 0
    children: dict[int | None, list[int]] = {}
    for branch, one in enumerate(found.branches):
        children.setdefault(one.parent, []).append(branch)
    own: dict[int | None, list[int]] = {}
    for row, task in enumerate(found.tasks):
        own.setdefault(task.branch, []).append(row)

    def below(parent: int | None, level: int, outline: str) -> Iterator[str]:
        nonlocal number
        place = 0
        for row in own.get(parent, ()):
            number, place = number + 1, place + 1
            yield _task(found, row, number, level, f"{outline}{place}")
        for branch in children.get(parent, ()):
            number, place = number + 1, place + 1
            uid = len(found.tasks) + 1 + branch
            yield _summary(uid, number, found.branches[branch].title, level, f"{outline}{place}")
            yield from below(branch, level + 1, f"{outline}{place}.")

    yield _summary(0, 0, found.name, 0, "0")
    yield from below(None, 1, "")


def _summary(uid: int, number: int, title: str, level: int, outline: str) -> str:
    place = f"<WBS>{outline}</WBS><OutlineNumber>{outline}</OutlineNumber><OutlineLevel>{level}</OutlineLevel>"
    name = f"<UID>{uid}</UID><ID>{number}</ID><Name>{xml_text(title)}</Name><Active>1</Active><Manual>0</Manual>"
    return f"<Task>{name}<Type>1</Type><IsNull>0</IsNull>{place}<Milestone>0</Milestone><Summary>1</Summary></Task>\n"


def _task(found: Exchange, row: int, number: int, level: int, outline: str) -> str:
    task = found.tasks[row]
    place = f"<WBS>{outline}</WBS><OutlineNumber>{outline}</OutlineNumber><OutlineLevel>{level}</OutlineLevel>"
    name = f"<UID>{row + 1}</UID><ID>{number}</ID><Name>{xml_text(task.title)}</Name><Active>1</Active>"
    links = "".join(_link(found, link) for link in found.into[row])
    baseline = ""
    if task.baseline_start is not None and task.baseline_finish is not None:
        dates = element("Start", iso(task.baseline_start)) + element("Finish", iso(task.baseline_finish))
        baseline = f"<Baseline><Number>0</Number>{dates}</Baseline>"
    code = f"<ExtendedAttribute><FieldID>{TEXT1}</FieldID><Value>{xml_text(task.id)}</Value></ExtendedAttribute>"
    kept = "<Manual>0</Manual><Type>1</Type><IsNull>0</IsNull>"
    return f"<Task>{name}{kept}{place}{_dates(task)}{links}{code}{baseline}</Task>\n"


def _dates(task: ExchangeTask) -> str:
    constraint = task.no_earlier if task.actual_start is None else None
    fields = {
        "Priority": 500,
        "Start": iso(task.start),
        "Finish": iso(task.finish),
        "Duration": period(task.minutes),
        "DurationFormat": HOURS,
        "EffortDriven": 0,
        "Estimated": 0,
        "Milestone": int(not task.minutes),
        "Summary": 0,
        "Critical": int(task.is_critical),
        "LateStart": iso(task.late_start),
        "LateFinish": iso(task.late_finish),
        "FreeSlack": None if task.free_float is None else task.free_float * 10,
        "TotalSlack": None if task.total_float is None else task.total_float * 10,
        "PercentComplete": task.percent,
        "ActualStart": iso(task.actual_start),
        "ActualFinish": iso(task.actual_finish),
        "ActualDuration": period(max(0, task.minutes - task.left)) if task.actual_start is not None else None,
        "RemainingDuration": period(task.left),
        "ConstraintType": 0 if constraint is None else START_NO_EARLIER,
        "CalendarUID": task.calendar + CALENDAR_UID,
        "ConstraintDate": iso(constraint),
        "Deadline": iso(task.no_later),
        "LevelAssignments": 0,
        "LevelingCanSplit": 0,
        "IgnoreResourceCalendar": 1,
    }
    return "".join(element(name, value) for name, value in fields.items())


def _link(found: Exchange, link: ExchangeLink) -> str:
    unit = ELAPSED_HOURS if link.lag and found.calendars[link.lag_calendar].is_continuous else HOURS
    ends = f"<PredecessorUID>{link.before + 1}</PredecessorUID><Type>{TYPES[link.type]}</Type>"
    lag = f"<CrossProject>0</CrossProject><LinkLag>{link.lag * 10}</LinkLag><LagFormat>{unit}</LagFormat>"
    return f"<PredecessorLink>{ends}{lag}</PredecessorLink>"


def _assignments(found: Exchange) -> Iterator[str]:
    for number, one in enumerate(found.assignments):
        task = found.tasks[one.task]
        ends = f"<UID>{number + 1}</UID><TaskUID>{one.task + 1}</TaskUID><ResourceUID>{one.resource + 1}</ResourceUID>"
        dates = element("Finish", iso(task.finish)) + element("HasFixedRateUnits", 1)
        left = element("RemainingWork", period(task.left * one.amount)) + element("Start", iso(task.start))
        work = f"<Units>{one.amount}</Units><Work>{period(task.minutes * one.amount)}</Work>"
        yield f"<Assignment>{ends}{dates}{left}{work}</Assignment>\n"
