"""Checklists: which item is meant, what may be written of it, and what a checklist that was begun holds back.

Names come from the plan in force where it has them. Elsewhere an item keeps the name under which it was first checked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from ledger.rules.activity import Activity
from ledger.rules.case import Case
from steps.errors import InputError, NotSatisfiedError

LONGEST_ID = 100
LONGEST_NOTE = 2000
NEAREST_FOR = 25
"""For so many unknown items the nearest names are looked for. A list that is wrong as a whole need not wait for that."""

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's control, format, surrogate, private and separator marks: no scanner writes them."""


class Roster:
    """The items of an activity: in any case, known to the plan or entered before, or new while there is room."""

    def __init__(
        self,
        row: Activity,
        planned: Sequence[str],
        entered: Iterable[str],
    ) -> None:
        """Take the names from the plan, and those under which items were entered."""
        self.row = row
        self.planned = tuple(planned)
        self._strangers = 0
        self._known = {name.casefold(): name for name in (*entered, *planned)}

    def item(self, text: str) -> str:
        """Return the item that is meant. Raise for one more than there are, and for an unknown one with the nearest."""
        name = readable(text, "an item's id", LONGEST_ID)
        known = self._known.get(name.casefold())
        if known is not None:
            return known
        items, what = self.row.plan.items, self.row.plan.items_of or "items"
        if self.planned:
            raise self._unknown(name, what)
        if items is not None and len(self._known) >= items:
            raise NotSatisfiedError(
                f"{self.row.id} has {items} {what}, and as many other names are entered; {name} is one more",
                hint=f"`clusterwright check list {self.row.id}` lists them",
            )
        self._known[name.casefold()] = name
        return name

    def _unknown(self, name: str, what: str) -> InputError:
        self._strangers += 1
        looked_for = list(self._known) if self._strangers <= NEAREST_FOR else []
        near = [self._known[n] for n in get_close_matches(name.casefold(), looked_for, n=3, cutoff=0.6)]
        return InputError(
            f"{name} is none of the {len(self.planned)} {what} of {self.row.id}",
            hint=f"did you mean {', '.join(near)}?" if near else f"they are called like {self.planned[0]}",
        )


def readable(text: str, what: str, longest: int) -> str:
    """Return an id or a serial number without spaces around it. Raise for what cannot be read aloud."""
    name = text.strip()
    if not name:
        raise InputError(f"{what} is empty")
    if len(name) > longest:
        raise InputError(f"{what} has at most {longest} characters, not {len(name)}: {name[:20]!r}…")
    if any(mark.isspace() or unicodedata.category(mark) in UNSEEN for mark in name):
        raise InputError(f"{name!r} is not {what}: it holds a space, or a mark that cannot be seen")
    return name


def readable_note(text: str) -> str:
    """Return a note without spaces around it. Raise for marks that cannot be seen."""
    note = text.strip()
    if len(note) > LONGEST_NOTE:
        raise InputError(f"a note has at most {LONGEST_NOTE:,} characters, not {len(note):,}", hint="attach a file")
    if any(mark not in "\n\t" and unicodedata.category(mark) in UNSEEN for mark in note):
        raise InputError("the note holds marks that cannot be seen")
    return note


def refuse_open_items(case: Case) -> None:
    """Raise while items of a checklist that was begun are open, failed, or lack a reading that others have.

    A failed item holds nothing back where every metric that fails is waived, or where its non-conformance is used as it is.
    """
    if not case.items:
        return
    row, of = case.row, case.row.plan.items_of or "items"
    failed = [i.item for i in case.items.values() if i.failing and not _is_excused(case, i.item)]
    left = [item for item in case.planned_items if item not in case.items]
    count = len(left) if case.planned_items else max((row.plan.items or 0) - len(case.items), 0)
    parts = [f"{count} of {row.plan.items} {of} are not checked{_named(left)}"] if count else []
    parts += [f"{len(failed)} failed{_named(failed)}"] if failed else []
    parts += [f"{metric} was not read at {len(items)} of them{_named(items)}" for metric, items in _unread(case)]
    if parts:
        raise NotSatisfiedError(
            f"{row.id} cannot finish: " + "; ".join(parts), hint=f"`clusterwright check list {row.id}` lists them"
        )


def refuse_second_count(case: Case) -> None:
    """Raise for another count of what a checklist counts."""
    if case.items:
        plan, passed = case.row.plan, sum(not item.failing for item in case.items.values())
        raise NotSatisfiedError(
            f"{case.row.id} counts its checklist: {passed} of {plan.items or len(case.items)}"
            f" {plan.items_of or 'items'} passed",
            hint=f"check the items: `clusterwright check item {case.row.id} ITEM`",
        )


def _is_excused(case: Case, item: str) -> bool:
    entry = case.items[item]
    return entry.ncr in case.used_as_is or set(case.waived).issuperset(entry.failing)


def _unread(case: Case) -> list[tuple[str, list[str]]]:
    """Return by metric the good items at which a criterion for each was not read, where it was at others."""
    each = {c.metric for c in case.row.plan.criteria if c.each is not None} - set(case.waived)
    good = [item.item for item in case.items.values() if not item.failing]
    found = []
    for metric in sorted(each & case.readings.keys()):
        read_at = {reading.item for reading in case.readings[metric]}
        lacking = [item for item in good if item not in read_at]
        if lacking and len(lacking) < len(good):
            found.append((metric, lacking))
    return found


def _named(items: Sequence[str], most: int = 5) -> str:
    if not items:
        return ""
    return ": " + ", ".join(items[:most]) + (", …" if len(items) > most else "")
