"""A screen with one list: its filter, its order, its groups and marks. What the list holds is the screen's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Generic

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.lists.column import Row
from tui.lists.grid import Grid
from tui.lists.prompt import Prompt
from tui.lists.saved import restore, save_view, saved_views
from tui.lists.view import Head, View
from tui.printing import Printed
from tui.screens.base import SiteScreen
from tui.screens.choose import Choice


class ListScreen(SiteScreen, Generic[Row]):
    """A filter above a list. `answer` of `ask` are the rows."""

    EMPTY: ClassVar[str] = "nothing here"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", id="filter", priority=True),
        Binding("full_stop", "sort", "Sort", key_display=".", id="sort", priority=True),
        Binding("comma", "group", "Group", key_display=",", id="group", priority=True),
        Binding("C", "columns", "Columns", id="columns", priority=True),
        Binding("V", "views", "Saved views", id="views", priority=True),
    ]

    def __init__(self, query: str = "") -> None:
        """Make the view, with a filter that is in force from the beginning."""
        super().__init__()
        self.view = self.made()
        self.view.filter(query)

    def made(self) -> View[Row]:
        """Return the view with the list's columns and the words of its filter."""
        raise NotImplementedError

    def body(self) -> ComposeResult:
        """Return the filter and the list."""
        yield Prompt("/", lambda: self.view.vocabulary.hints, id="prompt")
        yield Grid(self.view, id="grid", empty=self.EMPTY)

    @property
    def grid(self) -> Grid[Row]:
        """The list."""
        return self.query_one("#grid", Grid)

    @property
    def row(self) -> Row | None:
        """The row under the cursor. None on a head, and before the list is there."""
        grids = self.query(Grid)
        return grids.first().row if grids else None

    @property
    def prompt(self) -> Prompt:
        """The filter."""
        return self.query_one("#prompt", Prompt)

    @property
    def chosen(self) -> Sequence[str]:
        """The marked rows, else the one under the cursor."""
        return self.grid.chosen

    @property
    def chosen_rows(self) -> Sequence[Row]:
        """The marked rows in the order of the list, else the one under the cursor."""
        if self.view.marked:
            return [row for row in self.view.rows if self.view.key(row) in self.view.marked]
        return [] if self.row is None else [self.row]

    def subject(self, row: Row) -> str:
        """Return the id that actions about a row are about."""
        return self.view.key(row)

    def take_marks_away(self, subjects: Collection[str]) -> None:
        """Take away the marks of rows that were decided about."""
        self.view.marked -= {self.view.key(row) for row in self.view.rows if self.subject(row) in subjects}

    def show(self, answer: Any) -> None:
        """Show the rows."""
        self.grid.show_rows(answer)
        self.count()

    def on_mount(self) -> None:
        """Let keys go to the list, and show the filter that is in force."""
        self.prompt.text = self.view.query
        self.set_focus(self.grid)

    def count(self) -> None:
        """Say how many rows are shown and marked, or what is wrong with the filter."""
        view = self.view
        if view.wrong is not None:
            self.prompt.say(f"{view.wrong.what}; {view.wrong.hint}", is_wrong=True)
            return
        shown, marked = len(view.found), len(view.marked)
        of = f" of {len(view.rows):,}" if shown != len(view.rows) else ""
        marks = f", {marked:,} marked" if marked else ""
        self.prompt.say(f"{shown:,}{of}{marks}")

    @on(Prompt.Typed, "#prompt")
    def _typed(self, event: Prompt.Typed) -> None:
        self.grid.filter(event.prompt.text)
        self.count()

    @on(Prompt.Entered, "#prompt")
    def _entered(self) -> None:
        self.set_focus(self.grid)

    @on(Prompt.Left, "#prompt")
    def _left(self) -> None:
        self.grid.filter("")
        self.count()
        self.set_focus(self.grid)

    @on(Grid.Moved, "#grid")
    def _moved(self) -> None:
        if self.grid.is_read:
            self.count()
        self.show_keys()

    @on(Grid.Opened, "#grid")
    def _opened(self) -> None:
        if self.row is not None:
            self.open(self.row)

    def open(self, row: Row) -> None:
        """Open a row that was chosen."""

    def action_filter(self) -> None:
        """Type a filter."""
        self.set_focus(self.prompt)
        self.call_after_refresh(self.view.prepare)

    async def action_sort(self) -> None:
        """Choose the column to sort by."""
        choices = [Choice(column.name, "", column.title) for column in self.view.offered]
        await self.owner.choose("Sort by; the same again turns the order around", choices, self.grid.sort)

    async def action_group(self) -> None:
        """Choose the column by which rows are put together."""
        choices = [Choice(column.name, "", column.title) for column in self.view.columns if column.groups]
        nothing = Choice("", "", "nothing")
        await self.owner.choose("Group by", [nothing, *choices], lambda name: self.grid.group(name or None))

    async def action_columns(self) -> None:
        """Choose a column to hide, or to show again."""
        first, *others = self.view.offered
        choices = [
            Choice(column.name, "", column.title, "hidden")
            if column.name in self.view.hidden
            else Choice(column.name, "✔", column.title, "shown")
            for column in others
        ]
        await self.owner.choose(f"Columns beside {first.title}", choices, self._toggle)

    def _toggle(self, name: str) -> None:
        self.view.hidden ^= {name}
        self.grid.refresh()

    async def action_views(self) -> None:
        """Choose a view that was kept, or keep this one under the name of its filter."""
        kept = saved_views(self.site.folder).get(self.TITLE or "", {})
        choices = [Choice(name, "", name, saved.query) for name, saved in kept.items()]
        name = self.view.query or "all"
        keep = Choice("", "", "keep this view", f"as {name!r}")
        await self.owner.choose("Saved views", [*choices, keep], self._view)

    def _view(self, name: str) -> None:
        folder, of = self.site.folder, self.TITLE or ""
        if not name:
            with self.owner.saying():
                save_view(folder, of, self.view.query or "all", self.view)
                self.notify("kept")
        else:
            restore(self.view, saved_views(folder)[of][name])
            self.prompt.text = self.view.query
            self.grid.action_to(0)
            self.count()

    def page(self) -> Printed:
        """Return the rows that are shown, with the columns that are shown."""
        columns = self.view.visible
        rows = [[column.text(row) for column in columns] for row in self.view.lines if not isinstance(row, Head)]
        return Printed(self.TITLE or "", self.about_site, [column.title for column in columns], rows)

    def action_back(self) -> None:
        """Take away the marks, then the filter; then go back."""
        if self.view.marked:
            self.view.mark(list(self.view.marked))
            self.grid.refresh()
            self.count()
        elif self.view.query or self.prompt.text:
            self.prompt.action_clear()
        else:
            super().action_back()
