"""Checklists: which item a name means, which texts are accepted, and which open items keep an activity from finishing.

If the plan in force names the items, those names count. Otherwise an item keeps the name under which it was first checked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from ledger.rules.activity import Activity
from ledger.rules.case import Case
from ledger.rules.rows import CheckRow
from ledger.rules.version import ITEMS_AND_WAIVERS
from schedule.errors import InputError, NotSatisfiedError
from schedule.meant import did_you_mean
from steps.planning.activity import PlanCriterion

LONGEST_ID = 100
LONGEST_NOTE = 2000
NEAREST_FOR = 25
"""Similar names are looked up for this many unknown items at most. For a list that is wrong as a whole it would take too long."""

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that cannot be seen: control, format, surrogate, private, unassigned and separators."""


class Roster:
    """The items of an activity. Upper and lower case are the same.

    An item is known from the plan or from an earlier entry. If the plan names no items, new ones are added up to their number.
    """

    def __init__(
        self,
        row: Activity,
        planned: Sequence[str],
        entered: Iterable[str],
    ) -> None:
        """Take the names from the plan, and the names of items that were entered before."""
        self.row = row
        self.planned = tuple(planned)
        self._strangers = 0
        self._known = {name.casefold(): name for name in (*entered, *planned)}

    def item(self, text: str) -> str:
        """Return the item that a name means. Raise InputError for an unknown one, and for one more than the activity has."""
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
        candidates = list(self._known) if self._strangers <= NEAREST_FOR else []
        near = get_close_matches(name.casefold(), candidates)
        hint = did_you_mean([*map(self._known.__getitem__, near)]) or f"they are called like {self.planned[0]}"
        return InputError(f"{name} is none of the {len(self.planned)} {what} of {self.row.id}", hint=hint)


def named_item(case: Case, metric: str, item: str | None) -> str | None:
    """Return the item at which somebody read a metric, under the name that the plan has for it, or that was entered before.

    Raise InputError for a name that the plan does not have, if the metric is to be read at each of these items. Others may be read
    at what the plan does not name, for example at each GPU of a server.
    """
    if not item:
        return item
    planned, of = case.planned_items, case.row.plan.items_of or ""
    each = [criterion.each for criterion in case.row.plan.criteria if criterion.metric == metric]
    if planned and any(one and one in of for one in each):
        return Roster(case.row, planned, ()).item(item)
    known = (*planned, *case.items, *(reading.item for reading in case.reads))
    return next((name for name in known if name.casefold() == item.casefold()), item)


def readable(text: str, what: str, longest: int) -> str:
    """Return an id or a serial number without the spaces around it. Raise if it is empty, too long, or cannot be read aloud."""
    name = text.strip()
    if not name:
        raise InputError(f"{what} is empty")
    if len(name) > longest:
        raise InputError(f"{what} has at most {longest} characters, not {len(name)}: {name[:20]!r}…")
    if any(mark.isspace() or unicodedata.category(mark) in UNSEEN for mark in name):
        raise InputError(f"{name!r} is not {what}: it holds a space, or a mark that cannot be seen")
    return name


def readable_note(text: str) -> str:
    """Return a note without the spaces around it. Raise if it is too long or has characters that cannot be seen."""
    note = text.strip()
    if len(note) > LONGEST_NOTE:
        raise InputError(f"a note has at most {LONGEST_NOTE:,} characters, not {len(note):,}", hint="attach a file")
    if any(mark not in "\n\t" and unicodedata.category(mark) in UNSEEN for mark in note):
        raise InputError("the note holds marks that cannot be seen")
    return note


def refuse_open_items(case: Case) -> None:
    """Raise if an item is open."""
    parts = open_items(case)
    if parts:
        raise NotSatisfiedError(f"{case.row.id} cannot finish: " + "; ".join(parts), hint=_how_to_settle(case))


