"""Non-conformances, waivers and change orders on a page."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.reports.page import Table, Tile, counted_table
from clusterwright.reports.portal.leaf import Leaf
from clusterwright.reports.portal.portal import Portal
from ledger.questions.open_quality import QualityRow


def quality_leaf(portal: Portal) -> Leaf:
    """Return the page: what is open first, and below it what was."""
    is_open = [row for row in portal.quality if row.is_open]
    over = [row for row in portal.quality if not row.is_open]
    tiles = [
        Tile("Open non-conformances", f"{sum(row.kind == 'ncr' for row in is_open):,}", _classes(is_open)),
        Tile("Waivers in force", f"{sum(row.kind == 'waiver' for row in is_open):,}", "to be made good by their day"),
        Tile("Overdue", f"{sum(row.is_overdue for row in is_open):,}", "of these"),
    ]
    if portal.is_owners:
        changes = sum(row.kind == "change" for row in is_open)
        tiles.append(Tile("Change orders to decide", f"{changes:,}", ""))
    bands = ((quality_table("Open", portal, is_open),), (quality_table("Closed", portal, over),))
    foot = "Marked !: its day has passed."
    return Leaf("quality.html", "Quality", tiles=tuple(tiles), bands=bands, foot=foot)


def _classes(rows: Iterable[QualityRow]) -> str:
    classes = [row.ncr_class for row in rows if row.kind == "ncr"]
    return ", ".join(f"{classes.count(name)} of class {name}" for name in sorted(set(classes)))


def quality_table(title: str, portal: Portal, rows: Iterable[QualityRow]) -> Table:
    """Return a table of them."""
    found = [
        (
            f"{row.id}{f', class {row.ncr_class}' if row.ncr_class else ''}",
            row.subject,
            row.said,
            f"{row.state}{f': {row.decided}' if row.decided else ''}",
            portal.name(row.owner) or "nobody",
            f"{row.due}{' !' if row.is_overdue else ''}" if row.due else "",
            portal.day(row.opened),
            portal.day(row.closed),
        )
        for row in rows
    ]
    headers = ("id", "where", "what", "state", "owner", "due", "opened", "closed")
    return counted_table(title, headers, (), found)
