"""The columns of a list of activities, and the words of its filter. Every screen that lists activities has these."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ledger.questions.listing import ListRow, planned_in
from ledger.rules.activity import FLAGS, OVER, State
from steps.stamps import local_day
from tui.lists.column import Column
from tui.lists.words import Asked, Test
from tui.looks import STATE_ROLES, STATE_TEXTS, Role, day_text

if TYPE_CHECKING:
    from tui.site import OpenSite

SiteOf = Callable[[], "OpenSite"]
"""Returns the site that is shown. Columns are made before there is one."""


def step_columns(site: SiteOf) -> list[Column[ListRow]]:
    """Return the columns, the most telling first."""

    def day(name: str) -> Callable[[ListRow], str]:
        return lambda row: day_text(getattr(row, name), site().zone)

    def instant(name: str) -> Callable[[ListRow], object]:
        return lambda row: getattr(row, name)

    return [
        Column("state", "state", 19, _state, lambda r: r.state, _role, groups=True),
        Column("id", "activity", 15, lambda r: r.id),
        Column("title", "what", 0, lambda r: r.title, least=24),
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
        Column("planned-week", "week", 8, lambda r: _week_of(r, site().zone), rank=9, groups=True),
    ]


def step_words(site: SiteOf) -> dict[str, Test[ListRow]]:
    """Return the words that stand alone in a filter."""

    def is_mine(row: ListRow) -> bool:
        return row.assignee == site().person if row.assignee else row.role in site().roles

    found: dict[str, Test[ListRow]] = {
        "late": lambda r: r.past_planned_finish,
        "later": lambda r: r.is_later,
        "mine": is_mine,
        "open": lambda r: r.state not in OVER,
        "critical": lambda r: r.is_critical,
        "hold-point": lambda r: r.hold_point,
    }
    for flag in FLAGS:
        found[flag.replace("_", "-")] = lambda r, flag=flag: flag in r.flags  # type: ignore[misc]
    return found


def step_fields(site: SiteOf) -> dict[str, Asked[ListRow]]:
    """Return what a filter asks beside the columns: `week:2027-W05`, and a state without its sign: `state:=ready`."""
    return {"week": lambda text: planned_in(text.upper(), site().zone), "state": _in_state}


def _in_state(text: str) -> Test[ListRow]:
    """Return the test whether a state is one of those between commas, as a list shows it or as the command line names it."""
    wanted, is_whole = text.removeprefix("=").split(","), text.startswith("=")

    def is_wanted(state: State) -> bool:
        names = (state.words.casefold(), state.value)
        return any(one in names if is_whole else any(one in name for name in names) for one in wanted)

    states = set(filter(is_wanted, State))
    return lambda row: row.state in states


def step_text(row: ListRow) -> str:
    """Return what is searched for words that are no field's."""
    return f"{row.id} {row.title} {row.who} {row.role} {STATE_TEXTS[row.state]} {row.phase} {' '.join(row.flags)}"


def _week_of(row: ListRow, zone: str) -> str:
    if row.planned_start is None:
        return ""
    year, week, _ = local_day(row.planned_start, zone).isocalendar()
    return f"{year}-W{week:02}"


def _state(row: ListRow) -> str:
    return STATE_TEXTS[row.state]


def _role(row: ListRow) -> Role:
    return STATE_ROLES[row.state]


def _later(row: ListRow) -> str:
    return f"{row.days_later:+} d" if row.days_later else ""


def _later_role(row: ListRow) -> Role:
    return "bad" if (row.days_later or 0) > 0 else "good"


def _float(row: ListRow) -> str:
    return "" if row.float_days is None else "critical" if row.is_critical else f"{row.float_days:.0f} d"


def _float_role(row: ListRow) -> Role:
    return "attention" if row.is_critical else "text"
