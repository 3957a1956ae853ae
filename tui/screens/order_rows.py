"""What the list of orders and deliveries shows of each, and the words of its filter."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

from ledger.questions.supplies import Supply
from schedule.errors import InputError
from steps.stamps import local_day
from tui.lists.column import Column
from tui.lists.words import Test
from tui.looks import Role, day_text

LOOKS: dict[str, tuple[str, Role]] = {
    "planned": ("○", "ready"),
    "placed": ("◐", "active"),
    "shipped": ("▶", "active"),
    "part received": ("◑", "active"),
    "received": ("✔", "good"),
}
"""By state: its glyph and its colour role."""


def state(row: Supply) -> str:
    """Return the state with its glyph. An exclamation mark says that it is late."""
    glyph, _ = LOOKS[row.state]
    return f"{'!' if row.days_late else glyph} {row.state}"


def columns(zone: Callable[[], str]) -> list[Column[Supply]]:
    """Return the columns, the most telling first."""

    def day(of: Callable[[Supply], datetime | date | None]) -> Callable[[Supply], str]:
        return lambda row: day_text(of(row), zone())

    def name(row: Supply) -> str:
        return row.id if row.delivery is None else f"└ {row.id}"

    return [
        Column("state", "state", 15, state, role=_role, groups=True),
        Column("id", "order, delivery", 30, name),
        Column("title", "what", 0, lambda r: r.title, role=_title_role, rank=4),
        Column("order-by", "order by", 10, day(lambda r: r.order_by), lambda r: r.order_by, _order_by_role, rank=1),
        Column("need-by", "need by", 10, day(lambda r: r.need_by), lambda r: r.need_by, rank=2),
        Column("promised", "promised", 10, day(lambda r: r.promised), lambda r: r.promised, rank=3),
        Column("later", "late", 7, _late, lambda r: r.days_late or None, lambda _: "bad", right=True, rank=1),
        Column("quantity", "quantity", 18, lambda r: r.quantity, _whole, right=True, rank=5),
        Column("supplier", "supplier", 18, lambda r: r.supplier, rank=6, groups=True),
        Column("value", "value", 18, _value, _money, right=True, rank=7),
        Column("acknowledged", "acknowledged", 12, _acknowledged, rank=8),
        Column("shipped", "shipped", 10, day(lambda r: r.delivery and r.delivery.shipped), rank=9),
        Column("changes", "changes", 16, lambda r: ", ".join(r.changes), role=lambda _: "attention", rank=10),
        Column("budget", "budget line", 14, lambda r: r.order.budget_line, rank=11, groups=True),
        Column("organisation", "organisation", 16, lambda r: r.order.organisation, rank=12, groups=True),
        Column("role", "placed by", 16, lambda r: r.role, rank=13, groups=True),
        Column("kind", "kind", 8, lambda r: "order" if r.delivery is None else "delivery", rank=14, groups=True),
    ]


def words(is_mine: Test[Supply]) -> dict[str, Test[Supply]]:
    """Return the words that stand alone in a filter."""
    return {
        "late": lambda r: r.days_late > 0,
        "due": lambda r: r.is_due,
        "placed": lambda r: r.order.placed_at is not None,
        "received": lambda r: r.state == "received",
        "open": lambda r: r.state != "received",
        "mine": is_mine,
        "orders": lambda r: r.delivery is None,
        "deliveries": lambda r: r.delivery is not None,
        "changed": lambda r: bool(r.changes),
    }


def in_week(zone: Callable[[], str]) -> Callable[[str], Test[Supply]]:
    """Return what makes the test of a week, as 2027-W05: placed by, promised, shipped or needed in it."""

    def made(text: str) -> Test[Supply]:
        try:
            monday = date.fromisoformat(f"{text.upper()}-1")
        except ValueError:
            raise InputError(f"{text!r} is no week", hint="write year and week as 2027-W05") from None
        after = monday + timedelta(days=7)

        def is_in(row: Supply) -> bool:
            instants = [one for one in (row.order_by, row.need_by) if one is not None]
            days = [local_day(one, zone()) for one in instants]
            shipped = row.delivery.shipped if row.delivery is not None else None
            days += [one for one in (row.promised, shipped) if one is not None]
            return any(monday <= day < after for day in days)

        return is_in

    return made


def _role(row: Supply) -> Role:
    return "bad" if row.days_late else LOOKS[row.state][1]


def _title_role(row: Supply) -> Role:
    return "text" if row.delivery is None else "muted"


def _order_by_role(row: Supply) -> Role:
    return "bad" if row.days_late else "text"


def _late(row: Supply) -> str:
    return f"+{row.days_late} d" if row.days_late else ""


def _whole(row: Supply) -> float:
    return float(row.order.quantity if row.delivery is None else row.delivery.quantity)


def _money(row: Supply) -> float | None:
    value = row.order.value
    return None if value is None or row.delivery is not None else float(value)


def _value(row: Supply) -> str:
    value = row.order.value
    return "" if value is None or row.delivery is not None else f"{value:,} {row.order.currency}"


def _acknowledged(row: Supply) -> str:
    return "" if row.delivery is not None else day_text(row.order.acknowledged, "UTC")
