"""The time zone in which an audit shows times to people. A record that may be damaged is asked for it, and so it always answers."""

from __future__ import annotations

import sqlite3
from zoneinfo import ZoneInfo

UNKNOWN = "UTC"

_ZONE = """
SELECT coalesce((SELECT time_zone FROM plan_revision ORDER BY revision DESC LIMIT 1), time_zone) FROM site"""


def zone_of(db: sqlite3.Connection) -> str:
    """Return the site's time zone. UTC where the record does not say one that exists."""
    try:
        row = db.execute(_ZONE).fetchone()
        return ZoneInfo(str(row[0])).key if row else UNKNOWN
    except (sqlite3.Error, ValueError, OSError, KeyError):
        return UNKNOWN
