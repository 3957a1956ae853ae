"""A portal, from a record to a folder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from clusterwright.reports.asked import Asked
from clusterwright.reports.portal.activity_leaf import activity_leaf
from clusterwright.reports.portal.floor_leaf import floor_leaf
from clusterwright.reports.portal.folder import require_place, write_folder
from clusterwright.reports.portal.leaf import Leaf
from clusterwright.reports.portal.main_leaves import gantt_leaf, overview_leaf
from clusterwright.reports.portal.portal import Portal, as_of_its_head
from clusterwright.reports.portal.procurement_leaf import procurement_leaf
from clusterwright.reports.portal.quality_leaf import quality_leaf
from clusterwright.reports.portal.record_leaf import record_leaf
from clusterwright.reports.portal.rendering import renderer, shared_files
from clusterwright.reports.portal.search_index import PATH, search_index
from clusterwright.reports.portal.unit_leaves import unit_leaves, units_leaf
from ledger.questions.snapshot import Snapshot


class PortalWritten(NamedTuple):
    """What was written, and of which record."""

    folder: Path
    organisation: str | None
    activities: int
    units: int
    files: int
    bytes: int
    event: int
    hash: str
    data_date: datetime


def make_portal(snapshot: Snapshot, folder: Path, organisation: str | None, record: str) -> PortalWritten:
    """Write the portal of a site, or of a contractor's part of it, into a folder."""
    place = require_place(folder)
    portal = Portal(Asked(as_of_its_head(snapshot), "week", organisation, record=record))
    rows, units = portal.asked.rows, portal.units
    written = write_folder(place, _files(portal), len(rows) + len(units) + 7)
    last = portal.head
    counts = (len(rows), len(units), written.files, written.bytes)
    return PortalWritten(folder, organisation, *counts, last.seq, last.hash, portal.snapshot.now)


def _files(portal: Portal) -> Iterator[tuple[str, str]]:
    rendered = renderer(portal)
    for leaf in _leaves(portal):
        yield leaf.path, rendered(leaf)
    yield PATH, search_index(portal)
    yield from shared_files().items()


def _leaves(portal: Portal) -> Iterator[Leaf]:
    yield overview_leaf(portal)
    yield gantt_leaf(portal)
    yield floor_leaf(portal)
    yield procurement_leaf(portal)
    yield quality_leaf(portal)
    yield record_leaf(portal)
    yield units_leaf(portal)
    yield from unit_leaves(portal)
    for row in portal.asked.rows:
        yield activity_leaf(portal, row)
