"""Activities: the plan's part of each, and its state."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.state.columns import primary_key, utc, word_list


class ActivityTable(SQLModel, table=True):
    """A step at a unit. `plan` is the plan's part of it as JSON.

    The columns up to `late_finish` repeat what queries look for. They are filled from the fields of the same names in the
    plan's part, its policy and its dates. The rest is the state of the work (`ledger.rules.activity.Activity`).
    """

    __tablename__ = "activity"
    __table_args__ = (
        Index("activity_phase_state", "phase", "state"),
        Index("activity_state_ready", "state", "ready_from"),
        Index("activity_valid_until", "valid_until"),
    )
    id: str = primary_key()
    plan: str
    step: str = Field(index=True)
    unit: str
    phase: str
    kind: str
    role: str
    hold_point: bool
    early_start: datetime | None = utc()
    early_finish: datetime | None = utc()
    late_start: datetime | None = utc()
    late_finish: datetime | None = utc()
    ordinal: int
    in_plan: bool
    state: str
    held_from: str | None
    attempt: int = 1
    assignee: str | None
    organisation: str = ""
    na_reason: str | None
    na_at: datetime | None = utc()
    na_decided: bool = False
    ready_from: datetime | None = utc()
    finish_from: datetime | None = utc()
    started_at: datetime | None = utc()
    finished_at: datetime | None = utc()
    done_at: datetime | None = utc()
    performers: tuple[str, ...] = word_list()
    hands: tuple[str, ...] = word_list()
    kept: tuple[str, ...] = word_list()
    items_done: int | None
    percent: float | None
    last_note: str = ""
    stale_since: int | None
    valid_since: int | None
    valid_until: datetime | None = utc()
    waived: bool = False
    attested: bool = False
    simulated: bool = False
    before: bool = False
    overridden: bool = False
    early_because: str = ""
