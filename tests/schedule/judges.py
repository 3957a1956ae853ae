"""Schedulers of others, called on the same networks: longpath, and MPXJ's Primavera and Microsoft schedulers.

Each takes a network whose lags all follow one rule, and returns dates in minutes by row. Minute 0 is a Monday, 00:00.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib.util import find_spec
from shutil import which
from typing import Any, NamedTuple

from schedule.cpm.columns import NONE
from tests.schedule.networks import DAY, SPAN, TYPES, WEEKS, Case, Week

MONDAY = datetime(2027, 1, 4)  # noqa: DTZ001 - the judges know no time zones
DAYS = range(SPAN[0] // DAY, SPAN[1] // DAY)


class Dates(NamedTuple):
    """Dates by row; the start of what runs is that of its remaining work. None where the judge has none."""

    start: list[int | None]
    finish: list[int | None]
    late_start: list[int | None]
    late_finish: list[int | None]


class Judge(NamedTuple):
    """A scheduler, and why it cannot be asked here, if it cannot."""

    name: str
    missing: str
    dates: Callable[[Case, str], Dates]


def judges() -> list[Judge]:
    """Return all judges, installed or not."""
    packages = [name for name in ("mpxj", "jpype") if find_spec(name) is None]
    lacking = [*packages, *([] if which("java") else ["java"])]
    no_mpxj = f"not installed: {', '.join(lacking)}" if lacking else ""
    no_longpath = "" if find_spec("longpath") else "not installed: longpath"
    return [
        Judge("MPXJ Primavera", no_mpxj, _primavera),
        Judge("MPXJ Microsoft", no_mpxj, _microsoft),
        Judge("longpath", no_longpath, _longpath),
    ]


def _hours(week: Week, day: int) -> list[tuple[int, int]]:
    return list(week.hours) if day % 7 < week.days and day not in week.off else []


def _at(minute: int) -> datetime:
    return MONDAY + timedelta(minutes=minute)


def _state(case: Case, row: int) -> tuple[int, int, int]:
    """Return actual start, actual finish, and what remains."""
    duration = int(case.activities.duration[row])
    actuals = case.actuals
    if actuals is None:
        return NONE, NONE, duration
    started, finished = int(actuals.started[row]), int(actuals.finished[row])
    if finished != NONE:
        return started, finished, 0
    if actuals.remaining is not None and actuals.remaining[row] != NONE:
        return started, finished, int(actuals.remaining[row])
    return started, finished, duration if started == NONE else max(0, duration - _worked(case, row, started))


def _worked(case: Case, row: int, started: int) -> int:
    assert case.actuals is not None
    calendar = case.calendars[int(case.activities.calendar[row])]
    return int(calendar.work(case.actuals.data_date) - calendar.work(started))


# longpath


def _longpath(case: Case, lag_calendar: str) -> Dates:
    result = longpath_solver(case, lag_calendar)()
    columns = (result.rs, result.ef, result.ls, result.lf)
    shift = int((MONDAY - datetime(1970, 1, 1)).total_seconds()) // 60  # noqa: DTZ001 - as above
    rows_of = [str(row) for row in range(len(case.activities))]
    return Dates(*([None if row not in column else column[row] - shift for row in rows_of] for column in columns))


def longpath_solver(case: Case, lag_calendar: str) -> Callable[[], Any]:
    """Return what solves a network in longpath, ready to be called."""
    from longpath import cpm

    project, calendars, options = longpath_project(case, lag_calendar)
    return lambda: cpm.run(project, calendars, options)


def longpath_project(case: Case, lag_calendar: str) -> tuple[Any, dict[str, Any], Any]:
    """Return a network as longpath has it: the project, its calendars, and how it is to be solved."""
    from longpath import cpm, model
    from longpath.calendars import WorkCalendar

    calendars = {
        str(number): WorkCalendar(
            str(number),
            week.name,
            [list(week.hours) if day < week.days else [] for day in range(7)],
            {(MONDAY + timedelta(days=day)).date(): [] for day in week.off},
        )
        for number, week in enumerate(WEEKS)
    }
    data_date = case.actuals.data_date if case.actuals else 0
    project = model.Project("1", "x", "x", data_date=_at(data_date), planned_start=_at(0), default_calendar="0")
    for row, name in enumerate(case.activities.names):
        project.activities[str(row)] = _longpath_activity(model, case, row, name)
    rows = zip(case.links.before, case.links.after, case.links.type, case.links.lag, strict=True)
    for before, after, kind, lag in rows:
        project.relationships.append(model.Relationship(str(before), str(after), TYPES[kind], int(lag) / 60))
    options = cpm.CpmOptions(
        retained_logic=not (case.actuals and case.actuals.override),
        lag_calendar={"continuous": "24h"}.get(lag_calendar, lag_calendar),
    )
    return project, calendars, options


def _longpath_activity(model: Any, case: Case, row: int, name: str) -> Any:
    started, finished, remaining = _state(case, row)
    duration = int(case.activities.duration[row])
    activity = model.Activity(str(row), name, name, calendar_id=str(case.activities.calendar[row]))
    activity.type = model.TASK if duration else model.FINISH_MS
    activity.orig_dur_h = (remaining if started == NONE else duration) / 60
    activity.rem_dur_h = remaining / 60
    if started != NONE:
        activity.status = model.IN_PROGRESS if finished == NONE else model.COMPLETE
        activity.actual_start = _at(started)
        activity.actual_finish = None if finished == NONE else _at(finished)
    constraints = [
        (kind, int(column[row]))
        for kind, column in (("SNET", case.activities.no_earlier), ("FNLT", case.activities.no_later))
        if column is not None and column[row] != NONE
    ]
    for (kind, minute), (kind_field, date_field) in zip(
        constraints, (("cstr_type", "cstr_date"), ("cstr_type2", "cstr_date2")), strict=False
    ):
        setattr(activity, kind_field, kind)
        setattr(activity, date_field, _at(minute))
    return activity


# MPXJ


@cache
def java() -> Any:
    """Start Java once, with MPXJ's archives."""
    import jpype
    import mpxj

    assert mpxj
    if not jpype.isJVMStarted():
        jpype.startJVM(
            "-Xmx2g", "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory"
        )
    return jpype.JPackage("org").mpxj


