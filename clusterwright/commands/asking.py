"""Asking a site's record: as it is, or with --as-of as it was; and answering, in words or as JSON.

A command opens one snapshot, asks it everything, and hands it on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from clusterwright.commands.options import AsOfOption, JsonOption, SiteOption
from clusterwright.output import plain, print_json, say, table
from clusterwright.where import find_site
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from steps.stamps import minute

Row = TypeVar("Row")


@dataclass(frozen=True)
class Asking:
    """The options of every command that only looks: at which site, and whether it answers in JSON."""

    site: SiteOption = None
    as_of: str | None = field(init=False, default=None)
    as_json: JsonOption = False

    @property
    def folder(self) -> Path:
        """The site's folder."""
        return find_site(self.site)

    def record(self) -> Snapshot:
        """Return the record of the site, as of the moment that is named, else of the present."""
        return record(self.site, self.as_of)

    def answer(self, snapshot: Snapshot | None, document: Any, in_words: Callable[[], None]) -> None:
        """Print an answer as JSON or in words. One about an earlier moment says which. `snapshot` is None if it is not from the record."""
        if self.as_json:
            print_json(document if snapshot is None else dated(snapshot, document))
            return
        if snapshot is not None and snapshot.as_of is not None:
            print(when(snapshot))
        in_words()

    def table(
        self,
        snapshot: Snapshot | None,
        rows: Sequence[Row],
        headers: Sequence[str],
        cells: Callable[[Row], Sequence[object]],
        *,
        document: Callable[[], Any] | None = None,
        right: Sequence[int] = (),
        empty: str = "",
    ) -> None:
        """Print rows as JSON, or as a table of what `cells` makes of each. `document` makes the JSON if rows are not it."""

        def in_words() -> None:
            table(headers, map(cells, rows), right=right, empty=empty)

        self.answer(snapshot, document() if document and self.as_json else rows, in_words)


@dataclass(frozen=True)
class AskingPast(Asking):
    """The same of commands that also look at an earlier moment."""

    as_of: AsOfOption = None


def record(site: Path | None, as_of: str | None = None) -> Snapshot:
    """Return the record of a site as of a moment, of the present where none is named."""
    folder = find_site(site)
    if as_of is None:
        snapshot = open_snapshot(folder)
        if snapshot.cut_off:
            say(f"as this folder last saw it: {snapshot.cut_off}")
        return snapshot
    from ledger.past import snapshot_as_of  # SQLAlchemy, to replay with; test_start_up keeps the present free of it

    return snapshot_as_of(open_snapshot(folder), as_of)


def when(snapshot: Snapshot) -> str:
    """Return which earlier moment a snapshot shows, in words. Empty for the present."""
    if snapshot.as_of is None:
        return ""
    return f"as of event {snapshot.as_of.seq}, {minute(snapshot.as_of.time, site_of(snapshot).time_zone)}"


def dated(snapshot: Snapshot, document: Any) -> Any:
    """Return a document for --json. One about an earlier moment names it, and has a list under `rows`."""
    if snapshot.as_of is None:
        return document
    said = plain(document)
    body = said if isinstance(said, dict) else {"rows": said}
    return {"as_of": snapshot.as_of.time, "as_of_event": snapshot.as_of.seq} | body
