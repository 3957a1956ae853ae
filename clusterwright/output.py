"""What commands print: data on stdout, talk on stderr, one JSON document with --json.

Text that comes from hosts, files and people is shown with its hidden marks made visible, and never read as markup.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from math import isfinite
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from schedule.errors import ClusterwrightError
from schedule.text import shown, shown_in_json, shown_in_line
from steps.stamps import local_day

Cells = tuple[object, ...]
"""A row of a table, as it is printed."""

Document = dict[str, Any]
"""What --json prints: an object with keys that stay."""


MINUTES_OF_DAY = 1440
WIDE = 160
"""How wide a table is that is no terminal's."""
PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types whose values are written as they are."""


def plain(value: Any) -> Any:
    """Return a value made of dicts, lists, text, numbers and booleans only. Sets become sorted lists.

    `pydantic_core.to_jsonable_python` writes rows, which are named tuples, as lists without names.
    """
    if type(value) in PLAIN:
        return value
    if type(value) is dict:  # most of what is printed, and the questions below take longer than the answer
        return {
            key if type(key) is str else str(plain(key)): each if type(each) in PLAIN else plain(each)
            for key, each in value.items()
        }
    if type(value) is tuple or type(value) is list:
        return [each if type(each) in PLAIN else plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if names := _field_names(value):
        return {name: plain(getattr(value, name)) for name in names}
    match value:
        case Mapping():
            return {str(plain(key)): plain(each) for key, each in value.items()}
        case Decimal() | Path():
            return str(value)
        case AbstractSet():
            return sorted(map(plain, value))
        case list() | tuple():
            return [plain(each) for each in value]
        case _:
            return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def _field_names(record: Any) -> Sequence[str]:
    """Return the names of the fields of a record of any kind; none for what is no record."""
    if is_dataclass(record) and not isinstance(record, type):
        return [field.name for field in fields(record)]
    names: Sequence[str] = getattr(record, "__struct_fields__", getattr(record, "_fields", ()))
    return names


def print_json(value: Any) -> None:
    """Print one JSON document."""
    from msgspec.json import encode  # the standard library takes five times as long, and indents in Python
    from msgspec.json import format as indented

    document = plain(value)
    try:
        text = encode(document).decode()
    except UnicodeEncodeError:  # halves of characters, which names of files may have
        text = json.dumps(document)
    print(indented(shown_in_json(text), indent=2))


def say(text: str) -> None:
    """Talk to the person on stderr."""
    print(clean(text), file=sys.stderr, flush=True)


def reason(error: ClusterwrightError) -> str:
    """Return what an error says and what to do, in one line."""
    return f"{error.what}; {error.hint}" if error.hint else error.what


def clean(text: object) -> str:
    """Return text of our own sentences, with visible signs in the place of marks that cannot be seen."""
    return shown(text)


def in_line(text: object) -> str:
    """Return text from people, files or hosts in one line: it cannot look like a line of ours."""
    return shown_in_line(text)


def print_lines(lines: Iterable[object]) -> None:
    """Print lines that have text from people, files or hosts in them."""
    for line in lines:
        print(in_line(line))


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[int] = (),
    empty: str = "",
) -> None:
    """Print a table; `right` are the columns of numbers. Where there are no rows, say what `empty` says instead."""
    rows = list(rows)
    if empty and not rows:
        say(empty)
        return
    from clusterwright.columns import lines_of  # Rich, which neither `status` nor --json needs

    if title:
        print(title)
    texts = [[in_line("" if cell is None else cell) for cell in row] for row in rows]
    wide = get_terminal_size().columns if sys.stdout.isatty() else WIDE
    print(*lines_of(headers, texts, wide, right), "", sep="\n")


def day(moment: datetime | date | None, zone: str) -> str:
    """Return a day as text: of an instant that in the site's time zone, of a date itself. Empty for None."""
    if isinstance(moment, datetime):
        moment = local_day(moment, zone)
    return "" if moment is None else moment.isoformat()


def signed_days(minutes: float) -> str:
    """Return minutes as days with their sign and one decimal."""
    return f"{minutes / MINUTES_OF_DAY:+z.1f}"


def days(hours: float, hours_per_day: float = 24.0) -> str:
    """Return hours as days with one decimal."""
    return f"{hours / hours_per_day:.1f} d"


def number(value: float, unit: str = "", places: int | None = None) -> str:
    """Return a number as text, with thousands set apart. Large ones and whole ones have no places."""
    if not isfinite(value):
        return "never"
    if places is None:
        is_plain = value == int(value) or abs(value) >= 1000
        places = 0 if is_plain else 1 if abs(value) >= 10 else 2
    return f"{value:,.{places}f} {unit}".rstrip()


def money(usd: float) -> str:
    """Return dollars in short: $1.2 M."""
    for size, letter in ((1e9, " bn"), (1e6, " M"), (1e3, " k")):
        if abs(usd) >= size:
            return f"${usd / size:,.1f}{letter}"
    return f"${usd:,.2f}"
