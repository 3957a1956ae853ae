"""The report of a week, a month or a phase in full: one set of facts, written as Markdown or CSV. The pages are before it, in HTML.

Text from people and files is escaped for each; a cell that a spreadsheet would take for a formula is quoted. A contractor's
report has the contractor's own work: no figure of the owner's, and no other's work but what theirs waits for.
"""

import io
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from clusterwright.look_ahead import AHEAD, in_the_way, look_ahead
from clusterwright.output import day, in_line
from ledger.questions.activities import activities
from ledger.questions.constraints import Constraint
from ledger.questions.decisions_needed import KINDS, Needed, everybody
from ledger.questions.halls import HallRow, halls
from ledger.questions.headlines import headlines
from ledger.questions.lateness import start_of
from ledger.questions.ncrs import PunchRow, punch
from ledger.questions.orders import orders
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import NOT_BEGUN, OVER, Activity, State
from ledger.rules.rows import OrderRow
from schedule.csv_lines import write_rows

DONE = {State.DONE, State.AWAITING_SIGN_OFF}
"""Work is done when people finished it. That it waits for its sign-off is in its note."""


Span = Literal["week", "month"]


class Line(NamedTuple):
    """One row of a section."""

    owner: str
    id: str
    title: str
    date: str
    note: str


Lines = tuple[Line, ...]


@dataclass(frozen=True)
class WeekReport:
    """A week at a site, by section. Each section of activities is sorted by owner and date."""

    site: str
    rehearsal: bool
    as_of: str
    go_live: str
    sections: dict[str, Lines]
    record: str = ""
    of: str = "week to"

    @property
    def title(self) -> str:
        """The heading of the report."""
        mark = "REHEARSAL: " if self.rehearsal else ""
        record = f", {self.record}" if self.record else ""
        return f"{mark}{self.site}, {self.of} {self.as_of}{record}"


def week_report(
    snapshot: Snapshot,
    record: str = "",
    organisation: str | None = None,
    lapsed: Container[str] = (),
    *,
    span: Span = "week",
    phase: str | None = None,
) -> WeekReport:
    """Return the report of the time before the snapshot's, or of one contractor's or one phase's part in it.

    `record` says which earlier record it is of, where it is not today's. What was done in the time is the work that people
    finished in it, also where it was recorded or signed later. `lapsed` is as for `decisions_needed`.
    """
    site, now = site_of(snapshot), snapshot.now
    zone = site.time_zone
    rows = activities(snapshot, organisation=organisation, phase=phase)
    live = [r for r in rows if r.state not in OVER]
    done = done_since(rows, began(span, now, zone), now)
    top = headlines(snapshot, lapsed)
    forecast = top.fresh.forecast if top.fresh else None
    among = {r.id: r for r in rows}
    is_part = organisation is not None or phase is not None
    needed = [one for one in top.decisions if not is_part or one.activity.partition("#")[0] in among]
    to_decide = {one.activity for one in needed}
    parts = {
        "done": done,
        "past planned finish": [r for r in live if r.past_planned_finish],
        "in three weeks": look_ahead(live, forecast, now),
        "to decide": [r for r in rows if r.id in to_decide],
        "open": live,
    }
    bought = orders(snapshot, organisation=organisation)
    bought = [o for o in bought if phase is None or f"{o.step}@{o.unit}" in among]
    planned = [o for o in bought if o.state == "planned"]
    due = [o for o in planned if o.order_by and o.order_by <= now + AHEAD]
    due += [o for o in bought if o.unordered or o.product_was]
    left = punch(snapshot, now.astimezone(ZoneInfo(zone)).date(), organisation)
    sections = {
        f"Done in the last {span}": _lines(parts["done"], zone, attrgetter("finished_at")),
        "Past their planned finish": _lines(parts["past planned finish"], zone, _finish),
        "Next three weeks": _lines(parts["in three weeks"], zone, lambda row: start_of(forecast, row)),
        "Orders due": tuple(_order(o, zone) for o in due),
        "Deliveries late": tuple(_late_delivery(o, zone) for o in bought if o.late_delivery),
        "Decisions needed": decision_lines(snapshot, needed, zone),
        "Punch list": tuple(_punch_item(p) for p in left if phase is None or p.activity in among),
    }
    sections |= _contractors(parts)
    today = day(now, zone)
    if organisation is not None:
        waits = in_the_way(snapshot, rows, forecast)
        sections["Constraints"] = tuple(constraint_line(one, zone) for one in waits)
        stands = "" if bought and not rows else " ".join(own_words(rows, zone))
        return WeekReport(site.name, site.rehearsal, today, stands, sections, record, f"{span} to")
    found = halls(snapshot, forecast) if phase is None else []
    sections |= {"Halls": tuple(_hall(one, zone) for one in found)} if found else {}
    go_live = " ".join(f"{line[0].upper()}{line[1:]}." for line in top.lines)
    return WeekReport(site.name, site.rehearsal, today, go_live, sections, record, f"{span} to")


def began(span: Span, now: datetime, zone: str) -> datetime:
    """Return the beginning of the week or the month that ends now: the same day of the month before, or the last that this has."""
    if span == "week":
        return now - timedelta(weeks=1)
    there = now.astimezone(ZoneInfo(zone))
    last = there.replace(day=1) - timedelta(days=1)
    return last.replace(day=min(there.day, last.day)).astimezone(UTC)


