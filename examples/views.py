"""What every view of a site says of go-live, lateness and money, so that a script can hold them against each other."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from pathlib import Path
from typing import Any

from walk import Site

from clusterwright.forms import command_line
from clusterwright.output import money
from flows.dashboard.status_artifact import status_text
from ledger.reading import open_snapshot
from tui.app import ClusterwrightApp
from tui.screens.morning import MorningScreen

Facts = dict[str, str]
"""What a view says, by what it is about. What a view does not show is not there."""

WORDS = {
    "go-live": r"go-live forecast (\d{4}-\d\d-\d\d)",
    "days later": r"go-live forecast \S+, (as planned|[\d,]+ days? (?:later|earlier) than planned)",
    "commitment": r"go-live commitment (\d{4}-\d\d-\d\d)",
    "target": r"target (\d{4}-\d\d-\d\d) \(P50\)",
    "past planned finish": r"([\d,]+) activit(?:y is|ies are) past (?:its|their) planned finish",
    "forecast later": r"planned finish; ([\d,]+) (?:is|are) forecast later",
    "decisions": r"decisions needed: (\d+)",
    "cost of the delay": r"the delay costs about \$([\d,]+)",
}
"""The sentences with which status, the weekly report, orders and the dashboard begin."""
SCREEN = {
    "go-live": r"GO-LIVE forecast (\S+)",
    "days later": r"GO-LIVE forecast \S+ . (as planned|[\d,]+ days? (?:later|earlier) than planned)",
    "commitment": r"commitment (\S+) \(",
    "target": r"target (\S+) \(P50\)",
    "past planned finish": r"([\d,]+) past their planned finish",
    "forecast later": r"planned finish, ([\d,]+) forecast later",
    "decisions": r"decisions (\d+)",
    "committed": r"committed ([\d,]+) USD",
    "cost of the delay": r"so far \$([\d,]+)",
}
NOTHING = {"committed": "0", "cost of the delay": "0"}
"""What a view means that leaves the sentence out."""
SCREEN_SIZE = (160, 60)
READING_S = 60


def views(site: Site, page: Path) -> dict[str, Facts]:
    """Return what each view says. `page` is the weekly page, which is made anew."""
    site.quietly("report", "week", "--format", "html", "--out", str(page))
    with open_snapshot(site.folder) as snapshot:
        dashboard = status_text(snapshot).replace("\\", "")
    return {
        "status --json": _status(site),
        "status": _said(site.quietly("status")),
        "report week --json": _said(site.document("report", "week")["go_live"]),
        "the weekly page": _page(page.read_text(encoding="utf-8")),
        "orders --json": {"committed": _committed(site.document("orders"))},
        "orders --budget --json": _budget(site.document("orders", "--budget")),
        "orders": _said(site.quietly("orders")),
        "show 195@site --json": _show(site.document("show", "195@site")),
        "list --json": _list(site),
        "the morning screen": _screen(site.folder),
        "the dashboard's status": _said(dashboard),
    }


def differences(found: dict[str, Facts]) -> list[str]:
    """Return a line for each view that says something else than `status --json`, or than the first that speaks of it."""
    first: dict[str, tuple[str, str]] = {}
    lines = []
    for view, facts in found.items():
        for name, said in facts.items():
            by, expected = first.setdefault(name, (view, said))
            if said != expected:
                lines.append(f"{name}: {view} says {said}, {by} says {expected}")
    return lines


def _said(text: str) -> Facts:
    """Return what the sentences of a text say, by what they are about. A sentence that is missing says nothing, which differs."""
    facts = _matches(WORDS, text)
    cost = float(facts["cost of the delay"])
    return facts | {"cost of the delay, in short": money(cost) if cost else "none"}


def _matches(patterns: dict[str, str], text: str) -> Facts:
    text = " ".join(text.split())
    facts = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, text, re.IGNORECASE)
        facts[name] = match[1].replace(",", "") if match else NOTHING.get(name, "nothing")
    return facts


def _days(later: int) -> str:
    if not later:
        return "as planned"
    return f"{abs(later)} day{'s' if abs(later) > 1 else ''} {'later' if later > 0 else 'earlier'} than planned"


def _status(site: Site) -> Facts:
    found = site.document("status")
    forecast, made = found["forecast"], found["commitment"]
    return {
        "go-live": forecast["finish"][:10],
        "days later": _days(forecast["days_later"]),
        "commitment": made["commitment"][:10],
        "target": made["target"][:10],
        "past planned finish": str(found["past_planned_finish"]),
        "forecast later": str(found["forecast_later"]),
        "decisions": str(found["decisions_needed"]),
    }


def _show(found: dict[str, Any]) -> Facts:
    return {"go-live": found["forecast"]["on"], "days later": _days(found["forecast"]["days_later"])}


def _list(site: Site) -> Facts:
    rows = site.activities()
    (last,) = (row for row in rows if row["id"] == "195@site")
    return {
        "go-live": last["forecast_finish"],
        "days later": _days(last["forecast_days_later"]),
        "past planned finish": str(sum(row["past_planned_finish"] for row in rows)),
        "forecast later": str(len(site.document("list", "--late", "forecast-later"))),
    }


def _committed(orders: list[dict[str, Any]]) -> str:
    return _sum([order for order in orders if order["placed_at"]], "value")


def _sum(rows: list[dict[str, Any]], name: str) -> str:
    return f"{sum(float(row[name] or 0) for row in rows):.0f}"


def _budget(rows: list[dict[str, Any]]) -> Facts:
    committed = _sum(rows, "committed")
    return {"committed": committed, "committed, in short": money(float(committed))}


def _page(html: str) -> Facts:
    """Return what the sheet of the weekly page says, without what is drawn and what is behind it."""
    tiles = dict(re.findall(r"<span>(.*?)</span><b>(.*?)</b>", html))
    sheet = html.partition('<main class="sheet">')[2].partition("</main>")[0]
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<svg.*?</svg>", " ", sheet, flags=re.DOTALL))).split())
    sentences = {name: WORDS[name] for name in ("past planned finish", "forecast later", "decisions")}
    return _matches(sentences | {"go-live": r"Go-live is expected on (\S+),"}, text) | {
        "commitment": tiles["Commitment (P80)"],
        "target": tiles["Target (P50)"],
        "committed, in short": tiles["Committed of budget"],
        "cost of the delay, in short": tiles["Cost of the delay"],
    }


def _screen(folder: Path) -> Facts:
    """Return what is painted on the first screen, opened without a terminal."""

    async def painted() -> str:
        app = ClusterwrightApp(folder, command_line(), read_only=True)
        async with app.run_test(size=SCREEN_SIZE) as pilot:
            for _ in range(READING_S * 20):
                if isinstance(app.screen, MorningScreen) and app.screen.morning is not None:
                    break
                await pilot.pause(0.05)
            await pilot.pause()
            strips = app.screen._compositor.render_strips()  # noqa: SLF001  Textual has no public way to read a screen
            return "\n".join(strip.text for strip in strips).replace("\N{NO-BREAK SPACE}", " ")

    return _matches(SCREEN, asyncio.run(painted()))
