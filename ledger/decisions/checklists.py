"""Checklists: items of an activity found good or bad, one by one, by scanner or by the hundred.

All entries that are handed over are recorded, or none. Every fault among them is named at its place. The last entry of an
item in an attempt counts, and progress is how many passed. A failed item opens a non-conformance, unless one of it is still
open: then it was inspected again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ledger.entries import ItemEntry
from ledger.evidence.batches import INLINE_ROWS, kept_rows
from ledger.evidence.taking import Taken
from ledger.log.chain import Event
from ledger.log.payloads.base import Batch
from ledger.log.payloads.checklists import ItemPart, ItemReadingPart, ItemsChecked
from ledger.questions.case import LookedUp
from ledger.questions.checks import Entry, check_history, latest_entries
from ledger.questions.ncrs import open_ncrs_of_items, open_ncrs_of_readings
from ledger.questions.records import next_id
from ledger.rules.checklist import Roster, readable_note
from ledger.rules.examination import RESULT, Examined, Previous, examined
from ledger.rules.faults import located, together
from ledger.rules.judgement import FAILED
from ledger.rules.readings import Verdict
from ledger.rules.work import check as may_check
from ledger.writing import Ledger
from steps.errors import ClusterwrightError, InputError, NotSatisfiedError
from steps.value import text_value, value_text

PICTURES = ("png", "jpeg")
"""What a photo is. A list from elsewhere may name no other file."""

SHOWN = 25
"""How many failed items the reason of a non-conformance names."""


class CheckedItem(NamedTuple):
    """An item as it was recorded. `failing` is empty where it passed."""

    item: str
    failing: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    note: str
    ncr: str | None


class Checked(NamedTuple):
    """What was recorded, how many entries the record had already, and the non-conformance that was opened."""

    items: tuple[CheckedItem, ...]
    recorded_before: int
    ncr: str | None
    event: Event | None


class Scanned(NamedTuple):
    """An item that was scanned, whether the record had it `already`, and how many of how many have passed now."""

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
    at: datetime | None = None,
) -> Checked:
    """Record items as they were found. `skip_recorded` leaves out those whose last entry says the same."""
    photos = _kept(ledger, actor, activity, entries, at)
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        found = _examined(case, entries)
        recorded = _recorded(case) if skip_recorded else {}
        new = [one for one in found if recorded.get(one.item) != _as_recorded(one, photos)]
        if not new:
            return Checked((), len(found), None, None)
        parts, ncr = _parts(case, new, photos)
        payload = _payload(ledger, case, new, parts, ncr, photos, source)
        event = writing.record(case, payload)
        items = [CheckedItem(o.item, o.failing, o.verdicts, o.note, p.ncr) for o, p in zip(new, parts, strict=True)]
        return Checked(tuple(items), len(found) - len(new), ncr, event)


def scan(ledger: Ledger, actor: str, activity: str, line: str) -> Scanned:
    """Record one line of a barcode scanner: an item that is good, or an item and the serial number of what is there.

    A scan only says that somebody was there: it does not make good an item that failed. An item that has passed already is
    left as it is, unless its serial number is new.
    """
    words = line.split()
    if len(words) not in {1, 2}:
        raise InputError("a line holds an item, or an item and its serial number")
    serial = words[1] if len(words) == 2 else None
    with ledger.batch() as writing:
        case = writing.case(activity, actor)
        before = _before(case, words[0])
        already = before is not None and (serial is None or before.serial.casefold() == serial.casefold())
        if before is None or not already:
            item = check(ledger, actor, activity, [ItemEntry(words[0], serial=serial)], source="scanner").items[0].item
        else:
            item = before.item
        entries = latest_entries(case.snapshot, case.row)
        passed = sum(not entry.failing for entry in entries.values())
        return Scanned(item, already, passed, case.row.plan.items)


def _before(case: LookedUp, name: str) -> Entry | None:
    """Return the last entry of the item that is meant. Raise for one that failed."""
    entries = latest_entries(case.snapshot, case.row)
    before = entries.get(Roster(case.row, case.planned_items, entries).item(name))
    if before is not None and before.failing:
        raise NotSatisfiedError(
            f"{before.item} failed and is not made good by a scan ({before.ncr})",
            hint=f"`clusterwright check item {case.row.id} {before.item}` when it was inspected again",
        )
    return before


def _examined(case: LookedUp, entries: Sequence[ItemEntry]) -> list[Examined]:
    """Return every entry, typed and judged. Raise with all faults at once."""
    may_check(case)
    before = latest_entries(case.snapshot, case.row)
    last = {item: Previous(entry.failing, entry.serial) for item, entry in before.items()}
    return examined(case, entries, last)


def _kept(
    ledger: Ledger,
    actor: str,
    activity: str,
    entries: Sequence[ItemEntry],
    at: datetime | None,
) -> Photos:
    """Keep the photos of each entry. Nothing is kept of what would be refused."""
    if not any(entry.photos for entry in entries):
        return {id(entry): () for entry in entries}
    with ledger.write() as writing:
        _examined(writing.case(activity, actor, at), entries)
    intake = ledger.intake()
    kept: dict[int, tuple[Taken, ...]] = {}
    faults: list[ClusterwrightError] = []
    for entry in entries:
        try:
            with located(entry.place, "photo"):
                kept[id(entry)] = tuple(intake.take(photo, photo.name, PICTURES) for photo in entry.photos)
        except InputError as fault:
            faults.append(fault)
    if faults:
        raise together(faults)
    return kept


def _parts(
    case: LookedUp,
    new: Sequence[Examined],
    photos: Photos,
) -> tuple[list[ItemPart], str | None]:
    """Return what the event says of each item, and the non-conformance that it opens, if it does."""
    of_items, of_readings = open_ncrs_of_items(case.snapshot, case.row), open_ncrs_of_readings(case.snapshot, case.row)
    opened: str | None = None
    parts = []
    for one in new:
        ncr = None
        if one.failing:
            readings = [of_readings[m, one.item] for m in one.failing if (m, one.item) in of_readings]
            ncr = of_items.get(one.item) or (readings[0] if readings else opened)
            if ncr is None:
                ncr = opened = next_id(case.snapshot, "ncr", "NCR")
        parts.append(_part(one, ncr, photos[id(one.entry)]))
    return parts, opened


def _part(one: Examined, ncr: str | None, photos: Sequence[Taken]) -> ItemPart:
    return ItemPart(
        item=one.item,
        failing=one.failing,
        readings=tuple(
            ItemReadingPart(metric=m.metric, value=value_text(m.value) or "", unit=m.unit) for m in one.measured
        ),
        note=one.note,
        serial=one.serial,
        photos=tuple(photo.digest for photo in photos),
        ncr=ncr,
    )


def _payload(
    ledger: Ledger,
    case: LookedUp,
    new: Sequence[Examined],
    parts: Sequence[ItemPart],
    ncr: str | None,
    photos: Photos,
    source: str,
) -> ItemsChecked:
    plan, failed = case.row.plan, sum(bool(one.failing) for one in new)
    batches: tuple[Batch, ...] = ()
    if len(parts) > INLINE_ROWS:
        batches = tuple(kept_rows(ledger.site_dir, (part.model_dump(mode="json") for part in parts)))
    kind = next((kind for kind in plan.policy.evidence if kind.startswith("photo")), "photo")
    taken = {photo.digest: photo for one in new for photo in photos[id(one.entry)]}
    return ItemsChecked(
        source=readable_note(source),
        passed=len(new) - failed,
        failed=failed,
        checks=() if batches else tuple(parts),
        batches=batches,
        photos=tuple(photo.shown(kind) for photo in taken.values()),
        ncr=ncr,
        ncr_class=plan.ncr_class if ncr else "",
        reason=_reason([one for one, part in zip(new, parts, strict=True) if ncr and part.ncr == ncr]),
    )


def _reason(failed: Sequence[Examined]) -> str:
    """Return what failed in words: the first items, the rest counted."""
    named = []
    for one in failed[:SHOWN]:
        bad = [str(verdict) for verdict in one.verdicts if verdict.verdict == FAILED]
        named.append(f"{one.item}: " + "; ".join(bad + ([one.note] if one.note else [])))
    more = [f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else []
    return " | ".join([*named, *more])


def _recorded(case: LookedUp) -> dict[str, tuple[object, ...]]:
    """Return what the last entry of each item says, to compare a new one with it."""
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


def _as_recorded(one: Examined, photos: Photos) -> tuple[object, ...]:
    readings = {m.metric: (text_value(value_text(m.value)), m.unit) for m in one.measured}
    kept = tuple(photo.digest for photo in photos[id(one.entry)])
    return (not one.entry.passed, one.note, one.serial, kept, readings)
