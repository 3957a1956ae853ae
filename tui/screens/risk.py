"""How sure go-live is and what would change that: the odds of the kept forecast, what moves it, and what-if cases side by side.

Nothing is worked out here. Forecasts and cases are commands, each in a process of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import DescendantFocus, Resize
from textual.widgets import Static

from ledger.questions.odds import Odds, odds
from ledger.questions.snapshot import Snapshot
from tui.acting.asked import Asked
from tui.acting.command import as_typed
from tui.keyline import Shown
from tui.leaving import is_open
from tui.lists.bars import Moments
from tui.lists.grid import Grid
from tui.lists.view import View
from tui.looks import safe_lines
from tui.screens.base import SiteScreen
from tui.screens.choose import Choice
from tui.screens.output import OutputScreen
from tui.screens.risk_cases import Case, CasesGrid
from tui.screens.risk_odds import DRIVERS, DatesGrid, MilestonesGrid, legend
from tui.screens.tornado import Tornado, TornadoScreen

TALL = 34
"""With so many lines, all four lists are shown at once; with fewer, the one that has the keys."""

SECTIONS = {"dates": "go-live", "milestones": "milestones", "drivers": "what moves it", "cases": "what if"}


def _as_json(words: Sequence[str]) -> list[str]:
    """Return a command that answers as JSON. The option comes before arguments, behind the name."""
    count = next(place for place, word in enumerate([*words, "-"]) if word.startswith("-"))
    return [*words[:count], "--json", *words[count:]]


class RiskScreen(SiteScreen):
    """Tab goes from list to list. `w` asks what if, `c` compares plans, `f` forecasts again, `t` shows what delays go-live most."""

    TITLE = "Risk"
    FIRST_KEYS: ClassVar[tuple[Shown, ...]] = (
        ("Tab", "Next list", "section(1)"),
        ("w", "What if", "ask_form('whatif')"),
        ("c", "Compare", "ask_form('plan compare')"),
        ("f", "Forecast again", "forecast"),
        ("t", "Tornado", "tornado"),
        ("x", "Stop, remove", "drop"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "section(1)", "Next list", id="risk.next"),
        Binding("shift+tab", "section(-1)", "List before", show=False, id="risk.before"),
        Binding("w", "ask_form('whatif')", "What if", id="risk.whatif"),
        Binding("c", "ask_form('plan compare')", "Compare plans", id="risk.compare"),
        Binding("f", "forecast", "Forecast again", id="risk.forecast"),
        Binding("t", "tornado", "Tornado", id="risk.tornado"),
        Binding("x", "drop", "Stop or remove a case", id="risk.drop"),
    ]
    DEFAULT_CSS = """
    RiskScreen #lines { height: auto; max-height: 7; padding: 0 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    RiskScreen #legend { height: 1; padding: 0 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    RiskScreen #dates { height: 11; }
    RiskScreen Grid:focus { height: 4fr; }
    RiskScreen.short #lines { display: none; }
    RiskScreen #dates:focus { height: 11; }
    RiskScreen.short #dates, RiskScreen.short #dates:focus { height: 1fr; }
    """

    def __init__(self) -> None:
        """Begin without cases."""
        super().__init__()
        self.cases: list[Case] = []
        self.tornado = Tornado()
        self._turn = asyncio.Lock()
        self._section = "dates"

    def body(self) -> ComposeResult:
        """Return what is said of go-live, and the four lists."""
        yield Static("", id="lines")
        yield Static("", id="legend")
        yield DatesGrid(lambda: self.site.zone)
        yield MilestonesGrid(lambda: self.site.zone)
        yield Grid(View(DRIVERS, lambda row: f"{row.kind} {row.what}"), id="drivers")
        yield CasesGrid()

    def on_mount(self) -> None:
        """Let keys go to the first list, and count the seconds of what runs."""
        self.set_focus(self.section("dates"))
        self.set_interval(1, self._tick)

    def on_unmount(self) -> None:
        """Leave nothing running."""
        for case in self.cases:
            if case.running is not None:
                case.running.stop()

    def section(self, name: str) -> Grid[Any]:
        """Return one of the lists."""
        return self.query_one(f"#{name}", Grid)

    # What the record says

    def ask(self, snapshot: Snapshot) -> tuple[Odds, Moments]:
        """Return the odds of the kept forecast."""
        found = odds(snapshot)
        return found, Moments(snapshot.now, found.as_of)

    def show(self, answer: Any) -> None:
        """Show the odds."""
        found, moments = answer
        self.query_one("#lines", Static).update(safe_lines(found.lines))
        without = found.lines[-1] if found.lines else "no plan is adopted yet: `clusterwright plan adopt`"
        for name in ("dates", "milestones", "drivers"):
            self.section(name).empty = without
        if found.milestones:
            self.section("drivers").empty = "go-live is as planned, and nothing that was finished teaches otherwise"
        self.query_one(DatesGrid).show_odds(found.milestones[:1], moments)
        self.query_one(MilestonesGrid).show_odds(found.milestones, moments)
        self.section("drivers").show_rows(found.drivers)

    # The four lists

    def on_resize(self, event: Resize) -> None:
        """Show all lists where there is room."""
        self.set_class(event.size.height < TALL, "short")
        self._place()

    @on(DescendantFocus)
    def _focused(self) -> None:
        if self.focused is not None and self.focused.id in SECTIONS:
            self._section = self.focused.id
            self._place()

    def _place(self) -> None:
        """Show which list has the keys; on a short screen, show that one alone."""
        for name in SECTIONS:
            self.section(name).display = name == self._section or not self.has_class("short")
        tabs = "  ".join(f"[{title}]" if name == self._section else title for name, title in SECTIONS.items())
        self.query_one("#legend", Static).update(safe_lines([f"Tab: {tabs}   {legend()}"]))

    def action_section(self, by: int) -> None:
        """Go to the next list."""
        names = list(SECTIONS)
        self.go_to(names[(names.index(self._section) + by) % len(names)])

    def go_to(self, name: str) -> None:
        """Let keys go to a list."""
        self.section(name).display = True
        self.set_focus(self.section(name))

    # Cases

    def action_ask_form(self, name: str) -> None:
        """Open the form of a command whose answer becomes a case."""
        self.owner.open_form(Asked(self.site.commands.describe(name), (), take=self.add))

    def action_forecast(self) -> None:
        """Make the forecast again; the lists show it when it is kept."""
        if self.owner.may_record():
            self.action_ask_form("forecast")

    def action_tornado(self) -> None:
        """Show which causes of delay move go-live most."""
        self.app.push_screen(TornadoScreen(self.tornado))

    def add(self, words: Sequence[str]) -> None:
        """Add a case, and run it when those before it have ended."""
        case = Case(words)
        self.cases = [*self.cases, case]
        self.run_case(case)
        self.call_after_refresh(self.go_to, "cases")

    @work(group="cases")
    async def run_case(self, case: Case) -> None:
        """Run a case in its turn, and show its answer."""
        self._show_cases()
        async with self._turn:
            if case not in self.cases:
                return
            case.since = monotonic()
            case.running = self.site.running(_as_json(case.words))
            done = await case.running.done()
            found = case.end(done, self.site.zone)
            if case in self.cases:
                place = self.cases.index(case)
                self.cases[place : place + 1] = found
        self._show_cases()

    def _show_cases(self) -> None:
        if is_open(self):
            self.query_one(CasesGrid).show_cases(self.cases)

    def _tick(self) -> None:
        if any(case.since is not None for case in self.cases):
            self._show_cases()

    def action_drop(self) -> None:
        """Stop what runs; else remove a case."""
        running = next((case.running for case in self.cases if case.running is not None), None)
        if running is not None:
            running.stop()
        else:
            self._choose("Remove a case", self._drop)

    def _choose(self, title: str, take: Callable[[str], None]) -> None:
        """Let a case be chosen, where there are several."""
        if len(self.cases) == 1:
            take("0")
        elif self.cases:
            choices = [Choice(str(number), "", as_typed(case.words)) for number, case in enumerate(self.cases)]
            self.owner.choose(title, choices, take)

    def _drop(self, number: str) -> None:
        del self.cases[int(number)]
        self._show_cases()

    @on(Grid.Opened, "#cases")
    def _opened(self) -> None:
        """Show the whole answer of a case: the command for eyes, run again."""
        self._choose("Show whole", self._whole)

    def _whole(self, number: str) -> None:
        self.app.push_screen(OutputScreen(self.cases[int(number)].words))
