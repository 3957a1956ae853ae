"""Every activity: a tree by phase and unit on the left, its activities on the right, filtered as you type."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static, Tree

from ledger.questions.activities import activities
from ledger.questions.calendar import WorkingWeek, working_weeks
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import OVER, Activity
from tui.looks import day_text, float_days, state_text
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

Place = tuple[str | None, str | None]
"""A phase and a unit to show; None for all."""

EVERYWHERE: Place = (None, None)
SHOWN = 2000
TITLE_WIDTH = 60


class StepsScreen(SiteScreen):
    """`/` filters by id, title, role or state; Enter opens an activity's page."""

    TITLE = "Steps"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", id="steps.filter"),
        Binding("o", "toggle_open", "Open only", id="steps.open"),
    ]

    def __init__(self) -> None:
        """Start with every phase and no filter."""
        super().__init__()
        self.place = EVERYWHERE
        self.open_only = False
        self.rows: list[Activity] = []
        self.weeks: dict[str, WorkingWeek] = {}
        self.zone = ""

    def body(self) -> ComposeResult:
        """Return the tree, the filter and the table."""
        with Horizontal():
            tree: Tree[Place] = Tree("All phases", data=EVERYWHERE, id="tree")
            tree.root.expand()
            yield tree
            with Vertical():
                yield Input(placeholder="filter: id, title, role or state; Esc clears it", id="filter")
                yield Rows(("state", "activity", "what", "who", "planned", "float d"), id="activities")
                yield Static("", id="count")

    def ask(self, snapshot: Snapshot) -> tuple[list[Activity], dict[str, WorkingWeek], str]:
        """Return every activity, the working week of each calendar, and the site's time zone. Filtering is done on what was read."""
        return activities(snapshot), working_weeks(snapshot), site_of(snapshot).time_zone

    def show(self, answer: Any) -> None:
        """Paint tree and table."""
        self.rows, self.weeks, self.zone = answer
        self._grow_tree()
        self._paint()

    def _grow_tree(self) -> None:
        tree: Tree[Place] = self.query_one("#tree", Tree)
        if tree.root.children:
            return
        places: dict[str, dict[str, None]] = {}
        for row in self.rows:
            places.setdefault(row.plan.phase, {})[row.plan.unit] = None
        for phase, units in places.items():
            branch = tree.root.add(phase.replace("_", " "), data=(phase, None))
            for unit in units:
                branch.add_leaf(unit, data=(phase, unit))

    def _paint(self) -> None:
        wanted = self.query_one("#filter", Input).value.casefold().split()
        chosen = [row for row in self.rows if self._is_here(row) and _matches(row, wanted)]
        table = self.query_one("#activities", Rows)
        table.replace([self._row(row) for row in chosen[:SHOWN]])
        more = f"; the first {SHOWN} are shown, filter for the rest" if len(chosen) > SHOWN else ""
        noun = "activity" if len(chosen) == 1 else "activities"
        count = f"{len(chosen)} {noun}{more}" if chosen else "nothing matches; Esc clears the filter"
        self.query_one("#count", Static).update(count)

    def _is_here(self, row: Activity) -> bool:
        phase, unit = self.place
        is_there = phase in {None, row.plan.phase} and unit in {None, row.plan.unit}
        return is_there and not (self.open_only and row.state in OVER)

    def _row(self, row: Activity) -> Row:
        title = row.plan.title
        if len(title) > TITLE_WIDTH:  # the columns after it are to be seen too
            title = title[: TITLE_WIDTH - 1] + "…"
        planned = day_text(row.plan.dates.early_start, self.zone) if row.plan.dates else ""
        slack = "critical" if row.is_critical else float_days(row, self.weeks)
        state, who = state_text(row.state, row.flags), row.assignee or row.plan.role
        return row.id, (state, row.id, title, who, planned, slack)

    def show_phase(self, phase: str) -> None:
        """Show one phase only."""
        self.place = (phase, None)
        if self.rows:
            self._paint()

    @on(Tree.NodeSelected, "#tree")
    def _chosen(self, event: Tree.NodeSelected[Place]) -> None:
        self.place = event.node.data or EVERYWHERE
        self._paint()

    @on(Input.Changed, "#filter")
    def _typed(self) -> None:
        self._paint()

    @on(Input.Submitted, "#filter")
    def _entered(self) -> None:
        self.query_one("#activities").focus()

    @on(Rows.RowSelected, "#activities")
    def _opened(self, event: Rows.RowSelected) -> None:
        self.owner.open_activity(event.row_key.value or "")

    def action_filter(self) -> None:
        """Go to the filter."""
        self.query_one("#filter").focus()

    def action_toggle_open(self) -> None:
        """Hide or show what is done or not applicable."""
        self.open_only = not self.open_only
        self._paint()

    def action_back(self) -> None:
        """Clear the filter first; then go back."""
        box = self.query_one("#filter", Input)
        if box.value or box.has_focus:
            box.value = ""
            self.query_one("#activities").focus()
        elif self.place != EVERYWHERE:
            self.place = EVERYWHERE
            self._paint()
        else:
            super().action_back()


def _matches(row: Activity, wanted: list[str]) -> bool:
    text = f"{row.id} {row.plan.title} {row.plan.role} {row.state.words} {' '.join(row.flags)}".casefold()
    return all(word in text for word in wanted)
