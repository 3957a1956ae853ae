"""Keys that count, what was signed with them, delegations and broken glass."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from ledger.state.columns import primary_key, utc, word_list


class KeyTable(SQLModel, table=True):
    """A person's public key, and the time in which it is valid. `until` is None while it is not revoked."""

    __tablename__ = "signer_key"
    seq: int = primary_key()
    person: str = primary_key()
    key: str
    since: datetime = utc()
    until: datetime | None = utc()
    reason: str = ""


class Statement(SQLModel, table=True):
    """A statement that a person signed. Its nonce is used only once. The event has the text and the signature."""

    seq: int = primary_key()
    nonce: str = Field(index=True, unique=True)
    subject: str = Field(index=True)
    person: str
    decision: str


class Delegation(SQLModel, table=True):
    """A person acts in another's role for a time. `withdrawn_at` is None unless it ended early."""

    id: str = primary_key()
    person: str
    to: str = Field(index=True)
    role: str
    since: datetime = utc()
    until: datetime = utc()
    withdrawn_at: datetime | None = utc()
    reason: str


class Override(SQLModel, table=True):
    """An activity that passed against its policy. It is never removed."""

    seq: int = primary_key()
    activity: str = Field(index=True)
    attempt: int
    person: str
    role: str
    reason: str
    lacking: tuple[str, ...] = word_list()
    at: datetime = utc()
