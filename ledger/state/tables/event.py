"""The append-only event table. Its text columns have exactly the text that was hashed."""

from __future__ import annotations

from sqlmodel import Field, SQLModel

from ledger.state.columns import primary_key


class EventTable(SQLModel, table=True):
    """An event. Text columns have exactly the text that was hashed."""

    __tablename__ = "event"
    seq: int = primary_key()
    recorded_at: str
    effective_at: str
    actor: str
    kind: str
    schema_version: int
    subject: str = Field(index=True)
    plan_revision: int
    payload: str
    prev_hash: str
    hash: str
    signature: str | None = None
