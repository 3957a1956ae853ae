"""The record on a page: its last events, newest first. A contractor's has what their people recorded, and decisions on their work."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from clusterwright.reports.page import Table, Tile
from clusterwright.reports.portal.leaf import Leaf
from clusterwright.reports.portal.portal import SHORT, Portal
from ledger.questions.journal import JournalRow, journal

MOST = 1000
PIECE = 5000
"""How many events are read at once."""

DECISIONS = frozenset({"activity.signed", "activity.rejected"})


def record_leaf(portal: Portal) -> Leaf:
    """Return the page."""
    found = list(islice(_events(portal), MOST + 1))
    rows = tuple(
        (
            f"{row.seq:,}",
            portal.minute(row.effective_at) if row.effective_at else "",
            portal.name(row.actor),
            row.words,
            row.subject,
            row.summary,
            "signed" if row.is_signed else "",
        )
        for row in found[:MOST]
    )
    table = Table(
        f"Last events ({len(rows):,})",
        ("event", "when", "who", "what", "about", "", ""),
        (),
        rows,
        empty="nothing was recorded",
        right=(0,),
        more="earlier ones are in the record: `clusterwright log`" if len(found) > MOST else "",
    )
    return Leaf("record.html", "Record", tiles=tuple(_tiles(portal)), bands=((table,),))


def _tiles(portal: Portal) -> Iterator[Tile]:
    site, last = portal.asked.site, portal.head
    yield Tile("Last event", f"{last.seq:,}", portal.minute(last.recorded_at) if last.recorded_at else "")
    yield Tile("Its hash", last.hash[:SHORT], "the beginning of it; each hash covers all events before")
    if portal.is_owners:
        by = portal.name(site.adopted_by)
        yield Tile("Plan revision", str(site.revision), f"adopted {portal.day(site.adopted_at)} by {by}")


def _events(portal: Portal) -> Iterator[JournalRow]:
    before: int | None = None
    while rows := journal(portal.snapshot, PIECE, before=before):
        yield from (row for row in rows if _is_shown(portal, row))
        before = rows[-1].seq


def _is_shown(portal: Portal, row: JournalRow) -> bool:
    if portal.is_owners:
        return True
    return row.subject in portal.asked.ids and (row.actor in portal.own_people or row.kind in DECISIONS)