def _how_to_settle(case: Case) -> str:
    """Return what to do about open items. One that failed and that a later plan does not have is accepted as it is."""
    name, planned = case.row.id, case.planned_items
    if not case.items:
        return f"`clusterwright measure {name}` with `--item` reads it there"
    for entry in case.items.values():
        if planned and entry.item not in planned and _is_open(case, entry):
            accept = f"`clusterwright ncr disposition {entry.ncr} use-as-is --reason WHY`"
            return f"the plan in force has no {entry.item}: {accept}"
    return f"`clusterwright check list {name}` lists them"


def open_items(case: Case) -> list[str]:
    """Return which items of a checklist that was begun are not checked or failed, and what was not read at each item.

    A failed item is ignored if every failing metric is waived, or if the disposition of its non-conformance is use-as-is.
    """
    items, plan = case.items, case.row.plan
    if not items:
        return _unread(case)
    planned, total = case.planned_items, plan.items or 0
    failed = [entry.item for entry in items.values() if _is_open(case, entry)]
    left = [item for item in planned if item not in items]
    count = len(left) if planned else max(total - len(items), 0)
    parts = [f"{count} of {total} {plan.items_of or 'items'} are not checked{_named(left)}"] if count else []
    parts += [f"{len(failed)} failed{_named(failed)}"] if failed else []
    return [*parts, *_unread(case)]


def refuse_second_count(case: Case) -> None:
    """Raise if a number of items is reported although a checklist was begun, which counts them."""
    items, row = case.items, case.row
    if items:
        passed, total = len(_good(case)), row.plan.items or len(items)
        raise NotSatisfiedError(
            f"{row.id} counts its checklist: {passed} of {total} {row.plan.items_of or 'items'} passed",
            hint=f"check the items: `clusterwright check item {row.id} ITEM`",
        )


def _good(case: Case) -> list[str]:
    return [item for item, entry in case.items.items() if not entry.failing]


def _is_open(case: Case, entry: CheckRow) -> bool:
    """Return whether an item failed, and neither a waiver nor the disposition use-as-is accepts that."""
    unwaived = set(entry.failing).difference(case.waived)
    return bool(unwaived) and entry.ncr not in case.used_as_is


def _unread(case: Case) -> list[str]:
    """Say of each metric that is to be read at every item, and is not waived, at which items it was not read."""
    asked = [criterion for criterion in case.row.plan.criteria if criterion.metric not in case.waived]
    return [said for criterion in asked for said in unread_at(case, criterion)]


def unread_at(case: Case, criterion: PlanCriterion) -> list[str]:
    """Say of a metric that is to be read at every item at which items it was not read.

    Nothing is said of one that was read at no good item of the checklist, or once for all of them. Where no checklist was begun, the
    items are those that the plan has.
    """
    metric, each, of = criterion.metric, criterion.each, case.row.plan.items_of or ""
    read_at = {reading.item for reading in case.readings.get(metric, ())}
    if each is None or not read_at:
        return []
    if case.items:
        return _unread_of_checklist(case, metric, read_at)
    if case.rules >= ITEMS_AND_WAIVERS and each in of and "" not in read_at:
        return _unread_of_plan(case, metric, read_at)
    return []


def _unread_of_checklist(case: Case, metric: str, read_at: Collection[str]) -> list[str]:
    good = _good(case)
    lacking = [item for item in good if item not in read_at]
    if not lacking or len(lacking) == len(good):
        return []
    return [f"{metric} was not read at {len(lacking)} of them{_named(lacking)}"]


def _unread_of_plan(case: Case, metric: str, read_at: Collection[str]) -> list[str]:
    plan, planned = case.row.plan, case.planned_items
    of, items = plan.items_of or "", plan.items or 0
    lacking = [item for item in planned if item not in read_at]
    count = len(lacking) if planned else max(items - len(read_at), 0)
    return [f"{metric} was not read at {count} of {items} {of}{_named(lacking)}"] if count else []


def _named(items: Sequence[str], most: int = 5) -> str:
    if not items:
        return ""
    more = ", …" if len(items) > most else ""
    return f": {', '.join(items[:most])}{more}"
