"""The tables that events fill, for questions: each query sees every event before it, and numbered rows are counted in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from ledger.questions.records import PREFIXES
from ledger.questions.snapshot import Snapshot
from ledger.state.projection import Collected


class Flushing:
    """A connection that first writes what was collected for the tables of a query."""

    def __init__(self, rows: Collected) -> None:
        """Take the rows that are collected."""
        self.rows = rows

    def execute(self, sql: str, values: Any = ()) -> Any:
        """Return the cursor of a query."""
        self.rows.flush_for(sql)
        return self.rows.driver.execute(sql, values)


@dataclass
class ReplaySnapshot(Snapshot):
    """A snapshot of the tables that events fill. The rows of numbered tables are counted once, and then as they are added."""

    earlier: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Collected, site_dir: Path, now: datetime) -> Self:
        """Return the snapshot of the tables for which rows are collected."""
        db: Any = Flushing(rows)
        return cls(db, site_dir, now)

    def count(self, name: str) -> int:
        """Return how many rows one of our tables has."""
        if name not in PREFIXES:
            return super().count(name)
        rows: Collected = self.db.rows  # type: ignore[attr-defined]  # ours
        added = rows.added[name]
        if name not in self.earlier:
            self.earlier[name] = super().count(name) - added
        return self.earlier[name] + added
