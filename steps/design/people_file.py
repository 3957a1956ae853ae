"""People in a CSV file beside site.yaml: a line a person, under the names of the keys that a person has there.

The list of a hundred people comes from somewhere else, often a spreadsheet. `roles` are separated by semicolons, commas or blanks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schedule.errors import InputError, Place, UnreachableError
from steps.yaml_lines import LARGEST, Lines

COLUMNS = ("id", "name", "roles", "organisation", "account", "ssh_key")
REQUIRED = frozenset({"id", "roles"})


def people_in(path: Path) -> tuple[list[dict[str, Any]], Lines]:
    """Return the people of a CSV file as site.yaml would have them, and the line of each value. What is empty is left out."""
    text = _text(path)
    # spreadsheets write semicolons where the comma is the decimal sign
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    people: list[dict[str, Any]] = []
    lines: Lines = {}
    at: dict[str, int] = {}
    try:
        columns = _known(reader.fieldnames or (), path)
        for index, row in enumerate(reader):
            line = reader.line_num
            if None in row:
                what = f"more values than the {len(columns)} columns"
                raise InputError(what, hint="write ; between roles", place=Place(str(path), line))
            person = _person(row)
            first = at.setdefault(person.get("id", f"line {line}"), line)
            if first != line:
                hint = "an id belongs to one person"
                raise InputError(f"{person['id']} is in line {first} too", hint=hint, place=Place(str(path), line))
            people.append(person)
            lines |= {("people", index): line} | {("people", index, name): line for name in COLUMNS}
    except csv.Error as error:
        raise InputError(f"not a CSV file: {error}", place=Place(str(path), reader.reader.line_num)) from None
    if not people:
        raise InputError("names nobody", hint="a line for each person under the first one", place=Place(str(path), 1))
    return people, lines


def _person(row: Mapping[str, str | None]) -> dict[str, Any]:
    given = {name: value.strip() for name, value in row.items() if value and value.strip()}
    roles = [role for role in re.split(r"[;,\s]+", given.get("roles", "")) if role]
    return {**given, "roles": roles} if roles else dict(given)


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
        if len(content) > LARGEST:
            raise InputError(f"{path} has more than {LARGEST:,} bytes", hint="name a list of people")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise UnreachableError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text", hint="save it as `CSV UTF-8`") from None


def _known(found: Sequence[str], path: Path) -> Sequence[str]:
    """Return the names of the columns. Raise InputError for one that is unknown or missing."""
    unknown = [name for name in found if name not in COLUMNS]
    missing = [name for name in COLUMNS if name in REQUIRED and name not in found]
    if unknown or missing:
        what = f"there is no column {unknown[0]!r}" if unknown else f"the column {missing[0]!r} is missing"
        raise InputError(
            what, hint=f"the first line names the columns: {', '.join(COLUMNS)}", place=Place(str(path), 1)
        )
    return found