def _primavera(case: Case, lag_calendar: str) -> Dates:
    return _java_dates(*mpxj_solver(case, lag_calendar, "PrimaveraScheduler"))


def _microsoft(case: Case, lag_calendar: str) -> Dates:
    return _java_dates(*mpxj_solver(case, lag_calendar, "MicrosoftScheduler"))


def _java_dates(solve: Callable[[], None], tasks: list[Any]) -> Dates:
    solve()
    getters = ("getEarlyStart", "getEarlyFinish", "getLateStart", "getLateFinish")
    return Dates(*([_minute(getattr(task, getter)()) for task in tasks] for getter in getters))


def mpxj_solver(case: Case, lag_calendar: str, scheduler: str) -> tuple[Callable[[], None], list[Any]]:
    """Return what solves a network in MPXJ, ready to be called, and its tasks."""
    org = java()
    project = org.ProjectFile()
    properties = project.getProjectProperties()
    properties.setRelationshipLagCalendar(
        {
            "predecessor": org.RelationshipLagCalendar.PREDECESSOR,
            "successor": org.RelationshipLagCalendar.SUCCESSOR,
            "continuous": org.RelationshipLagCalendar.TWENTY_FOUR_HOUR,
        }[lag_calendar]
    )
    calendars = [_java_calendar(org, project, week) for week in WEEKS]
    properties.setDefaultCalendar(calendars[0])
    if case.actuals:
        properties.setStatusDate(_java_time(case.actuals.data_date))
    tasks = [_java_task(org, project, case, row, calendars) for row in range(len(case.activities))]
    types = [
        org.RelationType.FINISH_START,
        org.RelationType.START_START,
        org.RelationType.FINISH_FINISH,
        org.RelationType.START_FINISH,
    ]
    rows = zip(case.links.before, case.links.after, case.links.type, case.links.lag, strict=True)
    for before, after, kind, lag in rows:
        builder = org.Relation.Builder().predecessorTask(tasks[before]).type(types[kind])
        tasks[after].addPredecessor(builder.lag(_java_duration(org, int(lag))))
    solver, start = getattr(org.cpm, scheduler)(), _java_time(0)
    return lambda: solver.schedule(project, start), tasks


