"""The lines above the columns of activities.csv: when the project starts, its data date, its time zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schedule.errors import InputError, Place
from schedule.files.grid import Faults, Numbered, plain_name
from schedule.files.terms import SHOWN, instant_of

START = "start"
DATA_DATE = "data date"
ZONE = "time zone"
FACTS = (START, DATA_DATE, ZONE)
UTC = "UTC"


@dataclass(frozen=True)
class Head:
    """What the lines say."""

    start: datetime
    data_date: datetime | None
    zone: str


def read_head(path: Path, rows: Sequence[Numbered]) -> tuple[Head, Sequence[Numbered]]:
    """Return the facts, and the rows from the columns on. Raise InputError for what is missing or means nothing."""
    said: dict[str, tuple[str, Place]] = {}
    body = list(rows)
    while body and plain_name(body[0][1][0]) in FACTS:
        line, (fact, *cells) = body.pop(0)
        name = plain_name(fact)
        place = Place(str(path), line, name)
        if name in said:
            raise InputError(f"{name!r} is there twice", hint="take one of them out", place=place)
        said[name] = (next(filter(None, cells), ""), place)
    if START not in said:
        hint = "write `start,2027-01-04` on a line above the columns"
        raise InputError("the file does not say when the project starts", hint=hint, place=Place(str(path), 1))
    zone = _zone(*said[ZONE]) if ZONE in said else UTC
    faults = Faults()
    instants: dict[str, datetime] = {}
    for name in (START, DATA_DATE):
        if name in said:
            text, place = said[name]
            with faults.at(place):
                instants[name] = instant_of(text, zone)
    faults.end()
    return Head(instants[START], instants.get(DATA_DATE), zone), body


def _zone(text: str, place: Place) -> str:
    try:
        return ZoneInfo(text).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = "write a zone such as Europe/Berlin or UTC"
        raise InputError(f"there is no time zone {text[:SHOWN]!r}", hint=hint, place=place) from None
