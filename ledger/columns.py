"""Column types: instants as UTC text, figures as decimal text, lists as JSON. Never a float for money."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field

from ledger.stamps import instant, stamp


class UtcText(TypeDecorator[datetime]):
    """An instant, stored as fixed-width UTC text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Give the text to store."""
        return None if value is None else stamp(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give the instant that was stored."""
        return instant(value)


class DecimalText(TypeDecorator[Decimal]):
    """A decimal, stored as its digits."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Give the digits to store."""
        return None if value is None else format(Decimal(value), "f")

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Decimal | None:  # noqa: ARG002
        """Give the decimal that was stored."""
        return None if value is None else Decimal(value)


class ListText(TypeDecorator[tuple[str, ...]]):
    """A list of words, stored as a JSON array."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Give the JSON to store."""
        return json.dumps(list(value or ()), ensure_ascii=False)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> tuple[str, ...]:  # noqa: ARG002
        """Give the words that were stored."""
        return tuple(json.loads(value)) if value else ()


def utc() -> Any:
    """Give a column of instants."""
    return Field(default=None, sa_type=UtcText)


def word_list() -> Any:
    """Give a column of lists of words."""
    return Field(default=(), sa_type=ListText)


def maybe_decimal() -> Any:
    """Give a column of decimals that may not be known."""
    return Field(default=None, sa_type=DecimalText)


def decimal() -> Any:
    """Give a column of decimals."""
    return Field(default=Decimal(0), sa_type=DecimalText)
