"""When one activity is expected to be finished, by the kept forecast, and which delivery it waits for."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple

from ledger.questions.forecast_words import days_words, than_planned
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.lateness import days_later, finish_of
from ledger.questions.orders import order_named, tranche
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.subjects.orders.rules import delivery_days_late


class AwaitedDelivery(NamedTuple):
    """A delivery that drives a date. `days_late` is after its need-by date; `promised` is None if it follows the order's first."""

    delivery: str
    title: str
    supplier: str
    promised: date | None
    days_late: int

    def __str__(self) -> str:
        """Return it in words."""
        when = f"promised {self.promised}" if self.promised else "without a promise of its own"
        late = f", {days_words(self.days_late)} late" if self.days_late else ""
        return f"delivery {self.delivery} ({self.title}, {self.supplier}), {when}{late}"


class Expected(NamedTuple):
    """The forecast finish of an activity beside the planned one. Days are those of the site's calendar."""

    finish: datetime
    on: date
    days_later: int | None
    as_of: str
    waits_for: AwaitedDelivery | None

    @property
    def lines(self) -> list[str]:
        """Return it in words."""
        later = "" if self.days_later is None else f", {than_planned(self.days_later)}"
        lines = [f"forecast {self.on}{later}; {self.as_of}"]
        return lines if self.waits_for is None else [*lines, f"its date waits for {self.waits_for}"]


def expected(snapshot: Snapshot, row: Activity) -> Expected | None:
    """Return when an activity is expected to be finished. None if it is over, or if no forecast is kept."""
    fresh = kept_forecast(snapshot)
    finish = finish_of(fresh.forecast if fresh else None, row.id, row.state)
    if fresh is None or finish is None:
        return None
    found = fresh.forecast
    awaited = _awaited(snapshot, found.waits.get(row.id))
    return Expected(finish, found.day(finish), days_later(found, row), fresh.words, awaited)


def _awaited(snapshot: Snapshot, name: str | None) -> AwaitedDelivery | None:
    delivery = tranche(snapshot, name) if name else None
    if delivery is None:
        return None
    order = order_named(snapshot, delivery.id)
    late = delivery_days_late(delivery, snapshot.now, order.time_zone)
    supplier = order.supplier_name or order.supplier
    return AwaitedDelivery(delivery.id, order.title, supplier, delivery.promised, late)
