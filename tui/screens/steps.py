"""Every activity in one list: filtered by field, sorted by any column, in groups, and decided about together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from ledger.questions.listing import ListRow, planned_in
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import FLAGS, OVER, State
from steps.stamps import local_day
from tui.acting.actions import About
from tui.lists.column import Column
from tui.lists.view import View
from tui.lists.words import Test
from tui.looks import Role, day_text
from tui.screens.listing import ListScreen


class StepsScreen(ListScreen[ListRow]):
    """`/` filters, Enter opens an activity's page."""

    TITLE = "Steps"
    ABOUT: ClassVar[About] = "activity"
    EMPTY = "no plan is adopted yet: `clusterwright plan adopt`"

    def made(self) -> View[ListRow]:
        """Return the view of all activities."""
        return View(self.columns(), lambda row: row.id, self.words(), {"week": self._week})

    def ask(self, _snapshot: Snapshot) -> Sequence[ListRow]:
        """Return the activities as the site has just read them."""
        return self.owner.site.rows

    def columns(self) -> list[Column[ListRow]]:
        """Return the columns, the most telling first."""

        def day(name: str) -> Callable[[ListRow], str]:
            return lambda row: day_text(getattr(row, name), self.owner.site.zone)

        def instant(name: str) -> Callable[[ListRow], object]:
            return lambda row: getattr(row, name)

        return [
            Column(
                "state",
                "state",
                19,
                lambda r: f"{r.state.glyph} {r.state.words}",
                lambda r: r.state,
                _role,
                groups=True,
            ),
            Column("id", "activity", 15, lambda r: r.id),
            Column("title", "what", 0, lambda r: r.title),
            Column("who", "who", 22, lambda r: r.who, rank=3, groups=True),
            Column("start", "start", 10, day("planned_start"), instant("planned_start"), rank=5),
            Column("finish", "finish", 10, day("planned_finish"), instant("planned_finish"), rank=2),
            Column("forecast", "forecast", 10, day("forecast_finish"), instant("forecast_finish"), rank=4),
            Column("later", "later", 7, _later, lambda r: r.days_later, _later_role, right=True, rank=1),
            Column("float", "float", 8, _float, lambda r: r.float_days, _float_role, right=True, rank=1),
            Column("flags", "flags", 12, lambda r: " ".join(r.flags), role=lambda _: "attention", rank=6),
            Column("baseline", "baseline", 10, day("baseline_finish"), instant("baseline_finish"), rank=7),
            Column("role", "role", 22, lambda r: r.role, rank=9, groups=True),
            Column("phase", "phase", 14, lambda r: r.phase.replace("_", " "), rank=8, groups=True),
            Column("unit", "unit", 8, lambda r: r.unit, rank=9, groups=True),
            Column("crew", "waits for", 18, lambda r: (r.crew or "").replace("-", " "), rank=8, groups=True),
            Column("planned-week", "week", 8, self._week_of, rank=9, groups=True),
        ]

    def words(self) -> dict[str, Test[ListRow]]:
        """Return the words that stand alone in a filter."""
        found: dict[str, Test[ListRow]] = {
            "late": lambda r: r.past_planned_finish,
            "later": lambda r: r.is_later,
            "mine": self._is_mine,
            "open": lambda r: r.state not in OVER,
            "critical": lambda r: r.is_critical,
            "hold-point": lambda r: r.hold_point,
        }
        for flag in FLAGS:
            found[flag.replace("_", "-")] = lambda r, flag=flag: flag in r.flags  # type: ignore[misc]
        return found

    def _is_mine(self, row: ListRow) -> bool:
        site = self.owner.site
        return row.assignee == site.person if row.assignee else row.role in site.roles

    def _week_of(self, row: ListRow) -> str:
        if row.planned_start is None:
            return ""
        year, week, _ = local_day(row.planned_start, self.owner.site.zone).isocalendar()
        return f"{year}-W{week:02}"

    def _week(self, text: str) -> Test[ListRow]:
        return planned_in(text.upper(), self.owner.site.zone)

    def open(self, row: ListRow) -> None:
        """Show the page of an activity."""
        self.owner.open_activity(row.id)


def _role(row: ListRow) -> Role:
    return STATE_ROLES[row.state]


STATE_ROLES: dict[State, Role] = {state: state.colour for state in State}  # type: ignore[misc]


def _later(row: ListRow) -> str:
    return f"{row.days_later:+} d" if row.days_later else ""


def _later_role(row: ListRow) -> Role:
    return "bad" if (row.days_later or 0) > 0 else "good"


def _float(row: ListRow) -> str:
    return "" if row.float_days is None else "critical" if row.is_critical else f"{row.float_days:.0f} d"


def _float_role(row: ListRow) -> Role:
    return "attention" if row.is_critical else "text"
