"""Says whether a window of maintenance is open, such as `Sat,Sun 22:00-04:00 Europe/Berlin`: `maintenance_window.py WINDOW`.

The exit code is 0 where it is open, 1 where it is not, and 2 where it is not one. A window begins on its days, on each day where it
names none, and may end on the next. The control node asks, whose zones are known: a host without them would take its own time for the site's.
"""

import re
import sys
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FORM = re.compile(r"(?:([A-Z][a-z]{2}(?:,[A-Z][a-z]{2})*) )?([0-2]\d:[0-5]\d)-([0-2]\d:[0-5]\d) (\S+)")


def main() -> None:
    """Say which time it is there, beside the window, and whether that is in it."""
    window = sys.argv[1]
    if not window:
        print("no window is stated: set maintenance_window, such as `Sat,Sun 22:00-04:00 Europe/Berlin`")
        sys.exit(1)
    try:
        open_now, now = is_open(window, datetime.now(UTC))
    except ValueError as error:
        print(error)
        sys.exit(2)
    print(f"it is {now:%a %H:%M} there, {'in' if open_now else 'outside of'} the window {window}")
    sys.exit(0 if open_now else 1)


def is_open(window: str, now: datetime) -> tuple[bool, datetime]:
    """Return whether a window is open, and the time in its zone. Raise ValueError for what is no window."""
    found = FORM.fullmatch(window)
    days = set((found[1] or ",".join(DAYS)).split(",")) if found else set()
    if not found or not days <= set(DAYS) or found[2] == found[3]:
        raise ValueError(f"`{window}` is no window: write it as `Sat,Sun 22:00-04:00 Europe/Berlin`")
    try:
        there = now.astimezone(ZoneInfo(found[4]))
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"`{found[4]}` of the window `{window}` is no time zone that is known here") from error
    begin, end, time = found[2], found[3], f"{there:%H:%M}"
    today, yesterday = DAYS[there.weekday()], DAYS[there.weekday() - 1]
    if begin < end:
        return today in days and begin <= time < end, there
    return (today in days and time >= begin) or (yesterday in days and time < end), there


if __name__ == "__main__":
    main()
