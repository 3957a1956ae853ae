"""Columns that hold text: instants as UTC text, figures as decimal text, lists of words as JSON. Never a float for money.

`ledger.state.projection.stored` makes the text. Questions read it back by the types of their rows.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import Text
from sqlmodel import Field


def utc() -> Any:
    """Return a column of instants, which may be empty."""
    return Field(default=None, sa_type=Text)


def word_list() -> Any:
    """Return a column of lists of words."""
    return Field(default=(), sa_type=Text)


def maybe_decimal() -> Any:
    """Return a column of decimals that may not be known."""
    return Field(default=None, sa_type=Text)


def decimal() -> Any:
    """Return a column of decimals."""
    return Field(default=Decimal(0), sa_type=Text)
