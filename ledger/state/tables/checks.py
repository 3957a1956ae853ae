"""Checklists: all entries of their items. The last entry of an item in an attempt counts."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.state.columns import primary_key, utc, word_list


class ItemCheck(SQLModel, table=True):
    """An item as somebody found it, passed where nothing is `failing`; its readings are measurements of the same event.

    `ncr` is the non-conformance to which a failed one belongs.
    """

    __tablename__ = "item_check"
    __table_args__ = (Index("item_check_item", "activity", "attempt", "item"),)
    seq: int = primary_key()
    item: str = primary_key()
    activity: str
    attempt: int
    failing: tuple[str, ...] = word_list()
    note: str
    serial: str
    photos: tuple[str, ...] = word_list()
    ncr: str | None = Field(default=None, index=True)
    person: str
    at: datetime = utc()
