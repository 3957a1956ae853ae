"""Checklists: record items of an activity as passed or failed, one by one, from a scanner, or from a long list.

Either all entries of a list are recorded or none, and the refusal names every faulty line. In an attempt the last entry of
an item counts, and progress is the number of items that passed. A failed item opens a non-conformance. If one of the same
item is still open, the entry is a new inspection and belongs to that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from ledger.entries import ItemEntry
from ledger.evidence.batches import inline_or_kept
from ledger.evidence.taking import Taken
from ledger.log.chain import Event
from ledger.log.payload import Shown
from ledger.questions.case import LookedUp
from ledger.questions.checks import check_history, latest_entries, standing_entries
from ledger.rules.rows import CheckRow
from ledger.subjects.checklists import making as made
from ledger.subjects.checklists.examination_rules import (
    RESULT,
    Examined,
    RefusedEntry,
    examined,
    sorted_out,
    unread_again,
)
from ledger.subjects.checklists.rules import Roster
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError
from schedule.faults import located, together
from steps.stamps import minute
from steps.value import text_value, value_text

PICTURES = ("png", "jpeg")
"""The kinds of content that are a photo. A list of entries may name no other files."""


class Checked(NamedTuple):
    """What was recorded, how many entries were in the record already, and the non-conformance that was opened, if any."""

    items: tuple[Examined, ...]
    recorded_before: int
    ncr: str | None
    event: Event | None


class Scanned(NamedTuple):
    """An item that was scanned. `already` is true if nothing new was recorded. `passed` of `items` have passed now."""

    item: str
    already: bool
    passed: int
    items: int | None


Photos = Mapping[int, tuple[Taken, ...]]
"""The photos of each entry, by the entry's identity."""


def check(
    ledger: Ledger,
    actor: str,
    activity: str,
    entries: Sequence[ItemEntry],
    *,
    source: str = "checklist",
    skip_recorded: bool = False,
) -> Checked:
    """Record items as passed or failed. With `skip_recorded`, an item whose last entry says the same is left out."""
    photos = _kept(ledger, actor, activity, entries)
    with ledger.case(activity, actor) as case:
        may_be = examined(case, entries)
        found = [one._replace(photos=_digests(photos, one)) for one in may_be]
        new = _new(case, found) if skip_recorded else found
        if not new:
            return Checked((), len(found), None, None)
        entered = made.item_parts(case, new)
        inline, batches = inline_or_kept(ledger.site_dir, entered.parts)
        payload = made.items_checked(
            case,
            new,
            entered,
            source=source,
            photos=_shown(case, new, photos),
            inline=inline,
            batches=batches,
        )
        event = case.record(payload)
        pairs = zip(new, entered.parts, strict=True)
        checked = [one._replace(ncr=part.ncr) for one, part in pairs]
        return Checked(tuple(checked), len(found) - len(new), entered.ncr, event)


def check_right(
    ledger: Ledger,
    actor: str,
    activity: str,
    entries: Sequence[ItemEntry],
    *,
    source: str,
    known: int,
) -> tuple[Checked, list[RefusedEntry]]:
    """Record the entries that the rules allow. Return what was recorded, and the other entries with the reason of each.

    `known` is the last event that was known when the entries were made. An entry is refused if its item was checked after that event
    and the record says something else of it. What is recorded already is left out.
    """
    refused: list[RefusedEntry] = []
    with ledger.case(activity, actor) as case:
        right = list(entries)
        while True:  # a serial number that is free only by an entry that is refused makes another entry wrong
            found, wrong = sorted_out(case, right)
            wrong += _overtaken(case, found, known) or unread_again(case, _new(case, found))
            if not wrong:
                return check(ledger, actor, activity, right, source=source, skip_recorded=True), refused
            refused += wrong
            left_out = {id(one.entry) for one in wrong}
            right = [entry for entry in right if id(entry) not in left_out]


def _overtaken(case: LookedUp, found: Sequence[Examined], known: int) -> list[RefusedEntry]:
    """Return the entries about items of which a later event than `known` says something else."""
    latest, recorded = latest_entries(case.snapshot, case.row), _recorded(case)
    overtaken = []
    for one in found:
        last = latest.get(one.item)
        said = _as_recorded(one)
        says_the_same = recorded.get(one.item) == said
        if last is not None and last.seq > known and not says_the_same:
            found_since = "failed" if last.failing else "passed"
            why = NotSatisfiedError(
                f"since then {last.by} recorded on {minute(last.at, case.zone)} that {one.item} {found_since}",
                hint="look at the item again, and write it into a new list",
            )
            overtaken.append(RefusedEntry(one.entry, why))
    return overtaken


