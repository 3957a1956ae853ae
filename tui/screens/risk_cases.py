"""What if, side by side: commands that ran with `--json`, and what each of them answered, in a column of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Any, NamedTuple

from steps.planning.dates.milestones import is_hall
from steps.stamps import days_between
from tui.acting.command import as_typed
from tui.acting.running import Done, Running
from tui.lists.column import Column
from tui.lists.grid import Grid
from tui.lists.view import View
from tui.looks import day_text

WIDTH = 23
"""Of a column, in cells: four fit beside each other into 120."""

LINES = 4
"""How many lines a command has, and a refusal."""

NAMED = 2
"""How many activities a cell names."""

Cells = dict[str, str]
"""What a column says, by the label of its row."""

COMMAND, HOW = "command", "how"
LABELS = (
    "go-live",
    "P50",
    "P80",
    "with unlimited crews",
    "delay costs",
    "working costs",
    "drives it then",
    "drives it no more",
    "waits longest for",
)
"""What is compared, in this order; the halls follow."""


class Fact(NamedTuple):
    """A row of the comparison. A command and a refusal have several, which `number` counts."""

    name: str
    number: int = 0

    @property
    def key(self) -> str:
        """By which the list knows it."""
        return f"{self.name} {self.number}"

    @property
    def label(self) -> str:
        """What is written in front of it."""
        return "" if self.name in {COMMAND, HOW} else self.name


@dataclass(eq=False)
class Case:
    """A command and its answer. It runs, waits for its turn, has failed, or is done."""

    words: Sequence[str]
    cells: Cells = field(default_factory=dict)
    refusal: str = ""
    """Why there is no answer."""

    running: Running | None = None
    since: float | None = None

    def text(self, row: Fact) -> str:
        """Return what its column says in a row."""
        if row.name == COMMAND:
            return _line(f"$ {as_typed(self.words)}", row.number)
        if row.name == HOW and self.refusal:
            return _line(f"✘ {self.refusal}", row.number)
        if row.name == HOW and row.number:
            return ""
        if row.name == HOW and self.since is not None:
            return f"at work, {monotonic() - self.since:.0f} s; x stops it"
        if row.name == HOW and not self.cells:
            return "waits for its turn"
        return self.cells.get(row.name, "")

    def end(self, done: Done, zone: str) -> list[Case]:
        """Take how the command ended. Return the columns of its answer: a comparison has several plans."""
        self.running, self.since = None, None
        document = done.document
        if document is None:
            self.refusal = done.refusal
            return [self]
        first, *others = answers(document, zone)
        self.cells = first
        return [self, *(Case(self.words, cells) for cells in others)]


def _line(text: str, number: int) -> str:
    """Return one line of a text that is wrapped into a column; the last line that there is says that there is more."""
    lines = textwrap.wrap(text, WIDTH)
    if number == LINES - 1 and len(lines) > LINES:
        return f"{lines[number][: WIDTH - 1]}…"
    return lines[number] if number < len(lines) else ""


def answers(document: Mapping[str, Any], zone: str) -> list[Cells]:
    """Return what an answer of `whatif`, `forecast` or `plan compare` says: a column for each plan."""
    if "plans" in document:
        return [_plan(one, document["plans"][0], zone) for one in document["plans"]]
    if "after" in document:
        return [_what_if(document, zone)]
    return [_forecast(document, zone)]


def _what_if(document: Mapping[str, Any], zone: str) -> Cells:
    before, after = document["before"], document["after"]
    waits = [one["id"] for one in document["delays_most"]]
    return {
        "go-live": _moved(before["finish"], after["finish"], zone),
        "P50": _moved(before["p50"]["date"], after["p50"]["date"], zone),
        "P80": _moved(before["p80"]["date"], after["p80"]["date"], zone),
        "with unlimited crews": _moved(before["unlimited_finish"], after["unlimited_finish"], zone),
        "delay costs": _money(document["cost_usd"]),
        "drives it then": _few(document["drives_now"]),
        "drives it no more": _few(document["drives_no_more"]),
        "waits longest for": _few(waits),
    } | _halls(before["milestones"], after["milestones"], zone)


def _halls(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], zone: str) -> Cells:
    was = {one["milestone"]: one["finish"] for one in before}
    return {
        one["milestone"]: _moved(was.get(one["milestone"], one["finish"]), one["finish"], zone)
        for one in after
        if is_hall(one["milestone"])
    }


def _forecast(document: Mapping[str, Any], zone: str) -> Cells:
    go_live = document["milestones"][0]
    halls = [one for one in document["milestones"] if is_hall(one["milestone"])]
    return {
        "go-live": _moved(document["planned"], document["finish"], zone),
        "P50": _day(go_live["p50"]["date"], zone),
        "P80": _day(go_live["p80"]["date"], zone),
        "with unlimited crews": _day(document["unlimited_finish"], zone),
        "delay costs": _money(document["slip_usd"]),
    } | {one["milestone"]: _moved(one["planned"], one["expected"], zone) for one in halls}


def _plan(one: Mapping[str, Any], first: Mapping[str, Any], zone: str) -> Cells:
    said = {"crews": "crews of a trade", "shifts": "shifts a day"}
    parts = [one["scenario"], *(f"{words}: {one[name]}" for name, words in said.items() if name in one)]
    more = f" {_money(one['cost_more'])} more" if one["cost_more"] > 0 else ""
    return {
        HOW: ", ".join(filter(None, parts)),
        "go-live": _moved(first["go_live"], one["go_live"], zone),
        "P50": _moved(first["p50"], one["p50"], zone),
        "P80": _moved(first["p80"], one["p80"], zone),
        "with unlimited crews": _moved(first["unlimited_go_live"], one["unlimited_go_live"], zone),
        "working costs": f"${one['cost']['total']:,.0f}{more}",
    }


def _moved(before: str, after: str, zone: str) -> str:
    days = days_between(_at(before), _at(after), zone)
    return f"{_day(after, zone)}  {days:+} d" if days else _day(after, zone)


def _day(text: str, zone: str) -> str:
    return day_text(_at(text), zone)


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _money(usd: float) -> str:
    return f"{'-' if usd < 0 else ''}${abs(usd):,.0f}" if usd else ""


def _few(names: Sequence[str]) -> str:
    more = f" +{len(names) - NAMED}" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


class CasesGrid(Grid[Fact]):
    """The cases beside each other. Left and right show others, where there are more than fit."""

    def __init__(self) -> None:
        """Begin without a case."""
        super().__init__(
            View((LABEL,), lambda row: row.key), id="cases", empty="w asks what if, c compares plans, f forecasts again"
        )
        self.is_read = True

    def show_cases(self, cases: Sequence[Case]) -> None:
        """Show a column for each case."""
        columns = [Column[Fact](f"case-{number}", "", WIDTH, case.text) for number, case in enumerate(cases)]
        self.view.columns = [LABEL, *columns]
        halls = sorted({name for case in cases for name in case.cells if is_hall(name)})
        facts = [Fact(name, number) for name in (COMMAND, HOW) for number in range(LINES)]
        facts += [Fact(name) for name in (*LABELS, *halls)]
        self.show_rows([fact for fact in facts if any(case.text(fact) for case in cases)])


LABEL = Column[Fact]("label", "what if", 20, lambda row: row.label, role=lambda _: "muted")
