"""The list for a meeting: what each trade and contractor does in the next three weeks, and what is in their way."""

from __future__ import annotations

from collections.abc import Container, Iterator
from operator import attrgetter

from clusterwright.look_ahead import in_the_way, look_ahead
from clusterwright.output import day
from clusterwright.week_report import Line, Lines, WeekReport, constraint_line, decision_lines
from ledger.questions.action_items import action_items
from ledger.questions.activities import activities
from ledger.questions.decisions_needed import decisions_needed
from ledger.questions.kept_forecast import KeptForecast, kept_forecast
from ledger.questions.lateness import finish_of, start_of
from ledger.questions.people import people
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.permission import is_same
from steps.catalog.terms import Kind
from steps.stamps import local_day


def meeting_report(
    snapshot: Snapshot, trade: str | None, organisation: str | None, record: str, lapsed: Container[str]
) -> WeekReport:
    """Return the list, of all trades or of one, and of one contractor where one is named. `lapsed` is as for `decisions_needed`."""
    site, fresh = site_of(snapshot), kept_forecast(snapshot)
    zone, found = site.time_zone, fresh.forecast if fresh else None
    theirs = [
        row
        for row in activities(snapshot, organisation=organisation)
        if trade in {None, row.plan.role} and row.plan.kind is not Kind.GATE
    ]
    rows = look_ahead(theirs, found, snapshot.now)
    among = {row.id for row in rows}
    groups: dict[tuple[str, str], list[Activity]] = {}
    for row in sorted(theirs, key=lambda row: (row.plan.role, row.whose, row.ordinal)):
        groups.setdefault((row.plan.role, row.whose), []).append(row)
    sections: dict[str, Lines] = {}
    for (role, whose), own in groups.items():
        name = f"{role}, {whose}" if whose else role
        lines = sorted((_line(row, found, zone) for row in own if row.id in among), key=attrgetter("date", "id"))
        if lines:
            sections[name] = tuple(lines)
        if waits := in_the_way(snapshot, own, found):
            sections[f"In the way of {name}"] = tuple(constraint_line(one, zone) for one in waits)
    needed = [one for one in decisions_needed(snapshot, lapsed) if one.activity.partition("#")[0] in among]
    sections["Decisions needed"] = decision_lines(snapshot, needed, zone)
    if actions := tuple(_actions(snapshot, among if trade or organisation else None, organisation)):
        sections["Action items"] = actions
    past, late = (sum(row.past_planned_finish for row in those) for those in (rows, theirs))
    later = f", and {late - past} of work that starts later" if late > past else ""
    crews = len({(row.plan.role, row.whose) for row in rows})
    said = f"Activities: {len(rows)}; crews: {crews}; past their planned finish: {past}{later}."
    return WeekReport(site.name, site.rehearsal, day(snapshot.now, zone), said, sections, record, "three weeks from")


def _actions(snapshot: Snapshot, among: Container[str] | None, organisation: str | None) -> Iterator[Line]:
    """Yield the open action items: all, or those about work in `among` and those of the organisation's people."""
    theirs = {one.id for one in people(snapshot) if organisation and is_same(one.organisation, organisation)}
    today = local_day(snapshot.now, site_of(snapshot).time_zone)
    for item in action_items(snapshot):
        if among is None or item.activity in among or item.owner in theirs:
            overdue = ", overdue" if item.due < today else ""
            yield Line(item.owner, item.id, item.text, str(item.due), f"{item.activity or 'the site'}{overdue}")


def _line(row: Activity, found: KeptForecast | None, zone: str) -> Line:
    """Return when work starts, and when it ends: as expected, and as planned where that is another day."""
    planned = day(row.plan.dates.early_finish if row.plan.dates else None, zone)
    expected = day(finish_of(found, row.id, row.state), zone) or planned
    late = f", planned {planned}" if expected != planned else ""
    past = ", past its planned finish" if row.past_planned_finish else ""
    return Line(
        row.assignee or row.whose or row.plan.role,
        row.id,
        row.plan.title,
        day(start_of(found, row), zone),
        f"{row.state.words}, to be finished {expected}{late}{past}",
    )
