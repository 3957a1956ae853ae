"""The record of a site as it was after an earlier event, or at an earlier time.

The events up to that point are replayed into a database in memory. Nothing is written to the site. An event counts at a time if
it was recorded by then: what was recorded later with an earlier date was not known yet. A rehearsal records months within
minutes, so there project time counts instead.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import insert
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.columns import EVENTS, row_of
from ledger.log.events import readable
from ledger.machine_time import machine_time
from ledger.questions.site import head, project_time, site_of
from ledger.questions.snapshot import AsOf, Snapshot
from ledger.stores.sqlite import memory_engine
from ledger.subjects.people.applying import hide_name
from ledger.subjects.replay import replaying
from schedule.errors import InputError
from steps.stamps import at_site, minute, stamp, stamped


def snapshot_as_of(present: Snapshot, wanted: str) -> Snapshot:
    """Return the record after the event or the time `wanted`, for example 120 or 2026-11-20. Close the present record.

    Evidence is still read from the site's folder. Raise InputError for what is no event and no time, and for the future.
    """
    site_dir = present.site_dir
    with present:
        as_of = _as_of(present, wanted)
        rows = [*map(row_of, present.ask(f"{EVENTS} WHERE seq <= :seq ORDER BY seq", seq=as_of.seq))]
        refused = set(present.column("SELECT seq FROM refused"))
        redacted = present.column("SELECT id FROM person_name WHERE redacted")
    engine = memory_engine()
    try:
        with engine.begin() as connection:
            with replaying(connection, SiteFiles(site_dir)) as projection:
                for event in readable(row for row in rows if row["seq"] not in refused):
                    projection.apply(event)
                for person in redacted:  # a name that was redacted later stays hidden
                    hide_name(projection, person)
            connection.execute(insert(SQLModel.metadata.tables["event"]), rows)
        db: Any = engine.raw_connection().driver_connection
        db.execute("PRAGMA query_only=ON")
    except BaseException:
        engine.dispose()
        raise
    return Snapshot(db, site_dir, as_of.time, as_of=as_of, release=engine.dispose)


def _as_of(snapshot: Snapshot, wanted: str) -> AsOf:
    """Return the event that a number or a time means, and the time at which questions are asked."""
    found = site_of(snapshot)
    column = "effective_at" if found.rehearsal else "recorded_at"
    if wanted.isascii() and wanted.isdigit():
        seq = int(wanted.lstrip("0")[:18] or "0")  # SQLite has no larger integers, and no ledger is so long
        digest, at = _event(snapshot, seq, column)
        return AsOf(seq, digest, at)
    zone = ZoneInfo(found.time_zone)
    latest = project_time(snapshot) if found.rehearsal else machine_time()
    at = _time(wanted, zone, latest)
    (later,) = snapshot.first(f"SELECT min(seq) FROM event WHERE {column} > :at", at=stamp(at))  # noqa: S608  one of two names
    seq = head(snapshot).seq if later is None else later - 1
    if seq == 0:
        begins = _event(snapshot, 1, column)[1].astimezone(zone)
        raise InputError(
            f"{wanted} is before the ledger begins",
            hint=f"event 1, its genesis, is of {begins:%Y-%m-%d %H:%M:%S}",
        )
    return AsOf(seq, _event(snapshot, seq, column)[0], at)


def _event(snapshot: Snapshot, seq: int, column: str) -> tuple[str, datetime]:
    """Return an event's hash and time."""
    end = head(snapshot).seq
    if not 1 <= seq <= end:
        raise InputError(f"the ledger has no event {seq}", hint=f"it has events 1, its genesis, to {end}")
    row = snapshot.first(f"SELECT hash, {column} FROM event WHERE seq = :seq", seq=seq)  # noqa: S608  one of two names
    if row is None:
        raise InputError(f"event {seq} is missing", hint="`clusterwright audit` says what is wrong with the ledger")
    at = stamped(row[1])
    if at is None:
        raise InputError(
            f"the time of event {seq} cannot be read", hint="name the event before it, or the one after it"
        )
    return row[0], at


def _time(wanted: str, zone: ZoneInfo, latest: datetime) -> datetime:
    """Return the time that a text means. Without an offset it is the site's local time. A day means its end, or now for today."""
    try:
        day = date.fromisoformat(wanted) if len(wanted) == len("2026-11-20") else None
        at = datetime.fromisoformat(wanted) if day is None else _end_of(day, zone)
        at = at_site(at, zone.key)
    except (ValueError, OverflowError):
        raise InputError(
            f"{wanted!r} is neither an event's number nor a time",
            hint="write 120, 2026-11-20 or 2026-11-20T12:00",
        ) from None
    if day == latest.astimezone(zone).date():
        return latest
    if at > latest:
        raise InputError(
            f"{wanted} is in the future",
            hint=f"the latest that can be asked for is {minute(latest, zone.key)}",
        )
    return at


def _end_of(day: date, zone: ZoneInfo) -> datetime:
    next_day = datetime.combine(day + timedelta(days=1), time(), zone)
    return next_day - timedelta(microseconds=1)
