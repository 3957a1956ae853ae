"""A site as the record had it at an earlier event or time: its events up to there, replayed into a database in memory.

Which events count at a time is asked of when they were recorded, so that what was back-dated later is not known yet;
in a rehearsal, whose record is made within minutes, of project time. Nothing is written to the site.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Engine, insert
from sqlmodel import Session

from ledger.file import FORMAT
from ledger.projector.people import redact_name
from ledger.reads import Reader
from ledger.reads.rows import AsOf
from ledger.replay import COLUMNS, event_of, replaying
from ledger.schema import memory_engine
from steps.stamps import stamp
from ledger.tables import EventRow
from steps.errors import InputError


class PastReader(Reader):
    """All questions about a site, answered as they would have been then."""

    def __init__(self, site_dir: Path, engine: Engine, as_of: AsOf) -> None:
        """Read what a replay left; evidence still comes from the site's folder."""
        self.site_dir = Path(site_dir)
        self.as_of = as_of
        self._engine = engine
        connection = engine.raw_connection().driver_connection
        assert connection is not None
        self._db = connection
        self._db.execute(f"PRAGMA user_version={FORMAT}")
        self._db.execute("PRAGMA query_only=ON")

    def close(self) -> None:
        """Forget the database."""
        self._engine.dispose()


def reader_as_of(site_dir: Path, wanted: str, *, now: datetime) -> PastReader:
    """Give a reader that stands after event `wanted`, or after the last one of that time; `now` is the real time."""
    with Reader.open(site_dir) as reader:
        moment = _moment(reader, wanted, now)
        names = ", ".join(COLUMNS)
        rows = reader.rows(f"SELECT {names} FROM event WHERE seq <= ? ORDER BY seq", moment.seq)  # noqa: S608  our names
        redacted = [row[0] for row in reader.rows("SELECT id FROM person_name WHERE redacted")]
    engine = memory_engine()
    try:
        _fill(engine, site_dir, [dict(zip(COLUMNS, row, strict=True)) for row in rows], redacted)
        return PastReader(site_dir, engine, moment)
    except BaseException:
        engine.dispose()
        raise


def _fill(engine: Engine, site_dir: Path, rows: list[dict[str, Any]], redacted: list[str]) -> None:
    """Replay events; a name that was redacted later is not shown as it was either."""
    with Session(engine) as session, session.begin():
        with replaying(session, site_dir) as go_on:
            for row in rows:
                go_on(event_of(row))
        for person in redacted:
            redact_name(session, person)
        session.execute(insert(EventRow), rows)


def _moment(reader: Reader, wanted: str, now: datetime) -> AsOf:
    """Give the event that a number or a time means, and the time at which questions are asked."""
    site = reader.site()
    column = "effective_at" if site.rehearsal else "recorded_at"
    if wanted.isascii() and wanted.isdigit():
        seq = int(wanted.lstrip("0")[:18] or "0")  # no ledger is so long, and SQLite counts no further
        digest, at = _event(reader, seq, column)
        return AsOf(seq, digest, at)
    zone = ZoneInfo(site.time_zone)
    at = _time(wanted, zone, reader.project_time() if site.rehearsal else now)
    later = reader.row(f"SELECT min(seq) FROM event WHERE {column} > ?", stamp(at))  # noqa: S608  one of two names
    seq = reader.head().seq if later is None or later[0] is None else later[0] - 1
    if seq == 0:
        begins = _event(reader, 1, column)[1].astimezone(zone)
        raise InputError(
            f"{wanted} lies before the ledger begins", hint=f"event 1, its genesis, is of {begins:%Y-%m-%d %H:%M:%S}"
        )
    return AsOf(seq, _event(reader, seq, column)[0], at)


def _event(reader: Reader, seq: int, column: str) -> tuple[str, datetime]:
    """Give an event's hash and time."""
    end = reader.head().seq
    if not 1 <= seq <= end:
        raise InputError(f"the ledger has no event {seq}", hint=f"it has events 1, its genesis, to {end}")
    row = reader.row(f"SELECT hash, {column} FROM event WHERE seq = ?", seq)  # noqa: S608  one of two names
    if row is None:
        raise InputError(f"event {seq} is missing", hint="`clusterwright audit` says what is wrong with the ledger")
    return row[0], datetime.fromisoformat(row[1])


def _time(wanted: str, zone: ZoneInfo, latest: datetime) -> datetime:
    """Give an instant; without an offset it is the site's time, and a day alone means its end, or now if it is today."""
    try:
        day = date.fromisoformat(wanted) if len(wanted) == len("2026-11-20") else None
        at = datetime.fromisoformat(wanted) if day is None else _end_of(day, zone)
        at = (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(
            f"{wanted!r} is neither an event's number nor a time", hint="write 120, 2026-11-20 or 2026-11-20T12:00"
        ) from None
    if day == latest.astimezone(zone).date():
        return latest
    if at > latest:
        raise InputError(
            f"{wanted} lies in the future",
            hint=f"the latest that can be asked for is {latest.astimezone(zone):%Y-%m-%d %H:%M}",
        )
    return at


def _end_of(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), zone) - timedelta(microseconds=1)
