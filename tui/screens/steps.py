"""Every activity: a tree by phase and unit on the left, its activities on the right, filtered as you type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static, Tree

from ledger.questions.activities import activities
from tui.looks import safe, state_text
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.rules.activity import Activity

Place = tuple[str | None, str | None]
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
        self.place: Place = (None, None)
        self.open_only = False
        self.rows: list[Activity] = []

    def body(self) -> ComposeResult:
        """Give the tree, the filter and the table."""
        with Horizontal():
            tree: Tree[Place] = Tree("All phases", data=(None, None), id="tree")
            tree.root.expand()
            yield tree
            with Vertical():
                yield Input(placeholder="filter: id, title, role or state; Esc leaves it", id="filter")
                yield Rows(("state", "activity", "what", "who", "planned", "float d"), id="activities")
                yield Static("", id="count")

    def ask(self, snapshot: Snapshot) -> Any:
        """Read every activity; filtering is done on what was read."""
        return activities(snapshot)

    def show(self, answer: Any) -> None:
        """Paint tree and table."""
        self.rows = answer
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
        wanted = self.query_one("#filter", Input).value.lower().split()
        chosen = [r for r in self.rows if self._fits(r, wanted)]
        table = self.query_one("#activities", Rows)
        table.replace([_cells(r) for r in chosen[:SHOWN]])
        more = f"; the first {SHOWN} are shown, filter for the rest" if len(chosen) > SHOWN else ""
        nothing = "nothing matches; Esc clears the filter" if not chosen else f"{len(chosen)} activities{more}"
        self.query_one("#count", Static).update(nothing)

    def _fits(self, row: Activity, wanted: list[str]) -> bool:
        phase, unit = self.place
        if phase not in (None, row.plan.phase) or unit not in (None, row.plan.unit):
            return False
        if self.open_only and row.state.value in {"done", "not_applicable"}:
            return False
        text = f"{row.id} {row.plan.title} {row.plan.role} {row.state.words} {' '.join(row.flags)}".lower()
        return all(word in text for word in wanted)

    def show_phase(self, phase: str) -> None:
        """Show one phase only."""
        self.place = (phase, None)
        if self.rows:
            self._paint()

    @on(Tree.NodeSelected, "#tree")
    def _chosen(self, event: Tree.NodeSelected[Place]) -> None:
        self.place = event.node.data or (None, None)
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
        elif self.place != (None, None):
            self.place = (None, None)
            self._paint()
        else:
            super().action_back()


def _cells(r: Activity) -> Row:
    dates = r.plan.dates
    planned = f"{dates.early_start:%Y-%m-%d}" if dates else ""
    per_day = 8 if r.plan.calendar == "working" else 24
    slack = "critical" if r.is_critical else f"{(dates.total_float_h if dates else 0) / per_day:.0f}"
    return (
        r.id,
        (
            state_text(r.state, r.flags),
            safe(r.id),
            safe(_short(r.plan.title)),
            safe(r.assignee or r.plan.role),
            planned,
            slack,
        ),
    )


def _short(title: str) -> str:
    """Keep a title short enough that what stands behind it is seen too."""
    return title if len(title) <= TITLE_WIDTH else title[: TITLE_WIDTH - 1] + "…"
