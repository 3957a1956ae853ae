"""What is known of the facility."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import SQLModel

from ledger.state.columns import NumberKey, Utc


class Fact(SQLModel, table=True):
    """One fact as a person recorded it. The last one of a name at a unit of the site counts."""

    __table_args__ = (Index("fact_unit", "unit", "name"),)
    seq: NumberKey
    ordinal: NumberKey
    unit: str
    name: str
    value: str
    unit_of_measure: str
    source: str
    activity: str
    person: str
    at: Utc
