"""Lines of items and of readings. The items of an activity are one decision, a reading is one of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from clusterwright.check_file import RESULTS
from clusterwright.commands.options import SHOWN
from clusterwright.sheets.columns import METRIC, NOTE, RESULT, SERIAL, SOURCE, UNIT, VALUE, WHEN
from clusterwright.sheets.deeds import IS_CHECKED, Deed, JudgedLine, Taking, refused
from clusterwright.sheets.reading import METRIC as METRIC_COLUMN
from ledger.entries import ItemEntry
from ledger.questions.case import require_activity
from ledger.questions.records import measurements
from ledger.rules.readings import asked_of, measured
from ledger.subjects.checklists import decisions as checklists
from ledger.subjects.work import decisions as work
from schedule.errors import InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.stamps import minute

Ends = Mapping[str, datetime]
"""When activities finish, as the sheet says. What was seen at them is recorded before that."""


def item_deeds(taking: Taking, lines: Sequence[JudgedLine], ends: Ends) -> Iterator[Deed]:
    """Yield a decision for the items of each activity and time. A line that means nothing is refused at once."""
    groups: dict[tuple[str, datetime | None], dict[int, tuple[ItemEntry, JudgedLine]]] = defaultdict(dict)
    for one in lines:
        with refused([one]):
            entry, at = _entry(taking, one), one.line.moment(WHEN, taking.zone)
            activity = one.line.id.partition(" ")[0]
            groups[activity, at][id(entry)] = entry, one
    for (activity, at), entries in groups.items():
        take = partial(_check, taking, activity, at, entries)
        yield Deed(at or _seen(taking, activity, ends), taking.places[activity], IS_CHECKED, take)


def reading_deeds(taking: Taking, lines: Sequence[JudgedLine], ends: Ends) -> Iterator[Deed]:
    """Yield a decision for each reading."""
    for one in lines:
        with refused([one]):
            at = one.line.moment(WHEN, taking.zone)
            activity = one.line.id.partition(" ")[0]
            seen = at or _seen(taking, activity, ends)
            yield Deed(seen, taking.places[activity], IS_CHECKED, partial(_measure, taking, activity, at, one))


def _seen(taking: Taking, activity: str, ends: Ends) -> datetime:
    return min(taking.now, ends.get(activity, taking.now))


def _entry(taking: Taking, one: JudgedLine) -> ItemEntry:
    """Return what a line says of its item. An empty result is what the readings say; without readings nothing says how it is."""
    line = one.line
    found = ((METRIC_COLUMN.fullmatch(column), line.text(column)) for column in taking.filled.metrics)
    readings = [Measured(name[1], text, name[2]) for name, text in found if name and text]
    said = line.text(RESULT).casefold()
    if said not in RESULTS and (said or not readings):
        what = f"the result is pass or fail, not {said[:SHOWN]!r}" if said else "the result is missing"
        raise InputError(what, hint="write pass or fail", place=replace(line.place, key=RESULT))
    return ItemEntry(
        line.id.partition(" ")[2],
        passed=RESULTS.get(said, True),
        readings=tuple(readings),
        note=line.text(NOTE),
        serial=line.text(SERIAL) or None,
        place=line.place,
    )


def _check(
    taking: Taking, activity: str, at: datetime | None, entries: Mapping[int, tuple[ItemEntry, JudgedLine]]
) -> None:
    """Record the items that the rules allow, as one decision, and refuse the others."""
    with refused([one for _, one in entries.values()]), taking.happened(at):
        checked, wrong = taking.decider.take(
            checklists.check_right,
            activity,
            [entry for entry, _ in entries.values()],
            source=taking.source,
            known=taking.known,
        )
        for entry, why in wrong:
            entries[id(entry)][1].refuse(why)
        recorded = {item.item.casefold() for item in checked.items}
        for entry, one in entries.values():
            if not one.refusals and entry.item.casefold() in recorded:
                one.recorded.append(RESULT)


def _measure(taking: Taking, activity: str, at: datetime | None, one: JudgedLine) -> None:
    """Record a reading, unless the last one says the same. A later one than the sheet knows, which says something else, refuses it."""
    line = one.line
    metric = line.id.partition(" ")[2]
    with refused([one]), taking.happened(at):
        if not line.text(VALUE):
            raise InputError("the value is missing", place=replace(line.place, key=VALUE))
        snapshot = taking.present()
        row = require_activity(snapshot, activity)
        read = measured(row, asked_of(row), Measured(metric, line.text(VALUE), line.text(UNIT)), "")
        before = [
            m for m in measurements(snapshot, activity) if (m.attempt, m.metric, m.item) == (row.attempt, metric, "")
        ]
        if before and (before[-1].value, before[-1].unit) == (read.value, read.unit):
            return
        if before and before[-1].seq > taking.known:
            last = before[-1]
            raise NotSatisfiedError(
                f"since the sheet was made {last.by} recorded {last.value} {last.unit} on {minute(last.at, taking.zone)}",
                hint="write it into a new sheet",
            )
        source = line.text(SOURCE) or taking.source
        taking.decider.take(work.measure, activity, metric, line.text(VALUE), line.text(UNIT), source=source)
        one.recorded.append(METRIC)
