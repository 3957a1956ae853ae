"""The list for a meeting: what each trade and contractor does in the next three weeks, and what is in their way."""

from __future__ import annotations

from collections.abc import Container, Iterator
from operator import attrgetter

from clusterwright.output import day
from clusterwright.week_report import AHEAD, Line, Lines, WeekReport, constraint_line, decision_lines
from ledger.questions.action_items import action_items
from ledger.questions.activities import activities
from ledger.questions.constraints import constraints
from ledger.questions.decisions_needed import decisions_needed
from ledger.questions.people import people
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import OVER, Activity
from ledger.rules.permission import is_same
from steps.catalog.terms import Kind
from steps.stamps import local_day


def meeting_report(
    snapshot: Snapshot, trade: str | None, organisation: str | None, record: str, lapsed: Container[str]
) -> WeekReport:
    """Return the list, of all trades or of one, and of one contractor where one is named. `lapsed` is as for `decisions_needed`."""
    site, until = site_of(snapshot), snapshot.now + AHEAD
    zone = site.time_zone
    rows = [
        row
        for row in activities(snapshot, organisation=organisation)
        if row.state not in OVER
        and row.plan.dates
        and row.plan.dates.early_start <= until
        and trade in {None, row.plan.role}
        and row.plan.kind is not Kind.GATE
    ]
    groups: dict[tuple[str, str], list[Activity]] = {}
    for row in sorted(rows, key=lambda row: (row.plan.role, row.whose, row.ordinal)):
        groups.setdefault((row.plan.role, row.whose), []).append(row)
    sections: dict[str, Lines] = {}
    for (role, whose), own in groups.items():
        lines = sorted((_line(row, zone) for row in own), key=attrgetter("date", "id"))
        sections[f"{role}, {whose}" if whose else role] = tuple(lines)
        waits = tuple(constraint_line(one, zone) for one in constraints(snapshot, own))
        if waits:
            sections[f"In the way of {role}{f', {whose}' if whose else ''}"] = waits
    among = {row.id for row in rows}
    needed = [one for one in decisions_needed(snapshot, lapsed) if one.activity.partition("#")[0] in among]
    sections["Decisions needed"] = decision_lines(snapshot, needed, zone)
    if actions := tuple(_actions(snapshot, among if trade or organisation else None, organisation)):
        sections["Action items"] = actions
    past = sum(row.past_planned_finish for row in rows)
    said = f"{len(rows)} activities of {len(groups)} crews, {past} of them past their planned finish."
    return WeekReport(site.name, site.rehearsal, day(snapshot.now, zone), said, sections, record, "three weeks from")


def _actions(snapshot: Snapshot, among: Container[str] | None, organisation: str | None) -> Iterator[Line]:
    """Yield the open action items: all, or those about work in `among` and those of the organisation's people."""
    theirs = {one.id for one in people(snapshot) if organisation and is_same(one.organisation, organisation)}
    today = local_day(snapshot.now, site_of(snapshot).time_zone)
    for item in action_items(snapshot):
        if among is None or item.activity in among or item.owner in theirs:
            overdue = ", overdue" if item.due < today else ""
            yield Line(item.owner, item.id, item.text, str(item.due), f"{item.activity or 'the site'}{overdue}")


def _line(row: Activity, zone: str) -> Line:
    dates = row.plan.dates
    late = ", past its planned finish" if row.past_planned_finish else ""
    finish = f"to be finished {day(dates.early_finish, zone)}" if dates else ""
    start = day(row.started_at or (dates.early_start if dates else None), zone)
    return Line(
        row.assignee or row.whose or row.plan.role, row.id, row.plan.title, start, f"{row.state.words}, {finish}{late}"
    )
