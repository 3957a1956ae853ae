"""Writes the days that people keep as iCalendar (RFC 5545). Days alone are whole days, times are in UTC.

The id of an event follows from the site and the activity, so that a calendar that reads a later file moves its events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event

from schedule.exchange.model import Appointment, Exchange
from schedule.text import shown_in_line


def ics_of(found: Exchange) -> tuple[Iterator[str], Sequence[str]]:
    """Return the pieces of the file's text, and what iCalendar cannot have, in sentences."""
    calendar = Calendar()
    calendar.add("prodid", "-//Clusterwright//Schedule//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", shown_in_line(found.name))
    zone = ZoneInfo(found.zone or "UTC")
    stamp = _utc(found.data_date or found.start, zone)
    for one in found.appointments:
        calendar.add_component(_event(one, found.name, zone, stamp))
    counted = f"{len(found.appointments):,} days that people keep"
    notice = (
        f"iCalendar has {counted}: until when to order, milestones and inspections. It has no tasks, links and baseline"
    )
    return iter([calendar.to_ical().decode()]), (notice,)


def _event(one: Appointment, site: str, zone: ZoneInfo, stamp: datetime) -> Event:
    event = Event()
    event.add("uid", f"{one.kind.replace(' ', '-')}.{one.id}.{site}@clusterwright")
    event.add("dtstamp", stamp)
    event.add("summary", shown_in_line(f"{one.title} ({one.id})"))
    event.add("categories", [one.kind])
    event.add("transp", "OPAQUE" if one.kind == "inspection" else "TRANSPARENT")
    if one.finish is None:
        event.add("dtstart", one.start.date())
    else:
        event.add("dtstart", _utc(one.start, zone))
        event.add("dtend", _utc(one.finish, zone))
    if one.note:
        event.add("description", shown_in_line(one.note))
    return event


def _utc(local: datetime, zone: ZoneInfo) -> datetime:
    return local.replace(tzinfo=zone).astimezone(UTC)
