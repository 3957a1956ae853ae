"""Who worked on an activity: people are added, and none is ever removed, whatever attempt the activity is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.rules.access import ENGINE
from ledger.state.projection import Projection

if TYPE_CHECKING:
    from ledger.rules.activity import Activity


def add_hands(p: Projection, row: Activity, *people: str) -> None:
    """Note that people worked on an activity. Software is nobody's hand."""
    new = [person for person in people if person != ENGINE and person not in row.hands]
    if new:
        p.change(row, hands=together(row.hands, *new))


def together(people: tuple[str, ...], *more: str) -> tuple[str, ...]:
    """Return people and more people, each of them once."""
    return tuple(dict.fromkeys((*people, *more)))
