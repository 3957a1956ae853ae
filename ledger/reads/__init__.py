"""Reading the ledger: a question a method, answered with values. Opens the file for reading only.

    with Reader.open(site_dir) as reader:
        reader.ready(now)

Standard library only: the commands that look must start at once. A reader belongs to one thread at a time.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from ledger.reads.record_rows import (
    AttestationRow,
    ChecklistRow,
    CheckRow,
    ClaimRow,
    CommentRow,
    EventRow,
    EvidenceRow,
    ForecastRow,
    ItemReadingRow,
    ItemRow,
    MeasurementRow,
    NcrRow,
    PreviewRow,
    PunchRow,
    ReleaseRow,
    RequestRow,
    RunRow,
    SignerKeyRow,
    SignOffRow,
    WaiverRow,
)
from ledger.reads.reminders import ReminderReads, ReminderRow, Urgency
from ledger.reads.rows import (
    ActivityRow,
    AsOf,
    BudgetRow,
    ChangeRow,
    Counts,
    CriterionRow,
    FactNeedRow,
    FactRow,
    Head,
    HistoryRow,
    InboxRow,
    LinkRow,
    OrderRow,
    PersonRow,
    PhaseRow,
    SiteRow,
    Standing,
    TrancheRow,
    UnitRow,
    Unmet,
    Why,
)
from ledger.reads.witnesses import AttendanceRow, InvitationRow
from ledger.shared.following import brought_up

__all__ = [
    "ActivityRow",
    "AsOf",
    "AttendanceRow",
    "AttestationRow",
    "BudgetRow",
    "ChangeRow",
    "CheckRow",
    "ChecklistRow",
    "ClaimRow",
    "CommentRow",
    "Counts",
    "CriterionRow",
    "EventRow",
    "EvidenceRow",
    "FactNeedRow",
    "FactRow",
    "ForecastRow",
    "Head",
    "HistoryRow",
    "InboxRow",
    "InvitationRow",
    "ItemReadingRow",
    "ItemRow",
    "LinkRow",
    "MeasurementRow",
    "NcrRow",
    "OrderRow",
    "PersonRow",
    "PhaseRow",
    "PreviewRow",
    "PunchRow",
    "Reader",
    "ReleaseRow",
    "ReminderRow",
    "RequestRow",
    "RunRow",
    "SignOffRow",
    "SignerKeyRow",
    "SiteRow",
    "Standing",
    "TrancheRow",
    "UnitRow",
    "Unmet",
    "Urgency",
    "WaiverRow",
    "Why",
]


class Reader(ReminderReads):
    """All questions about a site, over one read-only connection."""

    as_of: AsOf | None = None
    """Where in the past it stands (`ledger.as_of`); None is the present."""

    cut_off: str | None = None
    """Why what others recorded in a shared ledger may be missing; None while its database answers."""

    @classmethod
    def open(cls, site_dir: Path) -> Self:
        """Open a site's ledger for reading; one of an earlier release is brought up first, as is a shared one's copy.

        Where the shared ledger's database does not answer, its copy is read as it stands, and `cut_off` says why.
        """
        cut_off = brought_up(site_dir)
        reader = cls(site_dir)
        reader.cut_off = cut_off
        if reader.is_older():
            reader.close()
            from ledger.database import Ledger  # an earlier release's ledger is rare, and SQLAlchemy is slow to come

            Ledger.open(site_dir).close()
            reader = cls(site_dir)
        return reader

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
