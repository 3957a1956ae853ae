"""The tables that a replay fills, for questions: each query sees every event before it, and numbered rows are counted in memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ledger.questions.records import PREFIXES
from ledger.questions.snapshot import Snapshot
from ledger.state.projection import Collected


class Flushing:
    """A connection that first writes what was collected for the tables of a query."""

    def __init__(self, rows: Collected) -> None:
        """Take the rows that are collected."""
        self._rows = rows

    def execute(self, sql: str, values: Any = ()) -> Any:
        """Return the cursor of a query."""
        self._rows.flush_for(sql)
        return self._rows.driver.execute(sql, values)


@dataclass
class ReplaySnapshot(Snapshot):
    """A snapshot of the tables that a replay fills. The rows of numbered tables are counted as they are added."""

    counts: Counter[str] = field(default_factory=Counter)

    def count(self, name: str) -> int:
        """Return how many rows one of our tables has."""
        return self.counts[name] if name in PREFIXES else super().count(name)

    def at(self, now: datetime) -> ReplaySnapshot:
        """Return the same record, for questions as of another time."""
        return ReplaySnapshot(self.db, self.site_dir, now, counts=self.counts)
