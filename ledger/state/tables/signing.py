"""Keys that count, what was signed with them, delegations and broken glass."""

from __future__ import annotations

from sqlmodel import Field, SQLModel

from ledger.state.columns import Indexed, NumberKey, Utc, UtcOrNone, WordKey, WordList


class KeyTable(SQLModel, table=True):
    """A person's public key, and the time in which it is valid. `until` is None while it is not revoked."""

    __tablename__ = "signer_key"
    seq: NumberKey
    person: WordKey
    key: str
    since: Utc
    until: UtcOrNone
    reason: str = ""


class Statement(SQLModel, table=True):
    """A statement that a person signed. Its nonce is used only once. The event has the text and the signature."""

    seq: NumberKey
    nonce: str = Field(index=True, unique=True)
    subject: Indexed
    person: str
    decision: str


class Delegation(SQLModel, table=True):
    """A person acts in another's role for a time. `withdrawn_at` is None unless it ended early."""

    id: WordKey
    person: str
    to: Indexed
    role: str
    since: Utc
    until: Utc
    withdrawn_at: UtcOrNone
    reason: str


class Override(SQLModel, table=True):
    """An activity that passed against its policy. It is never removed."""

    seq: NumberKey
    activity: Indexed
    attempt: int
    person: str
    role: str
    reason: str
    lacking: WordList
    at: Utc