def _java_calendar(org: Any, project: Any, week: Week) -> Any:
    from jpype import JPackage

    java_time = JPackage("java").time
    calendar = project.addCalendar()
    calendar.setName(week.name)
    ranges = [org.LocalTimeRange(_clock(start), _clock(end)) for start, end in week.hours]
    for number, day in enumerate(java_time.DayOfWeek.values()):
        works = number < week.days
        calendar.setCalendarDayType(day, org.DayType.WORKING if works else org.DayType.NON_WORKING)
        hours = calendar.addCalendarHours(day)
        for own in ranges if works else []:
            hours.add(own)
    for day in week.off:
        off: date = (MONDAY + timedelta(days=day)).date()
        calendar.addCalendarException(java_time.LocalDate.of(off.year, off.month, off.day))
    return calendar


def _java_task(org: Any, project: Any, case: Case, row: int, calendars: list[Any]) -> Any:
    started, finished, remaining = _state(case, row)
    duration = int(case.activities.duration[row])
    task = project.addTask()
    task.setName(case.activities.names[row])
    task.setCalendar(calendars[int(case.activities.calendar[row])])
    task.setActivityType(org.ActivityType.TASK_DEPENDENT if duration else org.ActivityType.FINISH_MILESTONE)
    task.setMilestone(not duration)
    task.setTaskMode(org.TaskMode.AUTO_SCHEDULED)
    task.setType(org.TaskType.FIXED_DURATION)
    task.setPercentCompleteType(org.PercentCompleteType.PHYSICAL)
    total = remaining if started == NONE else duration
    task.setDuration(_java_duration(org, total))
    task.setPlannedDuration(_java_duration(org, total))
    task.setActualDuration(_java_duration(org, 0 if started == NONE else duration - remaining))
    task.setRemainingDuration(_java_duration(org, remaining))
    task.setConstraintType(org.ConstraintType.AS_SOON_AS_POSSIBLE)
    if started != NONE:
        task.setActualStart(_java_time(started))
        if finished != NONE:
            task.setActualFinish(_java_time(finished))
    _constrain(org, task, case, row)
    return task


def _constrain(org: Any, task: Any, case: Case, row: int) -> None:
    """Set one constraint as the first and another as the second, as Primavera has them."""
    earlier, later = case.activities.no_earlier, case.activities.no_later
    has_earlier = earlier is not None and earlier[row] != NONE
    if has_earlier and earlier is not None:
        task.setConstraintType(org.ConstraintType.START_NO_EARLIER_THAN)
        task.setConstraintDate(_java_time(int(earlier[row])))
    if later is not None and later[row] != NONE:
        if has_earlier:
            task.setSecondaryConstraintType(org.ConstraintType.FINISH_NO_LATER_THAN)
            task.setSecondaryConstraintDate(_java_time(int(later[row])))
        else:
            task.setConstraintType(org.ConstraintType.FINISH_NO_LATER_THAN)
            task.setConstraintDate(_java_time(int(later[row])))


def _clock(minute: int) -> Any:
    from jpype import JPackage

    at = time(minute // 60 % 24, minute % 60)
    return JPackage("java").time.LocalTime.of(at.hour, at.minute)


def _java_time(minute: int) -> Any:
    from jpype import JPackage

    at = _at(minute)
    return JPackage("java").time.LocalDateTime.of(at.year, at.month, at.day, at.hour, at.minute)


def _java_duration(org: Any, minutes: int) -> Any:
    return org.Duration.getInstance(float(minutes), org.TimeUnit.MINUTES)


def _minute(at: Any) -> int | None:
    if at is None:
        return None
    known = datetime(at.getYear(), at.getMonthValue(), at.getDayOfMonth(), at.getHour(), at.getMinute())  # noqa: DTZ001 - as above
    return int((known - MONDAY).total_seconds()) // 60
