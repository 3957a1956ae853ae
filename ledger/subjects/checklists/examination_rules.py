"""Entries of a checklist: which item each is about, whether it may be recorded, and what failed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ledger.entries import ItemEntry
from ledger.rules.activity import Activity
from ledger.rules.case import Case
from ledger.rules.judgement import FAILED, judge_items
from ledger.rules.readings import Metrics, Verdict, asked_of, measured, verdicts
from ledger.rules.rows import CheckRow, grouped
from ledger.rules.version import FAULTS_AND_INVITATIONS
from ledger.subjects.checklists.rules import LONGEST_ID, Roster, readable, readable_note
from ledger.subjects.work.rules import check as may_check
from schedule.errors import ClusterwrightError, InputError, Place
from schedule.faults import column_of, located, together
from schedule.meant import meant
from steps.acceptance.measured import Measured

RESULT = "result"
"""The word among the failed metrics that says: a person recorded the item as failed."""


class Examined(NamedTuple):
    """An entry that may be recorded, with its readings and what failed. `photos` are digests, `ncr` is what a failed one belongs to."""

    item: str
    note: str
    serial: str
    measured: tuple[Measured, ...]
    verdicts: tuple[Verdict, ...]
    failing: tuple[str, ...]
    entry: ItemEntry
    photos: tuple[str, ...] = ()
    ncr: str | None = None


class RefusedEntry(NamedTuple):
    """An entry that may not be recorded, and why."""

    entry: ItemEntry
    why: ClusterwrightError


class Sorted(NamedTuple):
    """The entries that may be recorded, and the others."""

    right: list[Examined]
    wrong: list[RefusedEntry]


def examined(case: Case, entries: Sequence[ItemEntry]) -> list[Examined]:
    """Return every entry with its typed readings and verdicts. Raise one error that names all faults."""
    may_check(case)
    _refuse_strange(case.row, asked_of(case.row), entries)
    right, wrong = sorted_out(case, entries)
    if wrong:
        raise together([refused.why for refused in wrong])
    return right


def sorted_out(case: Case, entries: Sequence[ItemEntry]) -> Sorted:
    """Return the entries that may be recorded with their verdicts, and those that may not. Raise if the person may not check."""
    may_check(case)
    row, last = case.row, case.items
    roster = Roster(row, case.planned_items, last)
    asked, waived = asked_of(row), case.waived
    found: dict[str, Examined] = {}
    wrong: list[RefusedEntry] = []
    for entry in entries:
        try:
            one = _entered(roster, asked, last, entry)
            _refuse_unread(case, one, waived)
            with located(entry.place, "item"):
                _refuse_second(found.setdefault(one.item, one), one)
        except ClusterwrightError as fault:
            wrong.append(RefusedEntry(entry, fault))
    twice = _serials_twice(last, found)
    wrong += twice
    strays = {id(refused.entry) for refused in twice}
    right = [one for one in found.values() if id(one.entry) not in strays]
    readings = [reading for one in right for reading in one.measured]
    judged = iter(verdicts(asked, readings, case.readings, waived))
    return Sorted([_judged(one, judged) for one in right], wrong)


def _refuse_strange(row: Activity, asked: Metrics, entries: Sequence[ItemEntry]) -> None:
    """Raise for metrics that the step does not ask for. Each is named once, and not for every line that has it."""
    first = {reading.metric: entry.place for entry in reversed(entries) for reading in entry.readings}
    faults: list[ClusterwrightError] = []
    for metric in reversed(first):
        if metric not in asked:
            hint = meant(metric, asked, f"it asks for: {', '.join(asked) or 'no reading'}")
            place = first[metric]
            header = place and Place(place.file, 1, metric)
            faults.append(InputError(f"{row.id} asks for no {metric!r}", hint=hint, place=header))
    if faults:
        raise together(faults)


def _entered(
    roster: Roster,
    asked: Metrics,
    last: Mapping[str, CheckRow],
    entry: ItemEntry,
) -> Examined:
    """Return an entry that is not judged yet. Raise for a fault in one of its columns."""
    with located(entry.place, "item"):
        item = roster.item(entry.item)
    with located(entry.place, "serial"):
        serial = readable(entry.serial, "a serial number", LONGEST_ID) if entry.serial else ""
        if entry.serial is None and item in last:
            serial = last[item].serial
    with located(entry.place, "note"):
        note = readable_note(entry.note)
        if not (entry.passed or note or entry.readings):
            raise InputError(f"{item} failed, and nothing says why", hint="add a note, or the reading that failed")
    readings: dict[str, Measured] = {}
    for reading in entry.readings:
        with located(entry.place, reading.metric):
            if reading.metric in readings:
                raise InputError(f"{reading.metric} is there twice")
            readings[reading.metric] = measured(roster.row, asked, reading, item)
    found = tuple(readings.values())
    return Examined(item, note, serial, found, (), (), entry)


def _refuse_unread(case: Case, one: Examined, waived: Collection[str]) -> None:
    """Raise for an item that failed a metric before and would pass now without another reading of that metric, and none is accepted."""
    before = case.items.get(one.item)
    if before is None or not before.failing:
        return
    accepted = [reading.metric for reading in case.reads if reading.item == one.item and reading.accepted]
    read = {RESULT, *waived, *accepted, *(m.metric for m in one.measured)}
    unread = [metric for metric in before.failing if metric not in read]
    if unread:
        raise _to_read_again(one, unread)


def unread_again(case: Case, found: Sequence[Examined]) -> list[RefusedEntry]:
    """Return the entries that pass an item although somebody measured that it fails, and do not read it again."""
    passing = {one.item for one in found if not one.failing}
    failing = _failing(case, passing)
    refused = []
    for one in found:
        read = {reading.metric for reading in one.measured}
        unread = [metric for metric in failing.get(one.item, ()) if metric not in read]
        if unread:
            refused.append(RefusedEntry(one.entry, _to_read_again(one, unread)))
    return refused


def _failing(case: Case, items: Collection[str]) -> dict[str, list[str]]:
    """Return the metrics of which the last reading at an item fails, by item. Before version 6 of the rules none hinders a tick."""
    failing: dict[str, list[str]] = {}
    asked = case.row.plan.criteria if case.rules >= FAULTS_AND_INVITATIONS else ()
    for criterion in asked:
        metric = criterion.metric
        read = () if metric in case.waived else case.readings.get(metric, ())
        concerned = [reading for reading in read if criterion.compares_items or reading.item in items]
        for item, judged in judge_items(criterion, concerned).items():
            if judged.verdict == FAILED and item in items:
                failing.setdefault(item, []).append(metric)
    return failing


def _to_read_again(one: Examined, metrics: Sequence[str]) -> InputError:
    """Return the refusal of an item that failed metrics and would pass without another reading of them."""
    return InputError(
        f"{one.item} failed {', '.join(metrics)}, and passes when that is read again",
        hint=f"add {metrics[0]}=VALUE",
        place=column_of(one.entry.place, "result"),
    )


def _refuse_second(first: Examined, one: Examined) -> None:
    if first is not one:
        line = first.entry.place.line if first.entry.place else None
        raise InputError(f"{one.item} is there twice", hint=f"first on line {line}" if line else "once is enough")


def _judged(one: Examined, verdicts: Iterator[Verdict]) -> Examined:
    """Return an entry with the verdicts on its readings, which come next among `verdicts`."""
    found = tuple(islice(verdicts, len(one.measured)))
    failing = [verdict.metric for verdict in found if verdict.verdict == FAILED]
    if not one.entry.passed:
        failing.append(RESULT)
    return one._replace(verdicts=found, failing=tuple(failing))


def _serials_twice(
    last: Mapping[str, CheckRow],
    found: Mapping[str, Examined],
) -> list[RefusedEntry]:
    """Return the entries whose serial number would be at two items. A scanner may have read the wrong label."""
    serials = {item: previous.serial for item, previous in last.items()}
    serials |= {one.item: one.serial for one in found.values()}
    labels = ((serial.casefold(), item) for item, serial in serials.items())
    places = grouped((label, item) for label, item in labels if label)
    faults: list[RefusedEntry] = []
    for one in found.values():
        items = places.get(one.serial.casefold(), ())
        others = [item for item in items if item != one.item]
        if others:
            fault = InputError(
                f"the serial number {one.serial} is at {others[0]} too",
                hint="one asset is at one place; read both again",
                place=column_of(one.entry.place, "serial"),
            )
            faults.append(RefusedEntry(one.entry, fault))
    return faults
