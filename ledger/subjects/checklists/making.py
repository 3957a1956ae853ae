"""Payloads of checklists: items of an activity that passed or failed, and the non-conformance that failures open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ledger.entries import ItemEntry
from ledger.evidence.batches import rows_in
from ledger.log.payload import Batch, Shown
from ledger.questions.case import LookedUp
from ledger.questions.ncrs import open_ncrs_of_items, open_ncrs_of_readings
from ledger.rules.judgement import FAILED
from ledger.rules.readings import Metrics, asked_of, recorded_value
from ledger.subjects.again import Tables, about_case
from ledger.subjects.checklists.examination_rules import RESULT, Examined, examined, unread_again
from ledger.subjects.checklists.payloads import ItemPart, ItemReadingPart, ItemsChecked
from ledger.subjects.checklists.rules import readable_note
from schedule.errors import InputError
from schedule.faults import together
from steps.acceptance.measured import Measured
from steps.amount import first_of
from steps.value import value_text

SHOWN = 25
"""How many failed items the reason of a non-conformance names."""


class Entered(NamedTuple):
    """The items of an event, and the non-conformance that they open, if any."""

    parts: tuple[ItemPart, ...]
    ncr: str | None


def item_parts(case: LookedUp, new: Sequence[Examined]) -> Entered:
    """Return the items as an event records them. A failed item belongs to its open non-conformance, or to a new one.

    Raise for an item that passes although what was measured there fails.
    """
    if wrong := unread_again(case, new):
        raise together([refused.why for refused in wrong])
    of_items = open_ncrs_of_items(case.snapshot, case.row)
    of_readings = open_ncrs_of_readings(case.snapshot, case.row)
    opened: str | None = None
    parts = []
    for one in new:
        ncr = None
        if one.failing:
            found = (of_readings.get((metric, one.item)) for metric in one.failing)
            ncr = of_items.get(one.item) or next(filter(None, found), opened)
            if ncr is None:
                ncr = opened = case.next_id("ncr")
        parts.append(_part(one, ncr))
    return Entered(tuple(parts), opened)


def items_checked(
    case: LookedUp,
    new: Sequence[Examined],
    found: Entered,
    *,
    source: str,
    photos: Mapping[str, Shown],
    inline: Sequence[ItemPart],
    batches: Sequence[Batch],
) -> ItemsChecked:
    """Return checked items. `inline` and `batches` are the items as they are stored, `photos` all photos by digest."""
    plan, failed = case.row.plan, sum(bool(one.failing) for one in new)
    pairs = zip(new, found.parts, strict=True) if found.ncr else ()
    opening = [one for one, part in pairs if part.ncr == found.ncr]
    return ItemsChecked(
        source=readable_note(source),
        passed=len(new) - failed,
        failed=failed,
        checks=tuple(inline),
        batches=tuple(batches),
        photos=tuple(photos.values()),
        ncr=found.ncr,
        ncr_class=plan.ncr_class if found.ncr else "",
        reason=_reason(opening),
    )


def _part(one: Examined, ncr: str | None) -> ItemPart:
    readings = [_reading(measured) for measured in one.measured]
    return ItemPart(
        item=one.item,
        failing=one.failing,
        readings=tuple(readings),
        note=one.note,
        serial=one.serial,
        photos=one.photos,
        ncr=ncr,
    )


def _reading(m: Measured) -> ItemReadingPart:
    value = value_text(m.value) or ""
    return ItemReadingPart(metric=m.metric, value=value, unit=m.unit)


def _reason(failed: Sequence[Examined]) -> str:
    """Return what failed, in words: the first items by name, and the number of the others."""
    named = []
    for one in failed:
        bad = [str(verdict) for verdict in one.verdicts if verdict.verdict == FAILED]
        said = filter(None, [*bad, one.note])
        named.append(f"{one.item}: {'; '.join(said)}")
    return first_of(named, SHOWN, " | ")


def _checked_again(case: LookedUp, p: ItemsChecked) -> ItemsChecked:
    """Return checked items again, from the items that the event has or that its files have."""
    kept = rows_in(case.snapshot.site_dir, p.batches)
    stored = [*p.checks, *map(ItemPart.model_validate, kept)]
    if not stored:
        raise InputError("there are no items")
    asked = asked_of(case.row)
    entries = [_entry(asked, part) for part in stored]
    photos = {photo.digest: photo for photo in p.photos}
    if {digest for part in stored for digest in part.photos} != photos.keys():
        raise InputError("its items have other photos than its event names")
    by_entry = dict(zip(map(id, entries), stored, strict=True))
    new = []
    for one in examined(case, entries):
        kept_photos = by_entry[id(one.entry)].photos
        new.append(one._replace(photos=kept_photos))
    found = item_parts(case, new)
    if list(found.parts) != stored:
        raise InputError("its items do not follow from what was entered")
    return items_checked(
        case,
        new,
        found,
        source=p.source,
        photos=photos,
        inline=p.checks,
        batches=p.batches,
    )


def _entered(asked: Metrics, reading: ItemReadingPart) -> Measured:
    value = recorded_value(asked, reading.metric, reading.value)
    return Measured(reading.metric, value, reading.unit)


def _entry(asked: Metrics, part: ItemPart) -> ItemEntry:
    readings = tuple(_entered(asked, reading) for reading in part.readings)
    return ItemEntry(
        part.item,
        passed=RESULT not in part.failing,
        readings=readings,
        note=part.note,
        serial=part.serial,
    )


AGAIN: Tables = {ItemsChecked: about_case(_checked_again)}
