"""Labels: a code that a scanner reads, and what people read beside it. Cables have one for each end.

The code of an item is its name, as `check scan` takes it. The code of a delivery is its id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ledger.questions.cabling import CableEnds, cable_ends
from ledger.questions.case import require_activity
from ledger.questions.checks import planned_items
from ledger.questions.orders import order_named, require_tranche
from ledger.questions.snapshot import Snapshot
from ledger.rules.subjects import is_delivery
from schedule.errors import InputError

COLUMNS = ("code", "line 1", "line 2", "line 3", "line 4")
"""The columns of labels as CSV, for the program of a label printer."""


class Label(NamedTuple):
    """A label: its code, and lines of text, of which the first names what it is on."""

    code: str
    lines: tuple[str, ...]


def labels_of(snapshot: Snapshot, names: Collection[str]) -> list[Label]:
    """Return the labels of activities' items and of deliveries. Raise InputError if the plan names none of them."""
    found: list[Label] = []
    for name in names:
        found += _delivery(snapshot, name) if is_delivery(name) else _items(snapshot, name)
    if not found:
        raise InputError(
            "the plan names no items there, it only counts them",
            hint="`clusterwright check list ACTIVITY` has the names of items",
        )
    return found


def _delivery(snapshot: Snapshot, name: str) -> Iterator[Label]:
    one, order = require_tranche(snapshot, name), order_named(snapshot, name)
    units = ", ".join(one.units)
    yield Label(name, (name, order.title, f"{one.quantity.normalize():,f} {order.unit_of_measure}  {units}".strip()))


def _items(snapshot: Snapshot, name: str) -> Iterator[Label]:
    row = require_activity(snapshot, name)
    items = planned_items(snapshot, row)
    ends = cable_ends(snapshot, row.plan.unit, items)
    for item in items:
        if item in ends:
            yield from _both_ends(item, ends[item])
        else:
            yield Label(item, (item, row.id, row.plan.title))


def _both_ends(cable: str, ends: CableEnds) -> Sequence[Label]:
    here = ((ends.a, ends.a_rack, ends.b), (ends.b, ends.b_rack, ends.a))
    return [Label(cable, (cable, port, f"to {other}", f"{rack}  {ends.stock_m} m")) for port, rack, other in here]
