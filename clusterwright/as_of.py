"""Reading commands at the present or, with --as-of, at an earlier moment: which reader, what time, and how it is said."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterwright.output import minute, plain, say
from ledger.questions.site import project_time, site_of
from ledger.reading import open_snapshot

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot


def open_reader(folder: Path, as_of: str | None = None) -> Snapshot:
    """Give a site's reader as of a moment that was named, else of the present."""
    if as_of is None:
        reader = open_snapshot(folder)
        if reader.cut_off:
            say(f"as this folder last saw it: {reader.cut_off}")
        return reader
    from ledger.past import snapshot_as_of  # SQLAlchemy, to replay with; test_start_up holds the present free of it

    return snapshot_as_of(open_snapshot(folder, datetime.now(UTC)), as_of)


def now_of(reader: Snapshot) -> datetime:
    """Give the time that questions are asked at: real, but in a rehearsal and in the past that of the record."""
    if reader.as_of is not None:
        return reader.as_of.time
    if site_of(reader).rehearsal:
        return project_time(reader)
    return datetime.now(UTC)


def when(reader: Snapshot) -> str:
    """Give the words for an earlier moment; none for the present."""
    if reader.as_of is None:
        return ""
    return f"as of event {reader.as_of.seq}, {minute(reader.as_of.time, site_of(reader).time_zone)}"


def print_when(reader: Snapshot) -> None:
    """Print the head line of an earlier moment."""
    if reader.as_of is not None:
        print(when(reader))


def dated(reader: Snapshot, answer: Any) -> Any:
    """Give an answer for --json: of an earlier moment it is a document that names it, with a list under `rows`."""
    if reader.as_of is None:
        return answer
    said = plain(answer)
    body = said if isinstance(said, dict) else {"rows": said}
    return {"as_of": reader.as_of.time, "as_of_event": reader.as_of.seq} | body
