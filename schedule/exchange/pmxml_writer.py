"""Writes a schedule as PMXML, the XML of Primavera P6. Baseline dates are a baseline project with the same activities.

A working time ends in its last minute there (08:00 to 15:59 are eight hours), and durations and lags are hours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time

from schedule.exchange.carrying import LagRule, for_primavera
from schedule.exchange.model import DayCalendar, Exchange, ExchangeTask, Spans
from schedule.exchange.primavera import ID_FIELD, XML_RULES, XML_TYPES, codes_of, constraints_of
from schedule.exchange.text import clock, element, hours, iso, xml_text

NAMESPACE = "http://xmlns.oracle.com/Primavera/P6/V22.12/API/BusinessObjects"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PROJECT, BASELINE = 1, 2
"""Object ids of the project and of its baseline."""


def pmxml_of(found: Exchange) -> tuple[Iterator[str], Sequence[str]]:
    """Return the pieces of the file's text, and what P6 cannot have, in sentences."""
    carried = for_primavera(found)
    codes, shortened = codes_of(carried.schedule.tasks)
    notices = [*carried.notices, *shortened]
    return _pieces(carried.schedule, carried.rule, codes), notices


def _pieces(found: Exchange, rule: LagRule, codes: Sequence[str]) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<APIBusinessObjects xmlns="{NAMESPACE}" '
    yield 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n'
    kind = element("DataType", "Text") + element("IsCalculated", 0) + element("ObjectId", 1)
    yield f"<UDFType>{kind}<SubjectArea>Activity</SubjectArea><Title>{ID_FIELD}</Title></UDFType>\n"
    for number, calendar in enumerate(found.calendars):
        yield from _calendar(number, calendar)
    for number, resource in enumerate(found.resources):
        name = f"<IsActive>1</IsActive><MaxUnitsPerTime>{resource.amount}</MaxUnitsPerTime>"
        place = f"<Name>{xml_text(resource.title)}</Name><ObjectId>{number + 1}</ObjectId>"
        code = f"<Id>{xml_text(resource.id)}</Id>"
        yield f"<Resource><CalendarObjectId>1</CalendarObjectId>{code}{name}{place}"
        yield "<ResourceType>Labor</ResourceType></Resource>\n"
    yield from _project(found, rule, codes)
    if found.baseline:
        yield from _baseline(found, codes)
    yield "</APIBusinessObjects>\n"


def _calendar(number: int, calendar: DayCalendar) -> Iterator[str]:
    day, week = calendar.day_minutes, calendar.week_minutes
    lengths = (("Day", day), ("Month", week * 4), ("Week", week), ("Year", week * 52))
    yield "<Calendar>" + "".join(element(f"HoursPer{name}", hours(minutes)) for name, minutes in lengths)
    yield f"<IsDefault>{int(not number)}</IsDefault><IsPersonal>0</IsPersonal><Name>{xml_text(calendar.name)}</Name>"
    yield f"<ObjectId>{number + 1}</ObjectId><Type>Global</Type><StandardWorkWeek>\n"
    for place in (6, 0, 1, 2, 3, 4, 5):  # Sunday is the first
        own = f"<DayOfWeek>{DAYS[place]}</DayOfWeek>{_times(calendar.week[place])}"
        yield f"<StandardWorkHours>{own}</StandardWorkHours>\n"
    yield "</StandardWorkWeek><HolidayOrExceptions>\n"
    for date, spans in sorted(calendar.exceptions.items()):
        at = iso(datetime.combine(date, time()))
        yield f"<HolidayOrException><Date>{at}</Date>{_times(spans)}</HolidayOrException>\n"
    yield "</HolidayOrExceptions></Calendar>\n"


def _times(spans: Spans) -> str:
    return "".join(
        f"<WorkTime><Start>{clock(start)}</Start><Finish>{clock(end - 1)}</Finish></WorkTime>" for start, end in spans
    )


def _project(found: Exchange, rule: LagRule, codes: Sequence[str]) -> Iterator[str]:
    facts = {
        "ActivityDefaultActivityType": "Task Dependent",
        "ActivityDefaultCalendarObjectId": 1,
        "ActivityDefaultDurationType": "Fixed Duration and Units/Time",
        "ActivityDefaultPercentCompleteType": "Duration",
        "CriticalActivityPathType": "Critical Float",
        "CurrentBaselineProjectObjectId": BASELINE if found.baseline else None,
        "DataDate": iso(found.data_date),
        "FinishDate": iso(found.finish),
        "Id": xml_text(found.name[:40]),
        "Name": xml_text(found.name),
        "ObjectId": PROJECT,
        "PlannedStartDate": iso(found.start),
        "RelationshipLagCalendar": XML_RULES[rule],
        "StartDate": iso(found.start),
        "Status": "Active",
        "WBSCodeSeparator": ".",
    }
    yield "<Project>" + "\n".join(element(name, value) for name, value in facts.items()) + "\n"
    yield from _branches(found, PROJECT, 1)
    for row, task in enumerate(found.tasks):
        yield _activity(task, row + 1, codes[row], PROJECT, 1)
    yield from _assignments(found)
    for number, link in enumerate(found.links):
        ends = f"<PredecessorActivityObjectId>{link.before + 1}</PredecessorActivityObjectId>"
        of = f"<PredecessorProjectObjectId>{PROJECT}</PredecessorProjectObjectId>"
        after = f"<SuccessorActivityObjectId>{link.after + 1}</SuccessorActivityObjectId>"
        kind = f"<SuccessorProjectObjectId>{PROJECT}</SuccessorProjectObjectId><Type>{XML_TYPES[link.type]}</Type>"
        yield f"<Relationship><Lag>{hours(link.lag)}</Lag><ObjectId>{number + 1}</ObjectId>{ends}{of}{after}{kind}"
        yield "</Relationship>\n"
    logic = "<OutOfSequenceScheduleType>Retained Logic</OutOfSequenceScheduleType>"
    lags = f"<RelationshipLagCalendar>{XML_RULES[rule]}</RelationshipLagCalendar>"
    yield f"<ScheduleOptions>{logic}<ProjectObjectId>{PROJECT}</ProjectObjectId>{lags}</ScheduleOptions>\n</Project>\n"


