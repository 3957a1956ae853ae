"""The rows of the morning's panels about work: what moved, the driving chain, what is mine, the phases, and runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from ledger.questions.counts import PhaseRow
from ledger.questions.forecast_words import MINUTES_OF_DAY
from ledger.questions.kept_forecast import KeptForecast
from ledger.questions.listing import ListRow
from ledger.questions.moved import WhatHappened
from ledger.questions.run_list import RunNow
from ledger.questions.waiting import WaitingItem
from ledger.rules.activity import WORK_OVER
from ledger.rules.subjects import is_delivery, is_supply
from steps.amount import counted
from steps.stamps import minute
from tui.acting.actions import About
from tui.last_look import Look
from tui.lists.column import Span
from tui.looks import STATE_ROLES, Role, day_text
from tui.screens.panel import PanelRow
from tui.screens.waiting_columns import VERBS, evidence_words, verb, waits_words, why_not

Rows = dict[str, ListRow]
"""Activities by id."""

BAR = 8
"""Cells of the bar of a phase."""


def about_of(subject: str) -> About:
    """Return what an id is the id of. What is no activity, order or delivery is about the site."""
    if is_delivery(subject):
        return "delivery"
    if is_supply(subject):
        return "order"
    return "activity" if "@" in subject else "site"


def mine(rows: Sequence[WaitingItem], now: datetime) -> list[PanelRow]:
    """Return what waits for a person, as the inbox has it."""
    return [
        PanelRow(
            row.key,
            (
                (verb(row), VERBS[row.action][2]),
                (row.subject, "text"),
                (row.title, "text"),
                (str(row.unblocks or "-"), "text"),
                (evidence_words(row), "bad" if row.missing else "good"),
                (waits_words(row.since, now), "muted"),
                (why_not(row), "bad"),
            ),
            row.activity,
            row.kind,
            row.subject,
        )
        for row in rows
    ]


def news(look: Look, found: WhatHappened, forecast: KeptForecast | None, zone: str) -> Iterator[PanelRow]:
    """Yield how go-live moved since a look, which parts of its slip grew, and what happened, the newest first."""
    if forecast is not None and look.go_live is not None:
        days = forecast.days(look.go_live, forecast.finish)
        role: Role = "bad" if days > 0 else "good" if days < 0 else "muted"
        said = f"go-live {day_text(forecast.finish, zone)}, it was {day_text(look.go_live, zone)}"
        yield PanelRow("go-live", ((f"{days:+} d", role), ("go-live", "text"), (said, role), ("", "muted")))
        yield from _parts(look, forecast)
    for one in found.news:
        when = minute(one.at, zone)[5:]
        cells: tuple[Span, ...] = ((when, "muted"), (one.subject, "text"), (one.said, "text"), (one.person, "muted"))
        about = about_of(one.subject)
        opens = "" if about == "site" else one.subject
        yield PanelRow(str(one.seq), cells, opens, about, one.subject)
    if found.counted:
        yield PanelRow("counted", (("", "muted"), ("and", "muted"), (found.counted, "muted"), ("", "muted")), "record")


def _parts(look: Look, forecast: KeptForecast) -> Iterator[PanelRow]:
    for one in forecast.slip:
        minutes = one.minutes - look.slip.get(one.id, 0)
        if minutes:
            days = f"{minutes / MINUTES_OF_DAY:+z.1f} d"
            cells: tuple[Span, ...] = (
                (days, "bad" if minutes > 0 else "good"),
                (one.id, "text"),
                (f"{one.title}: {one.words}", "text"),
                (one.owner, "muted"),
            )
            yield PanelRow(f"slip {one.id}", cells, one.id, about_of(one.id), one.id)


def chain(forecast: KeptForecast, rows: Rows, zone: str) -> list[PanelRow]:
    """Return what drives go-live from here on, the first to be finished first."""
    return [_link(name, forecast, rows.get(name), zone) for name in forecast.critical if not _is_over(rows.get(name))]


def _is_over(row: ListRow | None) -> bool:
    return row is not None and row.state in WORK_OVER


def _link(name: str, forecast: KeptForecast, row: ListRow | None, zone: str) -> PanelRow:
    finish = day_text(forecast.nodes.get(name), zone)
    if row is None:
        cells: tuple[Span, ...] = ((name, "text"), ("delivery" if is_delivery(name) else "order", "muted"))
        return PanelRow(
            name, (*cells, ("", "text"), (finish, "text"), ("", "bad"), ("", "muted")), name, about_of(name), name
        )
    later = f"{row.days_later:+} d" if row.days_later else ""
    cells = (
        (name, "text"),
        (f"{row.state.glyph} {row.state.words}", STATE_ROLES[row.state]),
        (row.title, "text"),
        (finish, "text"),
        (later, "bad" if (row.days_later or 0) > 0 else "good"),
        (row.who, "muted"),
    )
    return PanelRow(name, cells, name, "activity", name)


def phase_rows(
    found: Sequence[PhaseRow],
    waits: Mapping[str, Sequence[tuple[str, int]]],
    forecast: KeptForecast | None,
) -> list[PanelRow]:
    """Return the phases: how much is done, what is at work, and what the rest waits for in the end."""
    later = {one.milestone: one for one in forecast.milestones} if forecast else {}
    made = []
    for row in found:
        live, milestone = row.total - row.not_applicable, later.get(row.phase)
        days = forecast.days(milestone.planned, milestone.expected) if forecast and milestone else 0
        filled = BAR * row.done // live if live else BAR
        first = ", ".join(f"{root} ({number})" for root, number in waits.get(row.phase, ())[:3])
        words = row.phase.replace("_", " ")
        cells: tuple[Span, ...] = (
            (words, "text"),
            ("█" * filled + "░" * (BAR - filled), "good"),
            (f"{row.done}/{live}", "text"),
            (str(row.running + row.in_progress or ""), "active"),
            (str(row.awaiting or ""), "attention"),
            (str(row.ready or ""), "ready"),
            (str(row.failed or ""), "bad"),
            (f"{days:+} d" if days else "", "bad" if days > 0 else "good"),
            (first, "muted"),
        )
        made.append(PanelRow(row.phase, cells, steps=f'open phase:"{words}"'))
    return made


def run_rows(found: Sequence[RunNow], now: datetime) -> list[PanelRow]:
    """Return the runs that failed and those at work."""
    return [_run(one, now - one.started_at) for one in found]


def _run(one: RunNow, since: timedelta) -> PanelRow:
    minutes = max(int(since.total_seconds() / 60), 0)
    hosts = f"{one.failed}/{one.hosts} hosts" if one.failed else counted(one.hosts, "host") if one.hosts else ""
    cells: tuple[Span, ...] = (
        ("▶ runs" if one.is_running else "✘ failed", "active" if one.is_running else "bad"),
        (one.activity, "text"),
        (one.title if one.is_running else one.summary or one.title, "text"),
        (hosts, "bad" if one.failed else "text"),
        (f"{minutes // 60} h {minutes % 60} min" if minutes < 2880 else f"{minutes // 1440} d", "muted"),
    )
    return PanelRow(one.run, cells, one.activity, "activity", one.activity)
