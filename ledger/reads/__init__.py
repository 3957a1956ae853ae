"""Reading the ledger: a question a method, answered with values. Opens the file for reading only.

    with Reader.open(site_dir) as reader:
        reader.ready(now)

Standard library only: the commands that look must start at once. A reader belongs to one thread at a time.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from ledger.reads.people import PeopleReads
from ledger.reads.record_rows import (
    AttestationRow,
    ClaimRow,
    CommentRow,
    EventRow,
    EvidenceRow,
    ForecastRow,
    ItemRow,
    MeasurementRow,
    NcrRow,
    ReleaseRow,
    RequestRow,
    RunRow,
    SignOffRow,
    WaiverRow,
)
from ledger.reads.records import RecordReads
from ledger.reads.rows import (
    ActivityRow,
    Counts,
    CriterionRow,
    Head,
    InboxRow,
    LinkRow,
    OrderRow,
    PersonRow,
    PhaseRow,
    SiteRow,
    TrancheRow,
    UnitRow,
    Unmet,
    Why,
)
from ledger.reads.site import SiteReads

__all__ = [
    "ActivityRow",
    "AttestationRow",
    "ClaimRow",
    "CommentRow",
    "Counts",
    "CriterionRow",
    "EventRow",
    "EvidenceRow",
    "ForecastRow",
    "Head",
    "InboxRow",
    "ItemRow",
    "LinkRow",
    "MeasurementRow",
    "NcrRow",
    "OrderRow",
    "PersonRow",
    "PhaseRow",
    "Reader",
    "ReleaseRow",
    "RequestRow",
    "RunRow",
    "SignOffRow",
    "SiteRow",
    "TrancheRow",
    "UnitRow",
    "Unmet",
    "WaiverRow",
    "Why",
]


class Reader(SiteReads, PeopleReads, RecordReads):
    """All questions about a site, over one read-only connection."""

    @classmethod
    def open(cls, site_dir: Path) -> Self:
        """Open a site's ledger for reading."""
        return cls(site_dir)

    def __enter__(self) -> Self:
        """Give the reader."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()
