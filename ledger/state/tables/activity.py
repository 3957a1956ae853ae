"""Activities: the plan's part of each, and its state."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import SQLModel

from ledger.state.columns import Indexed, UtcOrNone, WordKey, WordList


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
    id: WordKey
    plan: str
    step: Indexed
    unit: str
    phase: str
    kind: str
    role: str
    hold_point: bool
    early_start: UtcOrNone
    early_finish: UtcOrNone
    late_start: UtcOrNone
    late_finish: UtcOrNone
    ordinal: int
    in_plan: bool
    state: str
    held_from: str | None
    attempt: int = 1
    assignee: str | None
    organisation: str = ""
    na_reason: str | None
    na_at: UtcOrNone
    na_decided: bool = False
    ready_from: UtcOrNone
    finish_from: UtcOrNone
    started_at: UtcOrNone
    finished_at: UtcOrNone
    done_at: UtcOrNone
    performers: WordList
    hands: WordList
    kept: WordList
    items_done: int | None
    percent: float | None
    last_note: str = ""
    stale_since: int | None
    valid_since: int | None
    valid_until: UtcOrNone
    waived: bool = False
    attested: bool = False
    simulated: bool = False
    before: bool = False
    overridden: bool = False
    early_because: str = ""
