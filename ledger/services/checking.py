"""Checklists: items of an activity found good or bad, one by one, by scanner or by the hundred.

All entries that are handed over are recorded, or none; every fault among them is named at its place. The last entry of
an item in an attempt counts, and progress is how many passed. A failed item opens a non-conformance, unless it stands
under one that is still open: then it was inspected again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import col

from ledger.batches import INLINE_ROWS, kept_rows
from ledger.checklist import LONGEST_ID, Roster, latest_checks, planned_items, readable, readable_note
from ledger.database import Ledger
from ledger.events import Event
from ledger.faults import column_of, located, together
from ledger.judging import FAILED
from ledger.payloads import Batch, ItemCheck, ItemReading, ItemsChecked
from ledger.services.conforming import ncrs_of_items, ncrs_of_readings
from ledger.services.permitting import may
from ledger.services.reading import Asked, Verdict, asked_of, measured, verdicts, waived_metrics
from ledger.services.taking import Taken, take
from ledger.tables import Activity, Measurement, Ncr
from ledger.tables import ItemCheck as ItemCheckRow
from ledger.transitions import Action
from ledger.values import ItemEntry, Measured
from ledger.writing import Writing
from steps.errors import ClusterwrightError, InputError, Place
from steps.value import text_value, value_text

RESULT = "result"
"""What failed where a person says that an item did, whatever was read."""

PICTURES = ("png", "jpeg")
"""What a photo is, and no other file that a list from elsewhere may name."""

SHOWN = 25
"""How many failed items the reason of a non-conformance spells out."""


class CheckedItem(NamedTuple):
    """An item as it was recorded; `failing` is empty where it passed."""

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


class _Found(NamedTuple):
    """An entry that holds: the item that is meant, its readings typed, and what fails."""

    item: str
    note: str
    serial: str
    measured: tuple[Measured, ...]
    verdicts: tuple[Verdict, ...]
    failing: tuple[str, ...]
    entry: ItemEntry


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
    """Record items as they were found; `skip_recorded` leaves out those whose last entry says the same."""
    if any(entry.photos for entry in entries):
        with ledger.write() as writing:
            _examined(writing, actor, activity, entries, at)  # no photo is kept of what is refused
    photos = _kept(ledger, entries)
    with ledger.write() as writing:
        row, found = _examined(writing, actor, activity, entries, at)
        recorded = _recorded(writing, row) if skip_recorded else {}
        new = [one for one in found if recorded.get(one.item) != _said(one, photos)]
        if not new:
            return Checked((), len(found), None, None)
        checks, ncr = _checks(writing, row, new, photos)
        failed = [one for one in new if one.failing]
        batches: tuple[Batch, ...] = ()
        if len(checks) > INLINE_ROWS:
            batches = tuple(kept_rows(ledger.site_dir, (c.model_dump(mode="json") for c in checks)))
        kind = next((kind for kind in row.evidence if kind.startswith("photo")), "photo")
        taken = {t.digest: t for one in new for t in photos[id(one.entry)]}
        payload = ItemsChecked(
            source=readable_note(source),
            passed=len(new) - len(failed),
            failed=len(failed),
            checks=() if batches else tuple(checks),
            batches=batches,
            photos=tuple(t.shown(kind) for t in taken.values()),
            ncr=ncr,
            ncr_class=row.ncr_class if ncr else "",
            reason=_reason([one for one, c in zip(new, checks, strict=True) if ncr and c.ncr == ncr]),
        )
        event = writing.append(actor, payload, subject=row.id, at=at)
        items = [CheckedItem(o.item, o.failing, o.verdicts, o.note, c.ncr) for o, c in zip(new, checks, strict=True)]
        return Checked(tuple(items), len(found) - len(new), ncr, event)


def _examined(
    writing: Writing, actor: str, activity: str, entries: Sequence[ItemEntry], at: datetime | None
) -> tuple[Activity, list[_Found]]:
    """Give the activity and every entry, typed and judged; all faults are named at once."""
    row = writing.activity(activity)
    may(writing, actor, "check", row=row)
    writing.permitted(row, Action.CHECK, at)
    checks = latest_checks(writing.session, row)
    roster = Roster(row, planned_items(writing.session, row), checks)
    asked, waived = asked_of(writing, row), waived_metrics(writing, row)
    _refuse_strange(row, asked, entries)
    found: dict[str, _Found] = {}
    faults: list[ClusterwrightError] = []
    for entry in entries:
        try:
            one = _entered(row, roster, asked, checks, entry)
            with located(entry.place, "result"):
                _refuse_unread(one, checks.get(one.item), waived)
            with located(entry.place, "item"):
                _refuse_second(found.setdefault(one.item, one), one)
        except ClusterwrightError as fault:
            faults.append(fault)
    faults += _serials_twice(checks, found)
    if faults:
        raise together(faults)
    judged = iter(verdicts(writing, row, asked, [m for one in found.values() for m in one.measured]))
    return row, [_judged(one, [next(judged) for _ in one.measured]) for one in found.values()]


def _refuse_strange(row: Activity, asked: Mapping[str, Asked], entries: Sequence[ItemEntry]) -> None:
    """Refuse a metric that the step does not ask for once, and not at every line that gives it."""
    first = {reading.metric: entry.place for entry in reversed(entries) for reading in entry.readings}
    strange = [metric for metric in reversed(first) if metric not in asked]
    faults: list[ClusterwrightError] = []
    for metric in strange:
        place = first[metric]
        near = get_close_matches(metric, list(asked), n=1)
        hint = f"did you mean {near[0]}?" if near else f"it asks for: {', '.join(asked) or 'no reading'}"
        header = place and Place(place.file, 1, metric)
        faults.append(InputError(f"{row.id} asks for no {metric!r}", hint=hint, place=header))
    if faults:
        raise together(faults)


def _entered(
    row: Activity, roster: Roster, asked: dict[str, Asked], checks: Mapping[str, ItemCheckRow], entry: ItemEntry
) -> _Found:
    """Give an entry whose every column holds."""
    with located(entry.place, "item"):
        item = roster.item(entry.item)
    with located(entry.place, "serial"):
        serial = readable(entry.serial, "a serial number", LONGEST_ID) if entry.serial else ""
        if entry.serial is None and item in checks:
            serial = checks[item].serial
    with located(entry.place, "note"):
        note = readable_note(entry.note)
        if not (entry.passed or note or entry.readings):
            raise InputError(f"{item} failed, and nothing says why", hint="give a note, or the reading that failed")
    readings: dict[str, Measured] = {}
    for reading in entry.readings:
        with located(entry.place, reading.metric):
            if reading.metric in readings:
                raise InputError(f"{reading.metric} is given twice")
            readings[reading.metric] = measured(row, asked, reading, item)
    return _Found(item, note, serial, tuple(readings.values()), (), (), entry)


def _refuse_unread(one: _Found, before: ItemCheckRow | None, waived: set[str]) -> None:
    """Refuse to let an item pass whose reading failed, until it is read again."""
    read = {RESULT, *waived, *(m.metric for m in one.measured)}
    unread = [metric for metric in before.failing if metric not in read] if before else []
    if unread:
        raise InputError(
            f"{one.item} failed {', '.join(unread)}, and passes when that is read again",
            hint=f"give {unread[0]}=VALUE",
        )


def _refuse_second(first: _Found, one: _Found) -> None:
    if first is not one:
        line = first.entry.place.line if first.entry.place else None
        raise InputError(f"{one.item} is there twice", hint=f"first on line {line}" if line else "once is enough")


def _judged(one: _Found, stands: Sequence[Verdict]) -> _Found:
    failing = tuple(v.metric for v in stands if v.verdict == FAILED)
    return one._replace(verdicts=tuple(stands), failing=failing if one.entry.passed else (*failing, RESULT))


def _serials_twice(checks: Mapping[str, ItemCheckRow], found: Mapping[str, _Found]) -> list[ClusterwrightError]:
    """Give the faults of serial numbers that would be at two items: a scanner read the wrong label."""
    last = {item: check.serial for item, check in checks.items()} | {one.item: one.serial for one in found.values()}
    places: dict[str, list[str]] = {}
    for item, serial in last.items():
        if serial:
            places.setdefault(serial.casefold(), []).append(item)
    faults: list[ClusterwrightError] = []
    for one in found.values():
        others = [item for item in places.get(one.serial.casefold(), ()) if item != one.item]
        if others:
            fault = InputError(
                f"the serial number {one.serial} is at {others[0]} too",
                hint="one asset is at one place; read both again",
                place=column_of(one.entry.place, "serial"),
            )
            faults.append(fault)
    return faults


def _kept(ledger: Ledger, entries: Sequence[ItemEntry]) -> dict[int, tuple[Taken, ...]]:
    """Keep the photos of each entry; the place where one was taken is left out of it."""
    kept: dict[int, tuple[Taken, ...]] = {}
    faults: list[ClusterwrightError] = []
    for entry in entries:
        try:
            with located(entry.place, "photo"):
                kept[id(entry)] = tuple(take(ledger, photo, photo.name, PICTURES) for photo in entry.photos)
        except InputError as fault:
            faults.append(fault)
    if faults:
        raise together(faults)
    return kept


def _checks(
    writing: Writing, row: Activity, new: Sequence[_Found], photos: Mapping[int, tuple[Taken, ...]]
) -> tuple[list[ItemCheck], str | None]:
    """Give what the event says of each item, and the id of the non-conformance that it opens, if it does."""
    under_item, under_reading = ncrs_of_items(writing, row), ncrs_of_readings(writing, row)
    opened: str | None = None
    checks = []
    for one in new:
        ncr = None
        if one.failing:
            readings = [under_reading[m, one.item] for m in one.failing if (m, one.item) in under_reading]
            ncr = under_item.get(one.item) or (readings[0] if readings else opened)
            if ncr is None:
                ncr = opened = writing.next_id(Ncr, "NCR")
        checks.append(
            ItemCheck(
                item=one.item,
                failing=one.failing,
                readings=tuple(
                    ItemReading(metric=m.metric, value=value_text(m.value) or "", unit=m.unit) for m in one.measured
                ),
                note=one.note,
                serial=one.serial,
                photos=tuple(t.digest for t in photos[id(one.entry)]),
                ncr=ncr,
            )
        )
    return checks, opened


def _reason(failed: Sequence[_Found]) -> str:
    said = [f"{one.item}: " + "; ".join([*_bad(one), *([one.note] if one.note else [])]) for one in failed[:SHOWN]]
    more = [f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else []
    return " | ".join([*said, *more])


def _bad(one: _Found) -> list[str]:
    return [str(v) for v in one.verdicts if v.verdict == FAILED]


def _recorded(writing: Writing, row: Activity) -> dict[str, tuple[object, ...]]:
    """Give what the last entry of each item says, to be held against a new one."""
    checks = latest_checks(writing.session, row)
    of = (col(Measurement.activity) == row.id, col(Measurement.attempt) == row.attempt)
    readings: dict[tuple[int, str], dict[str, tuple[object, str]]] = {}
    for m in writing.session.scalars(select(Measurement).where(*of)).all():
        readings.setdefault((m.seq, m.item), {})[m.metric] = (text_value(m.value), m.unit)
    return {
        item: (RESULT in c.failing, c.note, c.serial, tuple(c.photos), readings.get((c.seq, item), {}))
        for item, c in checks.items()
    }


def _said(one: _Found, photos: Mapping[int, tuple[Taken, ...]]) -> tuple[object, ...]:
    readings = {m.metric: (text_value(value_text(m.value)), m.unit) for m in one.measured}
    kept = tuple(t.digest for t in photos[id(one.entry)])
    return (not one.entry.passed, one.note, one.serial, kept, readings)
