"""The Gantt chart of all activities: bars on a time axis, the chain that drives go-live, and jumps along the links."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ledger.questions.listing import ListRow
from ledger.questions.neighbours import Neighbours, neighbours
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import OVER
from schedule.errors import ClusterwrightError
from tui.acting.actions import About
from tui.keyline import Shown
from tui.lists.bars import Moments, background, painted, spans_of
from tui.lists.column import Column, Span
from tui.lists.grid import Grid
from tui.lists.prompt import Prompt
from tui.lists.timegrid import EARLY, TimeGrid
from tui.lists.view import View
from tui.looks import STATE_ROLES
from tui.screens.gantt_bars import Times, times_of
from tui.screens.listing import ListScreen
from tui.screens.step_columns import step_columns, step_fields, step_text, step_words

BESIDE = ("link", "glyph", "id", "what", "later", "float")
"""The columns beside the bars."""

LONGEST_ID = 13
"""In cells, as `171@hall-12`."""

DRIVING, BEFORE, AFTER = "◀", "←", "→"
NOBODY = Neighbours(None, (), (), ())
OVER_SHOWN = 3
"""How many activities that are over are above the first that is not."""

LOOK_AFTER_S = 0.08
"""How long the cursor rests on a row before its links are read."""

Chart = tuple[Sequence[ListRow], Times]


class GanttScreen(ListScreen[ListRow]):
    """`/` filters, `[` and `]` go along the links, Enter opens an activity's page."""

    TITLE = "Gantt"
    ABOUT: ClassVar[About] = "activity"
    EMPTY = "no plan is adopted yet: `clusterwright plan adopt`"
    FIRST_KEYS: ClassVar[tuple[Shown, ...]] = (
        ("+-", "Zoom", "focused.zoom(-1)"),
        ("[ ]", "Links", "driving"),
        ("d", "Driving", "chain"),
        ("n", "Today", "focused.now"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "chain", "Driving chain only", id="gantt.chain"),
        Binding("left_square_bracket", "driving", "To what drives it", key_display="[", id="gantt.driving"),
        Binding("right_square_bracket", "driven", "To what it drives", key_display="]", id="gantt.driven"),
        Binding("o", "see", "Its bar into view", id="gantt.see"),
    ]

    def __init__(self, query: str = "") -> None:
        """Begin without any times."""
        self.times = Times(Moments(EARLY))
        self.around = NOBODY
        super().__init__(query)
        self.view.sort("start")
        self.chart = TimeGrid(self.view, BESIDE, id="grid", empty=self.EMPTY)

    def made(self) -> View[ListRow]:
        """Return the view of all activities: the columns of all lists, and the bars."""
        own: list[Column[ListRow]] = [
            Column("link", "", 1, lambda _: "", spans=lambda row, _: [self._link(row)]),
            Column(
                "glyph", "", 1, lambda row: row.state.glyph, lambda row: row.state, lambda row: STATE_ROLES[row.state]
            ),
            Column("what", "what", 22, lambda row: row.title, rank=1),
        ]
        ranks = {"id": 0, "later": 2, "float": 3}
        shared = [
            replace(column, width=min(column.width, LONGEST_ID), rank=ranks.get(column.name, column.rank))
            for column in step_columns(lambda: self.site)
        ]
        order = {name: place for place, name in enumerate(BESIDE)}
        columns = sorted([*own, *shared], key=lambda column: order.get(column.name, len(order)))
        bars = Column[ListRow]("bar", "", 0, lambda _: "", spans=self._painted, heading=self._axis)
        words = step_words(lambda: self.site) | {"driving": lambda row: row.id in self.times.chain}
        return View([*columns, bars], lambda row: row.id, words, step_fields(lambda: self.site), step_text)

    def body(self) -> ComposeResult:
        """Return the filter and the chart."""
        yield Prompt("/", lambda: self.view.vocabulary.hints, id="prompt")
        yield self.chart

    # What is asked and shown

    def ask(self, snapshot: Snapshot) -> Chart:
        """Return the activities as the site has just read them, and their times."""
        rows = self.site.rows
        return rows, times_of(snapshot, rows)

    def show(self, answer: Any) -> None:
        """Show the rows, and at first all of their time, from the first work on that is not over."""
        is_first = not self.view.rows
        rows, self.times = answer
        super().show(rows)
        if is_first:
            lines = enumerate(self.view.found)
            begin = next((place for place, row in lines if row.state not in OVER), 0)
            self.chart.top = max(begin - OVER_SHOWN, 0)
            self.chart.action_to(begin)
        if self.times.whole is not None:
            self.chart.show_time(self.site.zone, self.times.moments.now, self.times.whole)

    def _painted(self, row: ListRow, cells: int) -> Sequence[Span]:
        bar, scale = self.times.bar(row), self.chart.scale
        if bar is None:
            return spans_of(background(scale, cells, self.times.moments))
        return painted(bar, scale, cells, self.times.moments)

    def _axis(self, cells: int) -> Sequence[Span]:
        return self.chart.axis(cells)

    def count(self) -> None:
        """Say how many rows there are, and what a tick of the axis is."""
        super().count()
        if self.view.wrong is None:
            self.prompt.say(f"{self.prompt.note} · by {self.chart.scale.name}")

    # Links

    def _link(self, row: ListRow) -> Span:
        if row.id == self.around.driving:
            return DRIVING, "attention"
        if row.id in self.around.before:
            return BEFORE, "ready"
        if row.id in self.around.driven:
            return AFTER, "attention"
        return (AFTER, "ready") if row.id in self.around.after else (" ", "text")

    @on(Grid.Moved, "#grid")
    def _on_row(self) -> None:
        bar = None if self.row is None else self.times.bar(self.row)
        self.chart.looked_at = None if bar is None else bar.start
        self.read_links(self.grid.key)

    @work(exclusive=True, group="links")
    async def read_links(self, name: str | None) -> None:
        """Read what is around the row under the cursor when it has rested there."""
        await asyncio.sleep(LOOK_AFTER_S)
        self.around = NOBODY if name is None else await asyncio.to_thread(self._around, name)
        self.query("#grid").refresh()  # a screen that was closed meanwhile has none

    def _around(self, name: str) -> Neighbours:
        try:
            with open_snapshot(self.site.folder) as snapshot:
                return neighbours(snapshot, name)
        except ClusterwrightError:  # the screen itself says what cannot be read
            return NOBODY

    @work(exclusive=True, group="jump")
    async def action_driving(self) -> None:
        """Go to what sets the start of the row under the cursor."""
        if self.grid.key is not None:
            found = await asyncio.to_thread(self._around, self.grid.key)
            self._jump([found.driving] if found.driving else found.before[:1], "nothing is before it")

    @work(exclusive=True, group="jump")
    async def action_driven(self) -> None:
        """Go to the first activity whose start the row under the cursor sets, else to a successor."""
        if self.grid.key is not None:
            found = await asyncio.to_thread(self._around, self.grid.key)
            self._jump(found.driven or found.after, "nothing is after it")

    def _jump(self, names: Iterable[str], nothing: str) -> None:
        """Go to the first of some rows that is shown, and bring its bar into view."""
        wanted = list(names)
        for name in wanted:
            line = self.view.line_of(name)
            if line is not None:
                self.grid.action_to(line)
                self._bring()
                return
        self.notify(f"{wanted[0]} is not in the list as it is filtered" if wanted else nothing)

    def _bring(self) -> None:
        """Move the axis if the bar under the cursor is not on it."""
        row = self.row
        bar = None if row is None else self.times.bar(row)
        if bar is not None and not self.chart.sees(bar.start):
            self.action_see()

    def action_see(self) -> None:
        """Bring the bar of the row under the cursor into view."""
        row = self.row
        bar = None if row is None else self.times.bar(row)
        if bar is not None:
            self.chart.see(bar.start)

    def action_chain(self) -> None:
        """Show what drives go-live and nothing else, or all again."""
        words = self.prompt.text.split()
        kept = [word for word in words if word != "driving"]
        self.prompt.action_set(" ".join(kept if len(kept) < len(words) else [*words, "driving"]))

    def open(self, row: ListRow) -> None:
        """Show the page of an activity."""
        self.owner.open_activity(row.id)
