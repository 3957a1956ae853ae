"""The work itself: start, progress, measure, attach, finish."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from ledger.database import Ledger
from ledger.events import Event
from ledger.judging import FAILED
from ledger.payloads import (
    Attached,
    Finished,
    MeasurementRecorded,
    Progressed,
    Reading,
    Started,
)
from ledger.services.beside_runs import after_reading, refuse_for_software
from ledger.services.blocked import refuse_blocked, refuse_unfinishable
from ledger.services.completing import refuse_open_items, refuse_second_count
from ledger.services.conforming import ncrs_of_readings
from ledger.services.permitting import may
from ledger.services.policy import after_work, judgements, refuse_unmet
from ledger.services.reading import asked_of, refuse_alien, verdicts
from ledger.services.taking import take
from ledger.services.witnessing import refuse_unwitnessed
from ledger.tables import Ncr
from ledger.transitions import Action, State
from ledger.values import Measured
from steps.errors import InputError
from steps.value import Value, value_text


def start(ledger: Ledger, actor: str, activity: str, *, at: datetime | None = None) -> Event:
    """Record that people began; refused while anything before it is open."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "start", row=row)
        refuse_blocked(writing, row, at)
        writing.permitted(row, Action.START, at, State.IN_PROGRESS)
        refuse_unwitnessed(writing, row, at)
        return writing.append(actor, Started(), subject=row.id, at=at)


def progress(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    items_done: int | None = None,
    percent: float | Decimal | None = None,
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record how far the work has come: items or percent, and what stands out."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "progress", row=row)
        writing.permitted(row, Action.PROGRESS, at)
        if items_done is None and percent is None and not note:
            raise InputError("nothing to record", hint="give items, percent or a note")
        if items_done is not None and not 0 <= items_done <= (row.items or items_done):
            raise InputError(f"{row.id} has {row.items} {row.items_of or 'items'}, not {items_done}")
        refuse_second_count(writing, row, items_done)
        if percent is not None and not 0 <= percent <= 100:
            raise InputError(f"percent lies between 0 and 100, not {percent}")
        share = None if percent is None else Decimal(str(percent))
        payload = Progressed(items_done=items_done, percent=share, note=note)
        return writing.append(actor, payload, subject=row.id, at=at)


def measure(
    ledger: Ledger,
    actor: str,
    activity: str,
    metric: str,
    value: Value | float,
    unit: str,
    *,
    item: str | None = None,
    source: str = "",
    instrument: str = "",
    at: datetime | None = None,
) -> Event:
    """Record a reading, whose unit must compare with its criterion's; one that fails opens a non-conformance."""
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "measure", row=row)
        state = writing.permitted(row, Action.MEASURE, at)
        exact = Decimal(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value
        asked = asked_of(writing, row)
        refuse_alien(row, asked, metric, exact, unit)
        reading = Reading(
            metric=metric,
            value=value_text(exact),
            unit=unit,
            item=item or "",
            source=source,
            instrument=instrument,
        )
        refuse_for_software(writing, row, state, metric, reading.item)
        found = Measured(metric, exact, unit, reading.item)
        (verdict,) = verdicts(writing, row, asked, [found])
        failed = verdict.verdict == FAILED
        under = ncrs_of_readings(writing, row).get((metric, reading.item)) if failed else None
        opens = failed and under is None
        at_item = f" at {reading.item}" if reading.item else ""
        result = after_reading(writing, row, state, found)
        payload = MeasurementRecorded(
            reading=reading,
            ncr=writing.next_id(Ncr, "NCR") if opens else None,
            ncr_class=row.ncr_class if opens else "",
            reason=f"{verdict}{at_item}" if opens else "",
            under=under,
            result=None if result is None else result.value,
        )
        return writing.append(actor, payload, subject=row.id, at=at)


def attach(
    ledger: Ledger,
    actor: str,
    activity: str,
    path: Path | str | bytes,
    kind: str,
    *,
    name: str | None = None,
    at: datetime | None = None,
) -> Event:
    """Lay a file on the table as evidence; the store keeps its content under its SHA-256.

    A photo loses the place where it was taken; the event says what was taken out.
    """
    given = path if isinstance(path, bytes) else Path(path)
    taken = take(ledger, given, name or (given.name if isinstance(given, Path) else f"{kind}.txt"))
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "attach", row=row)
        writing.permitted(row, Action.ATTACH, at)
        payload = Attached(
            evidence=kind,
            digest=taken.digest,
            name=taken.name,
            size=taken.size,
            media_type=taken.media_type,
            removed=taken.removed,
        )
        return writing.append(actor, payload, subject=row.id, at=at)


def finish(
    ledger: Ledger,
    actor: str,
    activity: str,
    *,
    performers: Sequence[str] = (),
    at: datetime | None = None,
) -> Event:
    """Record that people finished; every criterion must be met or waived. Then it awaits a sign-off."""
    with ledger.write() as writing:
        for performer in performers:
            writing.person(performer)
        row = writing.activity(activity)
        may(writing, actor, "finish", row=row)
        result = after_work(row, by_hand=True)
        writing.permitted(row, Action.FINISH, at, result)
        when = writing.when(at)
        if row.started_at is not None and when < row.started_at:
            raise InputError(f"{row.id} started at {row.started_at:%Y-%m-%d %H:%M}Z, after that")
        refuse_unfinishable(writing, row, when)
        refuse_unwitnessed(writing, row, at)
        refuse_open_items(writing, row)
        refuse_unmet(row, judgements(writing, row), "finish")
        payload = Finished(performers=(actor, *performers), result=result.value)
        return writing.append(actor, payload, subject=row.id, at=at)
