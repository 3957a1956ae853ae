"""Numbers, instants and names as the text of files: hours, ISO 8601, escaped XML."""

from __future__ import annotations

import re
from datetime import datetime
from xml.sax.saxutils import escape

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return text for an XML element. What XML has no character for is left out."""
    return escape(NOT_IN_XML.sub("", text))


def element(name: str, value: object) -> str:
    """Return an element of plain text, without escaping; empty for None."""
    return "" if value is None else f"<{name}>{value}</{name}>"


def iso(instant: datetime | None) -> str | None:
    """Return a wall-clock time as ISO 8601 has it, without an offset."""
    return None if instant is None else instant.strftime("%Y-%m-%dT%H:%M:%S")


def hours(minutes: int | None) -> str | None:
    """Return minutes as hours, exact to the second."""
    return None if minutes is None else f"{minutes / 60:.6f}".rstrip("0").rstrip(".")


def period(minutes: int) -> str:
    """Return minutes as an ISO 8601 duration, as Microsoft Project writes it."""
    whole, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else ''}PT{whole}H{rest}M0S"


def clock(minute: int) -> str:
    """Return a minute of the day as a time; 1440 is 00:00:00."""
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}:00"
