"""The weekly report: one set of facts, written as Markdown, HTML or CSV.

Text from people and files is escaped for each of the three; a cell that a spreadsheet would take for a
formula is quoted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from clusterwright.output import clean, day
from ledger.questions.activities import activities
from ledger.questions.ncrs import punch
from ledger.questions.orders import orders
from ledger.questions.site import site_of

if TYPE_CHECKING:
    from ledger.questions.ncrs import PunchRow
    from ledger.questions.snapshot import Snapshot
    from ledger.rules.activity import Activity

STYLE = (
    "<style>body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3em .6em;"
    "border-bottom:1px solid #ccc}</style>"
)
AHEAD = timedelta(weeks=3)
BACK = timedelta(weeks=1)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Line:
    """One row of a section."""

    owner: str
    id: str
    title: str
    date: str
    note: str


@dataclass(frozen=True)
class WeekReport:
    """A week at a site, by section; each section is sorted by owner and date."""

    site: str
    rehearsal: bool
    as_of: str
    go_live: str
    sections: dict[str, tuple[Line, ...]]
    record: str = ""


def week_report(reader: Snapshot, now: datetime, record: str = "", organisation: str | None = None) -> WeekReport:
    """Give the report of the week before `now`, or of one contractor's part in it.

    `record` says of which earlier record, where it is not today's.
    """
    site = site_of(reader)
    zone = site.time_zone
    rows = activities(reader, organisation=organisation)
    live = [r for r in rows if r.state.value not in {"done", "not_applicable"}]
    done = [r for r in rows if r.ended_at and now - BACK <= r.ended_at <= now and r.state.value == "done"]
    soon = [r for r in live if not r.late and r.plan.dates and r.plan.dates.early_start <= now + AHEAD]
    waiting = [r for r in live if r.state.value in {"awaiting_sign_off", "failed", "checked_not_met", "on_hold"}]
    due = [
        o
        for o in orders(reader, organisation=organisation)
        if o.state == "planned" and o.order_by and o.order_by <= now + AHEAD
    ]
    return WeekReport(
        site=site.name,
        rehearsal=site.rehearsal,
        as_of=day(now, zone),
        go_live=day(site.plan_finish, zone),
        sections={
            "Done in the last week": _lines(done, zone, "ended_at"),
            "Late": _lines([r for r in live if r.late], zone, "early_finish"),
            "Next three weeks": _lines(soon, zone, "early_start"),
            "Orders due": tuple(
                Line(o.supplier, o.id, o.title, day(o.order_by, zone), f"{o.quantity} {o.unit_of_measure}") for o in due
            ),
            "Decisions needed": _lines(waiting, zone, "early_finish"),
            "Punch list": tuple(
                Line(p.owner or p.trade, p.id, f"{p.activity}: {p.said}", str(p.due or ""), _standing(p))
                for p in punch(reader, now.astimezone(ZoneInfo(zone)).date(), organisation)
            ),
            **_contractors(done, live, waiting, soon),
        },
        record=record,
    )


def _standing(row: PunchRow) -> str:
    return f"{row.kind}, class {row.ncr_class}, {row.trade}" + (", overdue" if row.overdue else "")


def _contractors(
    done: list[Activity], live: list[Activity], waiting: list[Activity], soon: list[Activity]
) -> dict[str, tuple[Line, ...]]:
    """Give one line a contractor, where work was given to any: how the week went and what comes."""
    names = sorted({r.whose for r in (*done, *live) if r.whose})
    if not names:
        return {}
    parts = {
        "done": done,
        "late": [r for r in live if r.late],
        "in three weeks": soon,
        "to decide": waiting,
        "open": live,
    }
    lines = []
    for name in names:
        counted = {part: sum(r.whose == name for r in rows) for part, rows in parts.items()}
        lines.append(Line(name, "", "", "", ", ".join(f"{n} {part}" for part, n in counted.items())))
    return {"By contractor": tuple(lines)}


def _lines(rows: Iterable[Activity], zone: str, date: str) -> tuple[Line, ...]:
    lines = [
        Line(
            r.assignee or r.whose or r.plan.role,
            r.id,
            r.plan.title,
            day(getattr(r if date == "ended_at" else r.plan.dates, date, None), zone),
            r.state.value.replace("_", " "),
        )
        for r in rows
    ]
    return tuple(sorted(lines, key=lambda x: (x.owner, x.date, x.id)))


def render(report: WeekReport, form: str) -> str:
    """Give the report as `md`, `html` or `csv`."""
    return {"md": _markdown, "html": _html, "csv": _csv}[form](report)


def _title(report: WeekReport) -> str:
    mark = "REHEARSAL: " if report.rehearsal else ""
    record = f", {report.record}" if report.record else ""
    return f"{mark}{report.site}, week to {report.as_of}{record}"


def _markdown(report: WeekReport) -> str:
    lines = [f"# {_md(_title(report))}", "", f"Go-live planned {report.go_live}.", ""]
    for name, rows in report.sections.items():
        lines += [f"## {name} ({len(rows)})", ""]
        if not rows:
            lines += ["Nothing.", ""]
            continue
        lines += ["| owner | id | what | date | note |", "|---|---|---|---|---|"]
        lines += [f"| {_md(r.owner)} | {_md(r.id)} | {_md(r.title)} | {r.date} | {_md(r.note)} |" for r in rows]
        lines.append("")
    return "\n".join(lines)


def _md(text: str) -> str:
    flat = clean(text).replace("\n", " ")
    for mark in "\\`*_[]<>|#":
        flat = flat.replace(mark, "\\" + mark)
    return flat


def _html(report: WeekReport) -> str:
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        f"<title>{escape(_title(report))}</title>",
        STYLE,
        f"<h1>{escape(_title(report))}</h1><p>Go-live planned {report.go_live}.</p>",
    ]
    for name, rows in report.sections.items():
        parts.append(f"<h2>{escape(name)} ({len(rows)})</h2>")
        if rows:
            parts.append("<table><tr><th>owner<th>id<th>what<th>date<th>note</tr>")
            parts += [
                "<tr>" + "".join(f"<td>{escape(clean(c))}" for c in (r.owner, r.id, r.title, r.date, r.note)) + "</tr>"
                for r in rows
            ]
            parts.append("</table>")
        else:
            parts.append("<p>Nothing.</p>")
    return "\n".join([*parts, "</html>", ""])


def _csv(report: WeekReport) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("section", "owner", "id", "what", "date", "note"))
    for name, rows in report.sections.items():
        for r in rows:
            writer.writerow([_cell(c) for c in (name, r.owner, r.id, r.title, r.date, r.note)])
    return out.getvalue()


def _cell(text: str) -> str:
    flat = clean(text).replace("\n", " ")
    return "'" + flat if flat.startswith(FORMULA_STARTS) else flat
