"""XML of other programs as a tree without namespaces, read by defusedxml. A fault names the line of its element.

The tree itself has no lines: they are counted in a second pass, and only when there is a fault to report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from io import BytesIO
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from schedule.errors import InputError, Place
from schedule.files.grid import Faults, content_of
from schedule.files.terms import YEARS

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LARGEST = 512 * 1024 * 1024
PERIOD = re.compile(r"(-?)P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?")
SHOWN = 60
LARGEST_NUMBER = 10**12
MOST_MINUTES = 600_000_000
"""A thousand years of minutes: no work and no lag takes longer."""


class Located(NamedTuple):
    """An element, and which one of its name it is, from 0."""

    element: Element
    number: int

    def text(self, name: str) -> str:
        """Return the text of a child; empty where it has none."""
        return (self.element.findtext(name) or "").strip()


@dataclass
class XmlFile:
    """A file that is read, with the faults that were found in it."""

    path: Path
    content: bytes
    root: Element
    faults: Faults = field(default_factory=Faults)

    @contextmanager
    def at(self, one: Located, what: str = "") -> Iterator[None]:
        """Note a ValueError that is raised inside, with the line of the element."""
        try:
            yield
        except ValueError as error:
            said, _, hint = str(error).partition("; ")
            place = Place(str(self.path), self._lines[str(one.element.tag)][one.number], what or None)
            self.faults.say(said, place, hint or "correct the file, or export it again from the program that wrote it")

    @cached_property
    def _lines(self) -> dict[str, list[int]]:
        """The lines on which elements begin, by their name."""
        from xml.parsers import expat  # the content was parsed safely before

        found: dict[str, list[int]] = {}
        parser = expat.ParserCreate(namespace_separator="}")

        def start(name: str, _: object) -> None:
            found.setdefault(name.rpartition("}")[2], []).append(parser.CurrentLineNumber)

        parser.StartElementHandler = start
        parser.Parse(self.content, True)
        return found


def read_xml(path: Path) -> XmlFile:
    """Return the tree of a file. Raise InputError with the line for what is no XML, or has entities or a DTD."""
    content = content_of_schedule(path)
    try:
        root: Element | None = None
        for _, element in iterparse(BytesIO(content), events=("start",), forbid_dtd=True):
            root = element if root is None else root
            element.tag = element.tag.rpartition("}")[2]
    except ParseError as error:
        what = f"this is no XML: {str(error).partition(':')[0]}"
        raise InputError(what, hint="export the file again", place=Place(str(path), error.position[0])) from None
    except DefusedXmlException:
        what = "the file defines entities or a document type, which schedules have not"
        raise InputError(what, hint="export the file again", place=Place(str(path))) from None
    except (LookupError, ValueError) as error:
        raise InputError(
            f"the file cannot be decoded: {error}", hint="save it as UTF-8", place=Place(str(path))
        ) from None
    assert root is not None
    return XmlFile(path, content, root)


def content_of_schedule(path: Path) -> bytes:
    """Return the content of a file that a person names. Raise for one that cannot be read, is empty or too large."""
    content = content_of(path, LARGEST, "export one project")
    if not content.strip():
        raise InputError("the file is empty", hint="export it again", place=Place(str(path)))
    return content


def located(root: Element, name: str) -> Iterator[Located]:
    """Yield all elements of a name, wherever they are."""
    for number, element in enumerate(root.iter(name)):
        yield Located(element, number)


def whole_number(text: str) -> int:
    """Return a whole number, or raise ValueError."""
    try:
        found = int(text)
    except ValueError:
        raise ValueError(f"{text[:SHOWN]!r} is no whole number") from None
    if not abs(found) < LARGEST_NUMBER:
        raise ValueError(f"{text[:SHOWN]!r} is larger than any number of a schedule")
    return found


def instant_in(text: str) -> datetime | None:
    """Return a wall-clock time, to the minute; None for no text. Raise ValueError for what is no date, or has an offset."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.replace("/", "-")).replace(second=0, microsecond=0)
    except ValueError:
        raise ValueError(f"{text[:SHOWN]!r} is no date; write 2027-01-04T08:00:00") from None
    if found.tzinfo is not None:
        raise ValueError(f"{text[:SHOWN]!r} has an offset; write it in the site's time, as 2027-01-04T08:00:00")
    if found.year not in YEARS:
        raise ValueError(f"{text[:SHOWN]!r} is in no year from {YEARS[0]} to {YEARS[-1]}")
    return found


def number_in(text: str) -> float:
    """Return a number that is finite, or raise ValueError."""
    try:
        found = float(text)
    except ValueError:
        found = nan
    if not isfinite(found):
        raise ValueError(f"{text[:SHOWN]!r} is no number; write 12.5")
    return found


def minutes_of_hours(text: str) -> int | None:
    """Return hours as whole minutes; None for no text."""
    if not text:
        return None
    hours = number_in(text)
    if not abs(hours) * 60 < MOST_MINUTES:
        raise ValueError(f"{text[:SHOWN]!r} is no number of hours; write 12.5")
    return round(hours * 60)


def minutes_of_period(text: str) -> int | None:
    """Return an ISO 8601 duration as whole minutes; None for no text."""
    if not text:
        return None
    found = PERIOD.fullmatch(text)
    if found is None or len(text) > 40:
        raise ValueError(f"{text[:SHOWN]!r} is no length of time; write PT8H0M0S")
    days, hours, minutes = (int(part or 0) for part in found.groups()[1:4])
    whole = round(days * 1440 + hours * 60 + minutes + float(found[5] or 0) / 60)
    if whole > MOST_MINUTES:
        raise ValueError(f"{text[:SHOWN]!r} is longer than a thousand years; look at its unit")
    return -whole if found[1] else whole


def minute_of_day(text: str) -> int:
    """Return a time of day in minutes."""
    found = TIME.fullmatch(text.rpartition("T")[2])
    if found is None or int(found[1]) > 24 or int(found[2]) > 59:
        raise ValueError(f"{text[:SHOWN]!r} is no time of day; write 08:00:00")
    return int(found[1]) * 60 + int(found[2])
