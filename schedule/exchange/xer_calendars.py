"""The calendar of an XER file: a cell of nested records, as `(0||2()((0||0(s|08:00|f|17:00)())))` for Monday."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta

from schedule.exchange.model import DAY, DayCalendar, Spans
from schedule.exchange.xer_writer import FIRST_DAY
from schedule.exchange.xml_reading import SHOWN, minute_of_day

TOKEN = re.compile(r"\((?P<head>\d+\|\|[^()]*)\((?P<facts>[^()]*)\)\(|\)\)")
STANDARD_WEEK: tuple[Spans, ...] = (((480, 720), (780, 1020)),) * 5 + ((), ())
"""Eight hours on five days: of a project without calendars."""
BETWEEN = re.compile("[\\s\x7f]+")


@dataclass
class _Node:
    """A record: its name, its facts by letter, and the records in it."""

    name: str
    facts: dict[str, str]
    parts: list[_Node] = field(default_factory=list)


def calendar_of(name: str, text: str) -> DayCalendar:
    """Return a calendar. Raise ValueError for a cell that cannot be read."""
    records = _records(text)
    if "DaysOfWeek" not in records:
        raise ValueError("the calendar has no week")
    week: list[Spans] = [()] * 7
    for day in records["DaysOfWeek"].parts:
        week[(int(day.name) - 2) % 7] = _spans(day)
    exceptions = {}
    for node in records["Exceptions"].parts if "Exceptions" in records else ():
        exceptions[_day(node.facts.get("d", ""))] = _spans(node)
    return DayCalendar(name, tuple(week), exceptions)


def _day(text: str) -> date:
    try:
        return FIRST_DAY + timedelta(days=int(text))
    except OverflowError:
        raise ValueError(f"day {text[:SHOWN]} is in no year") from None


def _records(text: str) -> dict[str, _Node]:
    """Return the records of a cell by their names. Every text between the marks belongs to a record."""
    plain = BETWEEN.sub("", text)
    found: dict[str, _Node] = {}
    open_nodes, at = [_Node("", {})], 0
    for token in TOKEN.finditer(plain):
        if token.start() != at:
            raise ValueError(f"{plain[at : at + 20]!r} is no record")
        at = token.end()
        if token["head"] is None:
            if len(open_nodes) == 1:
                raise ValueError("a record ends that has not begun")
            open_nodes.pop()
            continue
        parts = token["facts"].split("|")
        facts = dict(zip(parts[::2], parts[1::2], strict=False))
        name = token["head"].rpartition("||")[2]
        node = found[name] = _Node(name, facts)
        open_nodes[-1].parts.append(node)
        open_nodes.append(node)
    if at != len(plain) or len(open_nodes) != 1 or not found:
        raise ValueError("the calendar is not complete")
    return found


def _spans(node: _Node) -> Spans:
    spans = []
    for part in node.parts:
        if {"s", "f"} <= part.facts.keys():
            start, end = minute_of_day(part.facts["s"]), minute_of_day(part.facts["f"]) or DAY
            if end <= start:
                raise ValueError("working time ends before it begins")
            spans.append((start, end))
    return tuple(sorted(spans))
