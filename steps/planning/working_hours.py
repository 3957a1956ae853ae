"""Working days and hours in words. Reading commands import this module, so it imports nothing that is slow to import."""

from __future__ import annotations

from collections.abc import Sequence

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DAY_H = 24.0


def in_words(days: Sequence[int], hours: tuple[float, float]) -> str:
    """Return working days and hours as `Mon-Sat 06:00-16:00`. An end above 24 is on the next day: `Mon-Fri 22:00-06:00`."""
    opens, closes = hours
    if closes - opens == DAY_H:
        return f"{_days(sorted(days))} around the clock"
    return f"{_days(sorted(days))} {_time(opens)}-{_time(closes)}"


def _days(days: Sequence[int]) -> str:
    """Return weekdays, ISO and in order; three and more in a row by the first and the last."""
    names = [DAYS[day - 1] for day in days]
    is_row = len(days) > 2 and days[-1] - days[0] == len(days) - 1
    return f"{names[0]}-{names[-1]}" if is_row else ", ".join(names)


def _time(hour: float) -> str:
    whole, part = divmod(hour if hour <= DAY_H else hour - DAY_H, 1)
    return f"{int(whole):02}:{round(part * 60):02}"
