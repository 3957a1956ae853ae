"""Columns that are stored as text: times in UTC, decimals, and lists of words as JSON. Money is never a float.

`ledger.state.projection.stored` writes the text. Questions read it back by the types of their rows' fields.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import Text
from sqlmodel import Field


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
