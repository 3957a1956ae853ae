"""Crews at work by trade and week, against those that the site has: where work waits for people, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ledger.questions.crew_weeks import CrewWeek, Limit, TradeWeeks, crew_weeks
from ledger.questions.site import revision
from ledger.questions.snapshot import Snapshot
from steps.stamps import local_day
from tui.keyline import Shown
from tui.lists.bars import level, spans_of
from tui.lists.column import Column, Span
from tui.lists.prompt import Prompt
from tui.lists.timegrid import EARLY, TimeGrid
from tui.lists.timescale import EIGHTHS, Timescale, midnight
from tui.lists.view import View
from tui.looks import Role
from tui.screens.listing import ListScreen

WEEK = timedelta(days=7)
WAITS = "▲"
"""Work waits for crews."""


class WeekGrid(TimeGrid[TradeWeeks]):
    """A list in which one week is chosen. Left and right choose another."""

    SHARE = 0.35
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "aside(-1)", "The week before", show=False, id="week.before"),
        Binding("right", "aside(1)", "The week after", show=False, id="week.after"),
        Binding("shift+left", "aside(-4)", "Four weeks before", show=False, id="week.far-before"),
        Binding("shift+right", "aside(4)", "Four weeks after", show=False, id="week.far-after"),
    ]
    monday = date(2000, 1, 3)
    """The first day of the week that is chosen."""

    def choose(self, day: date) -> None:
        """Choose the week of a day, and let it be seen."""
        self.monday = day - timedelta(days=day.weekday())
        self.looked_at = self.begin
        if not self.sees(self.begin):
            self.see(self.begin)
        self.look(self.scale)

    @property
    def begin(self) -> datetime:
        """When the chosen week begins."""
        return midnight(self.monday, self.scale.zone)

    def action_aside(self, columns: int) -> None:
        """Choose the week so many weeks later."""
        self.choose(self.monday + columns * WEEK)

    def action_now(self) -> None:
        """Choose this week."""
        self.choose(local_day(self.now, self.scale.zone))

    def axis(self, cells: int) -> Sequence[Span]:
        """Return the heading of the axis, with a mark over the chosen week."""
        ((heading, _),) = super().axis(cells)
        cell = self.scale.place(self.begin) // EIGHTHS
        if not 0 <= cell < cells:
            return [(heading, "heading")]
        return [(heading[:cell], "heading"), ("▼", "attention"), (heading[cell + 1 :], "heading")]


class CrewsScreen(ListScreen[TradeWeeks]):
    """Left and right choose a week, Enter lists what a trade does in it."""

    TITLE = "Crews"
    EMPTY = "the plan has no crews: none is adopted, or it is from before there were any"
    FIRST_KEYS: ClassVar[tuple[Shown, ...]] = (
        ("←→", "Week", "focused.aside(1)"),
        ("+-", "Zoom", "focused.zoom(-1)"),
        ("n", "This week", "focused.now"),
        ("a", "All weeks", "focused.whole"),
    )

    def __init__(self, query: str = "") -> None:
        """Begin with nothing."""
        super().__init__(query)
        self.chart = WeekGrid(self.view, id="grid", empty=self.EMPTY)
        self._limits: tuple[int, Mapping[str, Limit]] = (0, {})
        for _ in range(2):  # the longest first
            self.view.sort("waits")

    def made(self) -> View[TradeWeeks]:
        """Return the view of the trades."""
        columns = [
            Column[TradeWeeks]("trade", "trade or resource", 22, lambda row: row.title),
            _number("has", "has", 7, lambda row: row.there, rank=1),
            _number("most", "most", 7, lambda row: row.most, rank=4),
            Column("mean", "mean", 6, lambda row: f"{row.mean:,.1f}", lambda row: row.mean, right=True, rank=6),
            _number("full", "full", 5, lambda row: row.full, rank=3),
            Column("waits", "waits", 6, _waits, lambda row: row.short, _waits_role, right=True, rank=2),
            Column(
                "left",
                "hours",
                8,
                lambda row: f"{row.hours_left:,.0f}",
                lambda row: row.hours_left,
                right=True,
                rank=5,
            ),
            Column("week", "", 11, self._in_week, self._at_work, self._week_role, right=True, heading=self._week_title),
            Column("weeks", "", 0, lambda _: "", spans=self._painted, heading=self._axis),
        ]
        words = {"short": lambda row: row.short > 0, "resource": lambda row: not row.is_trade}
        return View(columns, lambda row: row.name, words)

    def _axis(self, cells: int) -> Sequence[Span]:
        return self.chart.axis(cells)

    def body(self) -> ComposeResult:
        """Return the filter and the chart."""
        yield Prompt("/", lambda: self.view.vocabulary.hints, id="prompt")
        yield self.chart

    def ask(self, snapshot: Snapshot) -> tuple[datetime, list[TradeWeeks]]:
        """Return the present, and the weeks of the trades. The limits are read once for each plan."""
        of = revision(snapshot)
        if of == 0:
            return snapshot.now, []
        if of != self._limits[0]:
            self._limits = (of, limits(snapshot))
        return snapshot.now, crew_weeks(snapshot, self._limits[1])

    def show(self, answer: Any) -> None:
        """Show the trades; at first all of the time, with this week chosen."""
        now, rows = answer
        super().show(rows)
        is_first = self.chart.monday.year == EARLY.year
        if rows:
            zone, weeks = self.site.zone, rows[0].weeks
            first, last = (midnight(week.monday, zone) for week in (weeks[0], weeks[-1]))
            self.chart.show_time(zone, now, (first, last + WEEK))
            if is_first:
                self.chart.choose(local_day(min(max(now, first), last), zone))

    def count(self) -> None:
        """Say how many rows there are, and what is painted."""
        super().count()
        if self.view.wrong is None:
            said = f"{WAITS} work waits for crews · ◂ ▸ choose a week · Enter lists its work"
            self.prompt.say(f"{self.prompt.note} · {said}")

    # The chosen week

    def _chosen_week(self, row: TradeWeeks) -> CrewWeek | None:
        number = (self.chart.monday - row.weeks[0].monday).days // 7
        return row.weeks[number] if 0 <= number < len(row.weeks) else None

    def _at_work(self, row: TradeWeeks) -> int:
        week = self._chosen_week(row)
        return 0 if week is None else week.crews

    def _in_week(self, row: TradeWeeks) -> str:
        week = self._chosen_week(row)
        if week is None or not week.wanted:
            return ""
        more = f" {WAITS}{week.wanted:,}" if week.wanted > row.there else ""
        return f"{week.crews:,}/{row.there:,}{more}"

    def _week_role(self, row: TradeWeeks) -> Role:
        week = self._chosen_week(row)
        return "text" if week is None else _role(row, week)

    def _week_title(self, cells: int) -> Sequence[Span]:
        year, week, _ = self.chart.monday.isocalendar()
        return [(f"{year}-W{week:02}".rjust(cells), "attention")]

    def _painted(self, row: TradeWeeks, cells: int) -> Sequence[Span]:
        return painted_weeks(row, self.chart.scale, cells)

    def open(self, row: TradeWeeks) -> None:
        """List what a trade does in the chosen week."""
        from tui.screens.steps import StepsScreen

        if not self._in_week(row):
            self.notify(f"{row.title}: no work in that week", markup=False)
            return
        year, week, _ = self.chart.monday.isocalendar()
        of = f"role:={row.name}" if row.is_trade else f"id:{','.join(row.work)}"
        self.app.push_screen(StepsScreen(f"{of} week:{year}-W{week:02}"))


def painted_weeks(row: TradeWeeks, scale: Timescale, width: int) -> Sequence[Span]:
    """Return the weeks of a row on an axis: in each cell the fullest of those that it has a part of."""
    first = midnight(row.weeks[0].monday, scale.zone)
    cells: list[Span] = []
    for cell in range(width):
        begin, end = (scale.at(cell) - first) // WEEK, -((first - scale.at(cell + 1)) // WEEK)
        own = row.weeks[max(begin, 0) : max(end, 0)]
        fullest = max(own, key=lambda week: (week.wanted > row.there, week.crews), default=None)
        if fullest is None:
            cells.append((" ", "text"))
            continue
        glyph = WAITS if fullest.wanted > row.there else level(fullest.crews / max(row.there, 1))
        cells.append((glyph, _role(row, fullest)))
    return spans_of(cells)


def limits(snapshot: Snapshot) -> dict[str, Limit]:
    """Return how many crews of each trade, and how much of each resource, the plan in force has."""
    from ledger.evidence.plans import read_frame  # pydantic, which the first screen is painted without

    plan = read_frame(snapshot)
    trades = {role: Limit(plan.roles.get(role, role), number) for role, number in plan.crews.items()}
    return trades | {one.id: Limit(f"{one.id.partition('@')[2]}: {one.title}", one.capacity) for one in plan.resources}


def _number(name: str, title: str, width: int, of: Any, rank: int) -> Column[TradeWeeks]:
    return Column(name, title, width, lambda row: f"{of(row):,}", of, right=True, rank=rank)


def _waits(row: TradeWeeks) -> str:
    return f"{row.short} w" if row.short else ""


def _waits_role(row: TradeWeeks) -> Role:
    return "bad" if row.short else "text"


def _role(row: TradeWeeks, week: CrewWeek) -> Role:
    if week.wanted > row.there:
        return "bad"
    return "attention" if week.crews >= row.there else "ready"
