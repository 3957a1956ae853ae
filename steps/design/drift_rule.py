"""When an engine looks whether hosts still are as finished steps have set them."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator

from steps.catalog.schema import Closed

DAY_H = 24
LONGEST_D = 31


class DriftRule(Closed):
    """A look every so many hours, counted from a time of the day in the site's time zone."""

    every: Annotated[str, Field(description="as 24 h: hours that divide a day, or whole days")] = "24 h"
    at: Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description="as 02:00")] = "02:00"

    @field_validator("every")
    @classmethod
    def _whole(cls, value: str) -> str:
        found = re.fullmatch(r"([1-9][0-9]{0,2}) h", value)
        hours = int(found[1]) if found else 0
        if not hours or (DAY_H % hours and hours % DAY_H) or hours > LONGEST_D * DAY_H:
            raise ValueError("hours that divide a day, or whole days up to 31, as 6 h, 24 h or 168 h")
        return value

    def last_before(self, now: datetime, zone: str) -> datetime:
        """Return the last moment at which a look was due, at or before `now`."""
        there = now.astimezone(ZoneInfo(zone))
        hours = int(self.every.removesuffix(" h"))
        days = max(1, hours // DAY_H)
        today = there.date()
        moments = [
            datetime.combine(day, time.fromisoformat(self.at), ZoneInfo(zone)) + timedelta(hours=passed)
            for day in (today - timedelta(days=back) for back in range(days + 1))
            if _is_due(day, days)
            for passed in range(0, DAY_H, hours)
        ]
        return max(moment for moment in moments if moment <= there)


def _is_due(day: date, days: int) -> bool:
    return day.toordinal() % days == 0
