"""What is known of the facility, and which of it activities ask for."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.columns import utc


class FactNeed(SQLModel, table=True):
    """A fact that an activity compares its design with; `options` are the words it may be, one a line."""

    __tablename__ = "fact_need"
    activity: str = Field(primary_key=True)
    ordinal: int = Field(primary_key=True)
    name: str
    unit_of_measure: str
    meaning: str
    options: str = ""
    evidence: str


class Fact(SQLModel, table=True):
    """One fact as somebody recorded it; the last of a name at a unit of the site holds."""

    __tablename__ = "fact"
    __table_args__ = (Index("fact_unit", "unit", "name"),)
    seq: int = Field(primary_key=True)
    ordinal: int = Field(primary_key=True)
    unit: str
    name: str
    value: str
    unit_of_measure: str
    source: str
    activity: str
    person: str
    at: datetime = utc()