def _digests(photos: Photos, one: Examined) -> tuple[str, ...]:
    return tuple(photo.digest for photo in photos[id(one.entry)])


def _shown(
    case: LookedUp,
    new: Sequence[Examined],
    photos: Photos,
) -> dict[str, Shown]:
    """Return the photos of entries by digest, each as evidence of the kind that the policy asks for."""
    kinds = case.row.plan.policy.evidence
    kind = next((kind for kind in kinds if kind.startswith("photo")), "photo")
    taken = {photo.digest: photo for one in new for photo in photos[id(one.entry)]}
    return {digest: photo.shown(kind) for digest, photo in taken.items()}


def scan(ledger: Ledger, actor: str, activity: str, line: str) -> Scanned:
    """Record one line of a barcode scanner: the name of an item that passed, or its name and its serial number.

    An item that failed is refused, because a scan does not show that it was repaired and inspected. An item that has passed
    already is not recorded again, unless its serial number is new.
    """
    words = line.split()
    if len(words) not in {1, 2}:
        raise InputError("a line holds an item, or an item and its serial number")
    serial = words[1] if len(words) == 2 else None
    with ledger.batch() as writing:
        case = writing.case(activity, actor)
        before = _before(case, words[0])
        known = "" if before is None else before.serial.casefold()
        already = before is not None and (serial or known).casefold() == known
        if before is not None and already:
            item = before.item
        else:
            entry = ItemEntry(words[0], serial=serial)
            (recorded,) = check(ledger, actor, activity, [entry], source="scanner").items
            item = recorded.item
        entries = standing_entries(case.snapshot, case.row)
        passed = sum(not entry.failing for entry in entries.values())
        return Scanned(item, already, passed, case.row.plan.items)


def _before(case: LookedUp, name: str) -> CheckRow | None:
    """Return the last entry of the item with this name. None if it has none. Raise if it failed."""
    entries = standing_entries(case.snapshot, case.row)
    before = entries.get(Roster(case.row, case.planned_items, entries).item(name))
    if before is not None and before.failing:
        raise NotSatisfiedError(
            f"{before.item} failed, and a scan does not change that ({before.ncr})",
            hint=f"inspect it again, then `clusterwright check item {case.row.id} {quote(before.item)}`",
        )
    return before


def _kept(ledger: Ledger, actor: str, activity: str, entries: Sequence[ItemEntry]) -> Photos:
    """Store the photos of each entry. Nothing is stored if the entries would be refused."""
    if not any(entry.photos for entry in entries):
        return {id(entry): () for entry in entries}
    with ledger.case(activity, actor) as case:
        examined(case, entries)
    intake = ledger.intake()
    kept: dict[int, tuple[Taken, ...]] = {}
    faults: list[ClusterwrightError] = []
    for entry in entries:
        try:
            with located(entry.place, "photo"):
                taken = [intake.take(photo, photo.name, PICTURES) for photo in entry.photos]
                kept[id(entry)] = tuple(taken)
        except InputError as fault:
            faults.append(fault)
    if faults:
        raise together(faults)
    return kept


def _new(case: LookedUp, found: Sequence[Examined]) -> list[Examined]:
    """Return the entries of which the last entry of their item does not say the same."""
    recorded = _recorded(case)
    return [one for one in found if recorded.get(one.item) != _as_recorded(one)]


def _recorded(case: LookedUp) -> dict[str, tuple[object, ...]]:
    """Return by item what its last entry in this attempt says, in the form of `_as_recorded`."""
    found: dict[str, tuple[object, ...]] = {}
    for entry in check_history(case.snapshot, case.row):
        if entry.attempt == case.row.attempt:
            readings = {reading.metric: (reading.value, reading.unit) for reading in entry.readings}
            found[entry.item] = (
                RESULT in entry.failing,
                entry.note,
                entry.serial,
                entry.photos,
                readings,
            )
    return found


def _as_recorded(one: Examined) -> tuple[object, ...]:
    stored = ((m, value_text(m.value)) for m in one.measured)
    readings = {m.metric: (text_value(text), m.unit) for m, text in stored}
    return (not one.entry.passed, one.note, one.serial, one.photos, readings)
