"""Quality in one list: non-conformances, change orders that wait for a decision, waivers with the day on which they end, action items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import ClassVar

from textual.binding import Binding, BindingType

from ledger.questions.open_quality import QualityRow, quality
from ledger.questions.snapshot import Snapshot
from ledger.rules.subjects import order_of
from tui.acting.actions import About, Action
from tui.keyline import Shown
from tui.lists.column import Column
from tui.lists.view import View
from tui.lists.words import Test
from tui.looks import Role, day_text
from tui.screens.listing import ListScreen

ABOUT: dict[str, About] = {"ncr": "ncr", "change": "change", "waiver": "activity", "action": "action"}
"""By kind of row: what its actions are about."""

GLYPHS: dict[str, tuple[str, Role]] = {
    "open": ("✘", "bad"),
    "decided": ("◐", "active"),
    "waived": ("~", "attention"),
    "approved": ("✔", "good"),
    "refused": ("–", "muted"),
    "closed": ("✔", "good"),
}
"""By state: its glyph and its colour role."""

_KIND = {"ncr": "NCR", "change": "change", "waiver": "waiver", "action": "action"}


class QualityScreen(ListScreen[QualityRow]):
    """What is open comes first. Enter opens the activity, or the order of a change."""

    TITLE = "Quality"
    ABOUT: ClassVar[About] = "ncr"
    EMPTY = "no non-conformance, no change order, no waiver and no action item"
    OWN_KEYS: ClassVar[tuple[Shown, ...]] = (("u", "Move a waiver", "move_waiver"),)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "move_waiver", "Another day for a waiver", id="quality.move-waiver"),
    ]

    def made(self) -> View[QualityRow]:
        """Return the view of all kinds."""
        return View(self._columns(), lambda row: row.id, self._words())

    def ask(self, snapshot: Snapshot) -> Sequence[QualityRow]:
        """Return the rows, what is open first."""
        return quality(snapshot)

    @property
    def about(self) -> About:
        """A non-conformance, a change order, the activity of a waiver or an action item, as the first of the chosen rows is."""
        rows = self.chosen_rows
        return ABOUT[rows[0].kind] if rows else self.ABOUT

    @property
    def chosen(self) -> Sequence[str]:
        """The chosen rows that are of the kind of the first. Of a waiver, its activity."""
        about = self.about
        return list(dict.fromkeys(self.subject(row) for row in self.chosen_rows if ABOUT[row.kind] == about))

    def subject(self, row: QualityRow) -> str:
        """Return the id of a row; of a waiver, its activity."""
        return row.subject if row.kind == "waiver" else row.id

    def values(self, action: Action, _subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the chosen waiver for the form that moves it."""
        return {"waiver": self.chosen_rows[0].id} if action.command == "move-waiver" else {}

    def open(self, row: QualityRow) -> None:
        """Show the page of the activity, or of the order."""
        if row.kind == "change":
            self.owner.open_page("order", order_of(row.subject))
        elif row.subject:
            self.owner.open_activity(row.subject)
        else:
            self.notify(f"{row.id} is about no activity")

    def action_move_waiver(self) -> None:
        """Set another day for the chosen waiver."""
        if self.about != "activity":
            self.notify("a waiver has a day to move; this row is none")
            return
        self.action_act("activity.move-waiver")

    def _columns(self) -> list[Column[QualityRow]]:
        def day(of: Callable[[QualityRow], datetime | date | None]) -> Callable[[QualityRow], str]:
            return lambda row: day_text(of(row), self.site.zone)

        return [
            Column("state", "state", 12, _state, role=_role, groups=True),
            Column("id", "id", 10, lambda r: r.id),
            Column("class", "class", 5, lambda r: r.ncr_class, role=_class_role, rank=2, groups=True),
            Column("subject", "about", 17, lambda r: r.subject, groups=True),
            Column("said", "reason", 0, lambda r: r.said),
            Column("decided", "decided", 14, lambda r: r.decided, rank=5),
            Column("owner", "owner", 16, lambda r: r.owner, rank=3, groups=True),
            Column("due", "due", 12, self._due, lambda r: r.due, _due_role, rank=1),
            Column("inspections", "inspected", 9, _inspections, lambda r: r.inspections, right=True, rank=6),
            Column("opened", "opened", 10, day(lambda r: r.opened), lambda r: r.opened, rank=7),
            Column("closed", "closed", 10, day(lambda r: r.closed), lambda r: r.closed, rank=9),
            Column("title", "what", 30, lambda r: r.title, rank=8),
            Column("kind", "kind", 7, lambda r: _KIND[r.kind], rank=10, groups=True),
        ]

    def _words(self) -> dict[str, Test[QualityRow]]:
        return {
            "open": lambda r: r.is_open,
            "mine": self._is_mine,
            "overdue": lambda r: r.is_overdue,
            "class-a": lambda r: r.ncr_class == "A",
            "ncrs": lambda r: r.kind == "ncr",
            "changes": lambda r: r.kind == "change",
            "waivers": lambda r: r.kind == "waiver",
            "actions": lambda r: r.kind == "action",
            "undecided": lambda r: r.state == "open" and r.kind != "action",
        }

    def _is_mine(self, row: QualityRow) -> bool:
        site = self.site
        if not row.is_open:
            return False
        return row.owner == site.person or not site.roles.isdisjoint(row.deciders)

    def _due(self, row: QualityRow) -> str:
        return f"{'! ' if row.is_overdue else ''}{day_text(row.due, self.site.zone)}"


def _state(row: QualityRow) -> str:
    return f"{GLYPHS[row.state][0]} {row.state}"


def _role(row: QualityRow) -> Role:
    return GLYPHS[row.state][1]


def _class_role(row: QualityRow) -> Role:
    return "bad" if row.ncr_class == "A" and row.is_open else "text"


def _due_role(row: QualityRow) -> Role:
    return "bad" if row.is_overdue else "text"


def _inspections(row: QualityRow) -> str:
    return f"{row.inspections} x" if row.inspections else ""