def _branches(found: Exchange, project: int, first: int) -> Iterator[str]:
    for number, branch in enumerate(found.branches):
        parent = None if branch.parent is None else branch.parent + first
        code = branch.code.rpartition(".")[2]
        name = (
            f"<Code>{xml_text(code)}</Code><Name>{xml_text(branch.title)}</Name><ObjectId>{number + first}</ObjectId>"
        )
        place = element("ParentObjectId", parent) + element("ProjectObjectId", project)
        yield f"<WBS>{name}{place}<SequenceNumber>{number}</SequenceNumber><Status>Active</Status></WBS>\n"


def _activity(task: ExchangeTask, number: int, code: str, project: int, first_branch: int) -> str:
    first, second = constraints_of(task, "Start On or After", "Finish On or Before")
    is_open = task.actual_finish is None
    done = task.minutes - task.left if task.actual_start is not None else 0
    fields = {
        "ActualDuration": hours(max(0, done)),
        "ActualFinishDate": iso(task.actual_finish),
        "ActualStartDate": iso(task.actual_start),
        "AtCompletionDuration": hours(max(task.minutes, task.left)),
        "CalendarObjectId": task.calendar + 1,
        "DurationType": "Fixed Duration and Units/Time",
        "FinishDate": iso(task.actual_finish or task.finish),
        "Id": xml_text(code),
        "Name": xml_text(task.title),
        "ObjectId": number,
        "PercentCompleteType": "Duration",
        "PlannedDuration": hours(task.minutes),
        "PlannedFinishDate": iso(task.finish),
        "PlannedStartDate": iso(task.start),
        "PrimaryConstraintDate": iso(first[1]),
        "PrimaryConstraintType": first[0],
        "ProjectObjectId": project,
        "RemainingDuration": hours(task.left),
        "RemainingEarlyFinishDate": iso(task.finish) if is_open else None,
        "RemainingEarlyStartDate": iso(task.start) if task.actual_start is None else None,
        "RemainingLateFinishDate": iso(task.late_finish) if is_open else None,
        "RemainingLateStartDate": iso(task.late_start) if is_open else None,
        "SecondaryConstraintDate": iso(second[1]),
        "SecondaryConstraintType": second[0],
        "StartDate": iso(task.start),
        "Status": status_of(task),
        "Type": "Task Dependent" if task.minutes else "Finish Milestone",
        "WBSObjectId": None if task.branch is None else task.branch + first_branch,
    }
    own = "".join(element(name, value) for name, value in fields.items())
    whole = f"<UDF><TypeObjectId>1</TypeObjectId><TextValue>{xml_text(task.id)}</TextValue></UDF>"
    return f"<Activity>{own}{whole if code != task.id else ''}</Activity>\n"


def status_of(task: ExchangeTask) -> str:
    """Return the state of an activity in P6's words."""
    if task.actual_finish is not None:
        return "Completed"
    return "Not Started" if task.actual_start is None else "In Progress"


def _assignments(found: Exchange) -> Iterator[str]:
    for number, one in enumerate(found.assignments):
        task = found.tasks[one.task]
        fields = {
            "ActivityObjectId": one.task + 1,
            "FinishDate": iso(task.finish),
            "ObjectId": number + 1,
            "PlannedUnits": hours(task.minutes * one.amount),
            "PlannedUnitsPerTime": one.amount,
            "ProjectObjectId": PROJECT,
            "RemainingUnits": hours(task.left * one.amount),
            "RemainingUnitsPerTime": one.amount,
            "ResourceObjectId": one.resource + 1,
            "ResourceType": "Labor",
            "StartDate": iso(task.start),
        }
        yield "<ResourceAssignment>" + "".join(element(*field) for field in fields.items()) + "</ResourceAssignment>\n"


def _baseline(found: Exchange, codes: Sequence[str]) -> Iterator[str]:
    """Yield the baseline project: the tasks that it dates, at its dates."""
    facts = {
        "Id": xml_text(f"{found.name[:36]} - B1"),
        "Name": xml_text(found.baseline),
        "ObjectId": BASELINE,
        "OriginalProjectObjectId": PROJECT,
        "PlannedStartDate": iso(found.start),
    }
    yield "<BaselineProject>" + "".join(element(*field) for field in facts.items()) + "\n"
    first = len(found.branches) + 1
    yield from _branches(found, BASELINE, first)
    for row, task in enumerate(found.tasks):
        start, finish = task.baseline_start, task.baseline_finish
        if start is not None and finish is not None:
            planned = ExchangeTask(
                id=task.id,
                title=task.title,
                calendar=task.calendar,
                minutes=task.minutes,
                branch=task.branch,
                start=start,
                finish=finish,
            )
            yield _activity(planned, len(found.tasks) + row + 1, codes[row], BASELINE, first)
    yield "</BaselineProject>\n"
