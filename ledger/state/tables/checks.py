"""Checklists: all entries of their items. The last entry of an item in an attempt counts."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.state.columns import NumberKey, Utc, WordKey, WordList


class ItemCheck(SQLModel, table=True):
    """An item as somebody found it, passed where nothing is `failing`; its readings are measurements of the same event.

    `ncr` is the non-conformance to which a failed one belongs.
    """

    __tablename__ = "item_check"
    __table_args__ = (Index("item_check_item", "activity", "attempt", "item"),)
    seq: NumberKey
    item: WordKey
    activity: str
    attempt: int
    failing: WordList
    note: str
    serial: str
    photos: WordList
    ncr: str | None = Field(default=None, index=True)
    person: str
    at: Utc