def done_since(rows: Iterable[Activity], since: datetime, until: datetime) -> list[Activity]:
    """Return the work that was finished in a time, whenever that was recorded or signed."""
    return [r for r in rows if r.state in DONE and r.finished_at and since <= r.finished_at <= until]


def own_words(rows: list[Activity], zone: str) -> tuple[str, ...]:
    """Return how a contractor's work stands in sentences, without anything that is the owner's."""
    live = [r for r in rows if r.state not in OVER]
    past = sum(r.past_planned_finish for r in live)
    begun = sum(r.state not in NOT_BEGUN for r in live)
    finishes = [end for r in live if (end := _finish(r))]
    first = f"Open activities: {len(live)} of {len(rows)}; begun: {begun}; past their planned finish: {past}."
    return (first, f"The last is planned to be finished on {day(max(finishes), zone)}.") if finishes else (first,)


def constraint_line(one: Constraint, zone: str) -> Line:
    """Return what some work waits for, and the first day on which that is to start."""
    return Line(one.who, one.id, one.title, day(one.needed, zone), f"{one.state}; {one.holds_words} for it")


def _finish(row: Activity) -> datetime | None:
    return row.plan.dates.early_finish if row.plan.dates else None


def _lines(
    rows: Iterable[Activity],
    zone: str,
    date: Callable[[Activity], datetime | None],
) -> Lines:
    return _sorted(
        Line(owner_of(r), r.id, r.plan.title, day(date(r), zone), r.state.value.replace("_", " ")) for r in rows
    )


def decision_lines(snapshot: Snapshot, needed: Iterable[Needed], zone: str) -> Lines:
    """Return who may take each decision, or where nobody may, the roles that it takes."""
    everyone, lines = everybody(snapshot), []
    for one in needed:
        people = ", ".join(me.id for me in everyone if one.role_of(me))
        owner = people or f"nobody: {' or '.join(one.roles)}"
        lines.append(Line(owner, one.subject, one.title, day(one.since, zone), KINDS[one.kind][0]))
    return _sorted(lines)


def _sorted(lines: Iterable[Line]) -> Lines:
    return tuple(sorted(lines, key=attrgetter("owner", "date", "id")))


def owner_of(row: Activity) -> str:
    """Return who has an activity: a person, an organisation, or the role of its crew."""
    return row.assignee or row.whose or row.plan.role


def _order(o: OrderRow, zone: str) -> Line:
    by, note = day(o.order_by, zone), o.size
    return Line(o.supplier, o.id, o.title, by, note)


def _late_delivery(o: OrderRow, zone: str) -> Line:
    note = f"{o.late_words}, needed by {day(o.need_by, zone)}"
    return Line(o.supplier_name, o.id, o.title, str(o.promised_last or ""), note)


def _punch_item(p: PunchRow) -> Line:
    overdue = ", overdue" if p.overdue else ""
    note = f"{p.kind}, class {p.ncr_class}, {p.trade}{overdue}"
    return Line(
        p.owner or p.trade,
        p.id,
        f"{p.activity}: {p.said}",
        str(p.due or ""),
        note,
    )


def _hall(one: HallRow, zone: str) -> Line:
    planned = f"planned {day(one.planned, zone)}"
    if one.in_service_since:
        return Line("", one.activity, one.hall, day(one.in_service_since, zone), f"in service, {planned}")
    odds = f", P50 {day(one.p50, zone)}, P80 {day(one.p80, zone)}" if one.p50 else ""
    return Line("", one.activity, one.hall, day(one.expected or one.planned, zone), f"{planned}{odds}")


def _contractors(parts: dict[str, list[Activity]]) -> dict[str, Lines]:
    """Return one line a contractor, where work was given to any: how the week went and what comes."""
    rows_of_all = parts["done"] + parts["open"]
    lines = []
    for name in sorted({r.whose for r in rows_of_all if r.whose}):
        counted = (f"{sum(r.whose == name for r in rows)} {part}" for part, rows in parts.items())
        lines.append(Line(name, "", "", "", ", ".join(counted)))
    return {"By contractor": tuple(lines)} if lines else {}


def _markdown(report: WeekReport) -> str:
    lines = [f"# {_md(report.title)}", "", _md(report.go_live), ""]
    for name, rows in report.sections.items():
        lines += [f"## {_md(name)} ({len(rows)})", ""]
        if not rows:
            lines += ["Nothing.", ""]
            continue
        lines += ["| owner | id | what | date | note |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(map(_md, row))} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def _md(text: str) -> str:
    flat = in_line(text)
    for mark in "\\`*_[]<>|#":
        flat = flat.replace(mark, "\\" + mark)
    return flat


def _csv(report: WeekReport) -> str:
    out = io.StringIO()
    write_rows(out, [("section", "owner", "id", "what", "date", "note")])
    for name, rows in report.sections.items():
        write_rows(out, ((name, *row) for row in rows))
    return out.getvalue()


FORMATS: dict[str, Callable[[WeekReport], str]] = {
    "md": _markdown,
    "csv": _csv,
}
"""What writes a report in each format."""
