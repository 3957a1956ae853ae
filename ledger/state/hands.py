"""Who worked on an activity, in whichever attempt. Who recorded work themselves is never removed.

To be named by somebody else binds nobody, from version 4 of the rules on: what a person records themselves confirms it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity
from ledger.state.projection import Projection

_OWN_WORK = """
SELECT person FROM entry WHERE subject = :activity
  AND kind IN ('activity.started', 'activity.progressed', 'activity.measured', 'items.checked', 'activity.finished')
UNION SELECT person FROM attestation WHERE activity = :activity"""


def add_hands(p: Projection, row: Activity, *people: str) -> None:
    """Note that people worked on an activity. Software is nobody's hand."""
    new = [person for person in people if person != ENGINE and person not in row.hands]
    if new:
        p.change(row, hands=together(row.hands, *new))


def free_named(p: Projection, row: Activity, named: Iterable[str]) -> None:
    """Note that people were named by mistake: those of them who recorded no work themselves, not even an entry that was taken back."""
    freed = set(named) - set(p.ids(_OWN_WORK, activity=row.id))
    p.change(row, hands=tuple(person for person in row.hands if person not in freed))


def together(people: tuple[str, ...], *more: str) -> tuple[str, ...]:
    """Return people and more people, each of them once."""
    return tuple(dict.fromkeys((*people, *more)))
