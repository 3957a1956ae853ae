"""Judging a sheet that came back: every line by the rules, right ones recorded in one transaction, the others with their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from clusterwright.commands.acting import Deciding
from clusterwright.sheets.columns import (
    COLUMNS,
    FINISHED,
    ID,
    REFUSED,
    AboutSheet,
    Cell,
    Column,
    FieldSheet,
    Part,
    SheetTable,
    item_columns,
)
from clusterwright.sheets.deeds import Deed, JudgedLine, Taking
from clusterwright.sheets.delivery_lines import delivery_deeds
from clusterwright.sheets.item_lines import item_deeds, reading_deeds
from clusterwright.sheets.reading import Filled, SheetLine, typed
from clusterwright.sheets.work_lines import work_deeds
from ledger.questions.activities import activities
from ledger.questions.orders import orders
from ledger.questions.since import Since, undone_since
from ledger.questions.site import head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.permission import is_same
from ledger.rules.rows import OrderRow
from ledger.writing import Transaction
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError, Place
from steps.stamps import minute


def taken(decider: Deciding, writing: Transaction, filled: Filled) -> list[JudgedLine]:
    """Return every line with what of it is recorded, as the rules allow it, and what is refused."""
    snapshot = writing.at()
    _refuse_other_site(snapshot, filled)
    rows = {row.id: row for row in activities(snapshot)}
    places = {name: place for place, name in enumerate(rows)}
    taking = Taking(decider, writing, filled, site_of(snapshot).time_zone, snapshot.now, places)
    lines = [JudgedLine(line) for line in filled.lines]
    right = list(_known(snapshot, taking, lines, rows))
    for deed in sorted(_deeds(taking, right), key=lambda deed: deed[:3]):
        deed.take()
    return lines


def _refuse_other_site(snapshot: Snapshot, filled: Filled) -> None:
    """Raise for a sheet of another site, and for one that knows events which this record does not have."""
    site, origin, place = site_of(snapshot), filled.origin, Place(str(filled.path))
    if origin.uuid != site.uuid:
        raise InputError(
            f"the sheet is of another site than {site.name}", hint="name its site with --site", place=place
        )
    last = head(snapshot).seq
    if not 0 < origin.event <= last:
        raise InputError(
            f"the sheet knows event {origin.event:,}, and the record ends with {last:,}",
            hint="it was made of another copy of the record; make a new one",
            place=place,
        )


def _known(
    snapshot: Snapshot, taking: Taking, lines: Sequence[JudgedLine], rows: Mapping[str, Activity]
) -> Iterator[JudgedLine]:
    """Yield the lines about what is in the plan and of the sheet's organisation, and was not undone since. Refuse the others."""
    undone = undone_since(snapshot, taking.known)
    deliveries = {one.id: order for order in orders(snapshot) for one in order.tranches}
    seen: dict[tuple[Part, str], int | None] = {}
    for one in lines:
        try:
            _refuse_repeated(one.line, seen)
            subject = one.line.id.partition(" ")[0]
            _refuse_stranger(taking.filled, one.line, subject, rows.get(subject) or deliveries.get(subject))
            _refuse_undone(undone.get(subject), taking.zone)
        except ClusterwrightError as error:
            one.refuse(error)
        else:
            yield one


def _refuse_repeated(line: SheetLine, seen: dict[tuple[Part, str], int | None]) -> None:
    if not line.id:
        raise InputError(
            "the line does not say what it is about", hint="its hidden cell is empty; write it into a line of the sheet"
        )
    first = seen.setdefault((line.part, line.id), line.place.line)
    if first != line.place.line:
        raise InputError(f"line {first} is about the same", hint="take one of them out")


def _refuse_stranger(filled: Filled, line: SheetLine, subject: str, found: Activity | OrderRow | None) -> None:
    is_delivery = isinstance(found, OrderRow)
    if found is None or is_delivery is not (line.part is Part.DELIVERIES):
        what = "delivery" if line.part is Part.DELIVERIES else "activity"
        raise InputError(f"the plan in force has no {what} {subject[:60]!r}", hint="make a new sheet")
    whose = filled.origin.organisation
    theirs = (found.organisation, found.supplier_name) if isinstance(found, OrderRow) else (found.whose,)
    if whose and not any(is_same(name, whose) for name in theirs):
        raise NotSatisfiedError(f"{subject} is not of {whose}, for whom the sheet was made", hint="make a new sheet")


def _refuse_undone(since: Since | None, zone: str) -> None:
    if since is not None:
        raise NotSatisfiedError(
            f"{since.by} recorded on {minute(since.at, zone)} that it was {since.words}, after the sheet was made",
            hint="look at it again, and write it into a new sheet",
        )


def _deeds(taking: Taking, lines: Sequence[JudgedLine]) -> Iterator[Deed]:
    by_part = {part: [one for one in lines if one.line.part is part] for part in Part}
    ends: dict[str, datetime] = {}
    for one in by_part[Part.WORK]:
        try:
            at = one.line.moment(FINISHED, taking.zone)
        except InputError:  # the line of work says so itself
            continue
        if at is not None:
            ends[one.line.id] = at
    yield from delivery_deeds(taking, by_part[Part.DELIVERIES])
    yield from work_deeds(taking, by_part[Part.WORK])
    yield from item_deeds(taking, by_part[Part.ITEMS], ends)
    yield from reading_deeds(taking, by_part[Part.READINGS], ends)


def about_refused(snapshot: Snapshot, filled: Filled) -> AboutSheet:
    """Return where the refused lines are from: what the sheet itself says, so that an old line stays an old one."""
    site, origin = site_of(snapshot), filled.origin
    return AboutSheet(
        site.name, origin.uuid, origin.revision, origin.event, origin.made_at, site.time_zone, origin.organisation
    )


def refused_lines(filled: Filled, lines: Sequence[JudgedLine], about: AboutSheet) -> FieldSheet:
    """Return a sheet of the refused lines, each as it was filled in, with the reason in its row. It can be corrected and read again."""
    tables = []
    for part in Part:
        wrong = [one for one in lines if one.line.part is part and one.refusals]
        if wrong:
            own = item_columns(filled.metrics) if part is Part.ITEMS else COLUMNS[part]
            after = [column.name for column in own].index(ID) + 1
            columns = (*own[:after], Column(REFUSED, 60), *own[after:])
            tables.append(SheetTable(part, columns, [_refused_row(columns, one) for one in wrong]))
    return FieldSheet(about, tables)


def _refused_row(columns: Sequence[Column], one: JudgedLine) -> list[Cell]:
    cells = {**one.line.cells, REFUSED: " | ".join(one.refusals)}
    return [typed(column, cells.get(column.name, "")) for column in columns]
