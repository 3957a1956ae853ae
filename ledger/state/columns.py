"""Columns that are stored as text: times in UTC, decimals, and lists of words as JSON. Money is never a float.

`ledger.state.projection.stored` writes the text. Questions read it back by the types of their rows' fields.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Annotated

from sqlalchemy import Text
from sqlmodel import Field, SQLModel

from ledger.log.payload import Part

WordKey = Annotated[str, Field(primary_key=True)]
NumberKey = Annotated[int, Field(primary_key=True)]
"""Columns of the primary key."""

Indexed = Annotated[str, Field(index=True)]
"""Words by which rows are found."""

Utc = Annotated[datetime, Field(sa_type=Text)]
UtcOrNone = Annotated[datetime | None, Field(default=None, sa_type=Text)]
WordList = Annotated[tuple[str, ...], Field(default=(), sa_type=Text)]
Exact = Annotated[Decimal, Field(default=Decimal(0), sa_type=Text)]
ExactOrNone = Annotated[Decimal | None, Field(default=None, sa_type=Text)]


@cache
def columns_of(table: str) -> frozenset[str]:
    """Return the names of a table's columns."""
    return frozenset(SQLModel.metadata.tables[table].columns.keys())


@cache
def fields_in(table: str, part: type[Part]) -> tuple[str, ...]:
    """Return the fields of a payload, or of a part of one, that have the names of a table's columns."""
    return tuple(name for name in part.model_fields if name in columns_of(table))
