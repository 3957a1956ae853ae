"""An activity: what the plan says of it, and how it stands."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Index
from sqlmodel import Field, SQLModel

from ledger.columns import utc, word_list


class Activity(SQLModel, table=True):
    """A step at a unit: what the plan says of it, and how it stands."""

    __tablename__ = "activity"
    __table_args__ = (
        Index("activity_phase_state", "phase", "state"),
        Index("activity_state_ready", "state", "ready_from"),
        Index("activity_valid_until", "valid_until"),
    )
    id: str = Field(primary_key=True)
    ordinal: int
    step: str = Field(index=True)
    unit: str
    title: str
    phase: str
    kind: str
    scope: str
    role: str
    crew_size: int
    calendar: str
    duration_m_h: float
    items_of: str | None = None
    items: int | None = None
    effect: str | None = None
    playbook: str | None = None
    plays: str | None = None
    preview: bool = False
    shares: tuple[str, ...] = word_list()
    by_waves: bool = False
    completed_by: tuple[str, ...] = word_list()
    continuing: bool = False
    hold_point: bool = False
    needed: str = "always"
    quorum: int = 1
    separation: str
    roles: tuple[str, ...] = word_list()
    evidence: tuple[str, ...] = word_list()
    witnesses: tuple[str, ...] = word_list()
    notice_h: float = 0.0
    valid_days: float | None = None
    also_reads: dict[str, str] | None = Field(default=None, sa_type=JSON)
    ncr_class: str = "B"
    early_start: datetime | None = utc()
    early_finish: datetime | None = utc()
    late_start: datetime | None = utc()
    late_finish: datetime | None = utc()
    total_float_h: float | None = None
    in_plan: bool = True
    state: str = "open"
    held_from: str | None = None
    attempt: int = 1
    assignee: str | None = None
    organisation: str = ""
    na_reason: str | None = None
    na_at: datetime | None = utc()
    na_decided: bool = False
    ready_from: datetime | None = utc()
    finish_from: datetime | None = utc()
    started_at: datetime | None = utc()
    finished_at: datetime | None = utc()
    done_at: datetime | None = utc()
    performers: tuple[str, ...] = word_list()
    kept: tuple[str, ...] = word_list()
    items_done: int | None = None
    percent: float | None = None
    last_note: str = ""
    stale_since: int | None = None
    valid_since: int | None = None
    valid_until: datetime | None = utc()
    waived: bool = False
    attested: bool = False
    simulated: bool = False
    before: bool = False
