"""The append-only event table, and the accounts that appended to a shared log. Text columns have exactly the hashed text."""

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


class Appended(SQLModel, table=True):
    """The account of the database that appended an event, as the server noted it. Only a copy of a shared log has rows here."""

    __tablename__ = "appended"
    seq: int = primary_key()
    account: str
