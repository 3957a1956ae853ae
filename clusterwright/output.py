"""What commands print: data on stdout, talk on stderr, one JSON document with --json.

Text that comes from hosts, files and people is stripped of control characters and never read as markup.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

CONTROLS = {i: None for i in (*range(32), *range(127, 160)) if i not in (9, 10)}


def plain(value: Any) -> Any:
    """Give a value made of dicts, lists, text, numbers and booleans only."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if hasattr(value, "_asdict"):
        return {k: plain(v) for k, v in value._asdict().items()}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(plain(k)): plain(v) for k, v in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(plain(v) for v in value)
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Decimal | Path):
        return str(value)
    return value


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False))


def say(text: str) -> None:
    """Talk to the person on stderr."""
    print(clean(text), file=sys.stderr, flush=True)


def clean(text: object) -> str:
    """Give text without terminal control characters."""
    return str(text).translate(CONTROLS)


def table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "", right: Sequence[int] = ()
) -> None:
    """Print a table; `right` are the columns of numbers. Colour only on a terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for index, header in enumerate(headers):
        shown.add_column(header, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(clean("" if cell is None else cell)) for cell in row))
    wide = None if sys.stdout.isatty() else 160
    Console(width=wide, highlight=False).print(shown)


def day(moment: datetime | date | None, zone: str) -> str:
    """Write a day: that of an instant in the site's time zone, a date as it is."""
    if isinstance(moment, datetime):
        moment = moment.astimezone(ZoneInfo(zone)).date()
    return "" if moment is None else moment.isoformat()


def minute(instant: datetime | None, zone: str) -> str:
    """Write the site-local day and minute of an instant."""
    return "" if instant is None else instant.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")


def days(hours: float, hours_per_day: float = 24.0) -> str:
    """Write hours as days with one decimal."""
    return f"{hours / hours_per_day:.1f} d"
