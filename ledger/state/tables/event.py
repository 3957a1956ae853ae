"""The append-only event table, and the accounts that appended to a shared log. Text columns have exactly the hashed text."""

from __future__ import annotations

from sqlalchemy import Index, text
from sqlmodel import SQLModel

from ledger.rules.activity import BEYOND
from ledger.state.columns import Indexed, NumberKey

AGAINST = """instr(payload, '"ncr":"') AND instr(payload, '"ncr_class":"A"')"""
"""Which events open a non-conformance of class A."""


class EventTable(SQLModel, table=True):
    """An event. Text columns have exactly the text that was hashed."""

    __tablename__ = "event"
    __table_args__ = (
        Index("event_beyond", "kind", "subject", sqlite_where=text(BEYOND)),
        Index("event_against", "subject", sqlite_where=text(AGAINST)),
    )
    seq: NumberKey
    recorded_at: str
    effective_at: str
    actor: str
    kind: str
    schema_version: int
    subject: Indexed
    plan_revision: int
    payload: str
    prev_hash: str
    hash: str
    signature: str | None = None


class Appended(SQLModel, table=True):
    """The account of the database that appended an event, as the server noted it. Only a copy of a shared log has rows here."""

    seq: NumberKey
    account: str
