"""The rows of what is late: by what it costs, then by days, with who has it; what is alike in one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ledger.questions.forecast_words import MINUTES_OF_DAY
from ledger.questions.kept_forecast import KeptForecast
from ledger.questions.listing import ListRow
from ledger.rules.rows import OrderRow
from steps.stamps import days_between
from tui.lists.column import Span
from tui.screens.morning_rows import about_of
from tui.screens.panel import PanelRow

MILLION = 1_000_000


class Late(NamedTuple):
    """Something that is late. `minutes` is its part of the slip of go-live, and `drives` is true if go-live waits for it."""

    id: str
    days: int
    float_left: str
    who: str
    title: str
    minutes: int
    drives: bool

    @property
    def alike(self) -> tuple[object, ...]:
        """What rows have in common that are shown as one: the same step, equally late. What has its own cost has its own row."""
        own = self.id if self.minutes or "#" in self.id else ""
        return own, self.id.partition("@")[0], self.days, self.drives, self.float_left, self.who


def late_rows(
    rows: Sequence[ListRow],
    orders: Sequence[OrderRow],
    forecast: KeptForecast | None,
    now: datetime,
    zone: str,
) -> list[PanelRow]:
    """Return what is late: first what makes go-live later and by how much, then what go-live waits for, then by days."""
    found = [*_work(rows, forecast, now, zone), *_orders(orders, forecast)]
    found.sort(key=lambda one: (-one.minutes, not one.drives, -one.days, one.id))
    groups: dict[tuple[object, ...], list[Late]] = {}
    for one in found:
        groups.setdefault(one.alike, []).append(one)
    usd = forecast.slip_day_usd if forecast else 0.0
    return [_row(alike, usd) for alike in groups.values()]


def _work(
    rows: Sequence[ListRow],
    forecast: KeptForecast | None,
    now: datetime,
    zone: str,
) -> Iterator[Late]:
    minutes, critical = _of_go_live(forecast)
    for row in rows:
        days = max(row.days_later or 0, _past(row, now, zone))
        if days > 0 or row.past_planned_finish:
            drives = row.id in critical
            # of the float that the plan has, nothing is left to what drives go-live
            float_days = 0.0 if drives else row.float_days
            slack = "" if float_days is None else f"{float_days:.0f} d"
            yield Late(row.id, days, slack, row.who, row.title, minutes.get(row.id, 0), drives)


def _orders(orders: Sequence[OrderRow], forecast: KeptForecast | None) -> Iterator[Late]:
    minutes, critical = _of_go_live(forecast)
    for order in orders:
        if order.days_late:
            name = order.late_delivery.id if order.late_delivery else order.id
            who = order.supplier_name or order.supplier
            yield Late(name, order.days_late, "", who, order.title, minutes.get(name, 0), name in critical)


def _of_go_live(forecast: KeptForecast | None) -> tuple[dict[str, int], frozenset[str]]:
    """Return the parts of the slip in minutes, and what go-live waits for, both by id."""
    if forecast is None:
        return {}, frozenset()
    return {one.id: one.minutes for one in forecast.slip}, frozenset(forecast.critical)


def _past(row: ListRow, now: datetime, zone: str) -> int:
    if not row.past_planned_finish or row.planned_finish is None:
        return 0
    return days_between(row.planned_finish, now, zone)


def _row(alike: Sequence[Late], usd: float) -> PanelRow:
    one = alike[0]
    makes_later = one.drives or one.minutes > 0
    name = one.id if len(alike) == 1 else f"{one.id}… ×{len(alike)}"
    cells: tuple[Span, ...] = (
        ("!" if makes_later else "~", "bad" if makes_later else "attention"),
        (name, "text"),
        (f"{one.days:+} d", "bad"),
        (one.float_left, "text"),
        (_cost(one, usd), "bad"),
        (one.who, "text"),
        (one.title, "muted"),
    )
    return PanelRow(one.id, cells, one.id, about_of(one.id), one.id)


def _cost(one: Late, usd: float) -> str:
    """Return what its part of the slip costs by now; of what drives go-live, what each more day costs; else nothing."""
    if one.minutes > 0 and usd:
        return _dollars(one.minutes / MINUTES_OF_DAY * usd)
    return f"{_dollars(usd)}/d" if one.drives and usd else "-"


def _dollars(usd: float) -> str:
    """Return an amount in few characters."""
    if usd >= MILLION:
        return f"${usd / MILLION:,.1f} M"
    return f"${usd / 1000:,.0f} k" if usd >= 1000 else f"${usd:.0f}"
