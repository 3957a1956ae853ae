"""Where the cables of a unit go, as the cable schedule of the plan in force has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ledger.questions.checks import DESIGN, drawing
from ledger.questions.snapshot import Snapshot

if TYPE_CHECKING:
    from steps.design.cables import Row

CABLE = re.compile(r"[CS]\d+")
"""The name of a cable of the compute fabric, or of a network beside it."""


class CableEnds(NamedTuple):
    """A cable: device and port at both ends, their racks, and its stock length in metres."""

    a: str
    a_rack: str
    b: str
    b_rack: str
    stock_m: int

    def __str__(self) -> str:
        """Return both ends in a line, as the cable schedule labels the cable."""
        return f"{self.a} <> {self.b}"

    @property
    def where(self) -> str:
        """Where a person lays it: both ends with their racks, and its length."""
        return f"{self.a} in {self.a_rack} <> {self.b} in {self.b_rack}, {self.stock_m} m"


def cable_ends(
    snapshot: Snapshot,
    unit: str,
    items: Sequence[str],
) -> dict[str, CableEnds]:
    """Return the cables of a unit by name. Empty if its items are none, or the plan in force has no cable schedule."""
    design = snapshot.first(DESIGN) if items and CABLE.fullmatch(items[0]) else None
    if design is None:
        return {}
    drawn = drawing(*design)
    if drawn is None:
        return {}
    from steps.design.positions import cable_rows  # NumPy is slow to import, and only this needs it

    return {str(row[0]): _ends(row) for row in cable_rows(drawn, unit)}


def _ends(row: Row) -> CableEnds:
    a, a_port, a_rack, b, b_port, b_rack, _, stock_m = row[3:11]
    return CableEnds(f"{a}:{a_port}", str(a_rack), f"{b}:{b_port}", str(b_rack), int(stock_m))
