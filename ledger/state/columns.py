"""Columns that are stored as text: times in UTC, decimals, and lists of words as JSON. Money is never a float.

`ledger.state.projection.stored` writes the text. Questions read it back by the types of their rows' fields.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text
from sqlmodel import Field, SQLModel

if TYPE_CHECKING:
    from ledger.log.payload import Part


def primary_key() -> Any:
    """Return a column of the primary key."""
    return Field(primary_key=True)


def utc() -> Any:
    """Return a column of times, which may be empty."""
    return Field(default=None, sa_type=Text)


def word_list() -> Any:
    """Return a column of lists of words."""
    return Field(default=(), sa_type=Text)


def maybe_decimal() -> Any:
    """Return a column of decimals, which may be empty."""
    return Field(default=None, sa_type=Text)


def decimal() -> Any:
    """Return a column of decimals."""
    return Field(default=Decimal(0), sa_type=Text)


@cache
def columns_of(table: str) -> frozenset[str]:
    """Return the names of a table's columns."""
    return frozenset(SQLModel.metadata.tables[table].columns.keys())


@cache
def fields_in(table: str, part: type[Part]) -> tuple[str, ...]:
    """Return the fields of a payload, or of a part of one, that have the names of a table's columns."""
    return tuple(name for name in part.model_fields if name in columns_of(table))
