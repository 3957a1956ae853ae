"""A checklist as it stands: the last entry of each item in this attempt, and what the items are called.

Names come from the plan in force where it has them; elsewhere an item is called what whoever checked it first called it.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlmodel import Session, col

from ledger.faults import SHOWN
from ledger.refresh import in_force
from ledger.tables import Activity, ItemCheck, Unit
from steps.errors import InputError, NotSatisfiedError

LONGEST_ID = 100
LONGEST_NOTE = 2000
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's control, format, surrogate, private and separator marks: no scanner and no honest hand writes them."""


def latest_checks(session: Session, row: Activity) -> dict[str, ItemCheck]:
    """Give the entry that counts of each item checked in this attempt, in the order in which they were entered."""
    mine = (col(ItemCheck.activity) == row.id, col(ItemCheck.attempt) == row.attempt)
    last = select(col(ItemCheck.item), func.max(col(ItemCheck.seq)).label("seq")).where(*mine)
    latest = last.group_by(col(ItemCheck.item)).subquery()
    counts = (col(ItemCheck.item) == latest.c.item) & (col(ItemCheck.seq) == latest.c.seq)
    found = session.scalars(
        select(ItemCheck).join(latest, counts).where(*mine).order_by(col(ItemCheck.seq), col(ItemCheck.item))
    )
    return {check.item: check for check in found.all()}


def planned_items(session: Session, row: Activity) -> tuple[str, ...]:
    """Give the names of an activity's items, none where the plan only counts them."""
    revision, unit = in_force(session), session.get(Unit, row.unit)
    if revision is None or unit is None or not row.items_of or not row.items:
        return ()
    from steps.design.positions import item_names  # NumPy, which no other decision needs

    figures, choices = json.loads(revision.figures), json.loads(revision.choices)
    return item_names(figures, choices, row.unit, row.items_of, row.items, unit.hosts)


class Roster:
    """Which item is meant: typed and scanned in any case, known to the plan or entered before, or new while there is room."""

    def __init__(self, row: Activity, planned: Sequence[str], entered: Iterable[str]) -> None:
        """Take the names that the plan gives, and those under which items were entered."""
        self.row = row
        self.planned = tuple(planned)
        self._strangers = 0
        self._known = {name.casefold(): name for name in (*entered, *planned)}

    def item(self, text: str) -> str:
        """Give the item that is meant; one more than there are is refused, and an unknown one with the nearest."""
        name = readable(text, "an item's id", LONGEST_ID)
        known = self._known.get(name.casefold())
        if known is not None:
            return known
        what = self.row.items_of or "items"
        if self.planned:
            raise self._unknown(name, what)
        if self.row.items is not None and len(self._known) >= self.row.items:
            raise NotSatisfiedError(
                f"{self.row.id} has {self.row.items} {what}, and as many other names are entered; {name} is one more",
                hint=f"`clusterwright check {self.row.id}` lists them",
            )
        self._known[name.casefold()] = name
        return name

    def _unknown(self, name: str, what: str) -> InputError:
        from difflib import get_close_matches

        self._strangers += 1
        folded = (
            get_close_matches(name.casefold(), list(self._known), n=3, cutoff=0.6) if self._strangers <= SHOWN else []
        )
        near = [self._known[n] for n in folded]
        return InputError(
            f"{name} is none of the {len(self.planned)} {what} of {self.row.id}",
            hint=f"did you mean {', '.join(near)}?" if near else f"they are called like {self.planned[0]}",
        )


def readable(text: str, what: str, longest: int) -> str:
    """Give an id or a serial number without spaces around it; what cannot be read aloud is refused."""
    name = text.strip()
    if not name:
        raise InputError(f"{what} is empty")
    if len(name) > longest:
        raise InputError(f"{what} has at most {longest} characters, not {len(name)}: {name[:20]!r}…")
    if any(mark.isspace() or unicodedata.category(mark) in UNSEEN for mark in name):
        raise InputError(f"{name!r} is not {what}: it holds a space, or a mark that cannot be seen")
    return name


def readable_note(text: str) -> str:
    """Give a note without spaces around it; marks that cannot be seen are refused."""
    note = text.strip()
    if len(note) > LONGEST_NOTE:
        raise InputError(f"a note has at most {LONGEST_NOTE:,} characters, not {len(note):,}", hint="attach a file")
    if any(mark not in "\n\t" and unicodedata.category(mark) in UNSEEN for mark in note):
        raise InputError("the note holds marks that cannot be seen")
    return note
