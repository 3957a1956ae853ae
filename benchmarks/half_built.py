"""A site in the middle of its build, for benchmarks of the screens: half of its plan is imported as done.

    python -m benchmarks.half_built FOLDER PRESET

It begins so long ago that half of its activities were to be finished by now. These are imported as finished to the day, with the
orders and deliveries that they needed.
"""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median_high
from typing import NamedTuple

from ledger.machine_time import machine_time
from ledger.questions.activities import activities
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from steps.stamps import stamp
from tests.commands import called

AGO_WEEKS = 90
"""How long ago it begins: longer than the largest preset's working schedule."""

HEADINGS = ("activity", "state", "started", "finished", "by", "note")


class Times(NamedTuple):
    """When a node starts and finishes."""

    start: datetime
    finish: datetime


def adopted(folder: Path, preset: str, start: datetime) -> None:
    """Make a site that starts on a day, and adopt its plan."""
    for words in (
        ("init", "--preset", preset, "--start", f"{start:%Y-%m-%d}", folder),
        ("plan", "adopt", "--site", folder, "--as", "owner", "--yes"),
    ):
        done = called(words, cwd=Path.cwd())
        if done.returncode:
            sys.exit(done.stderr)


def half(folder: Path) -> dict[str, Times]:
    """Return what was to be finished when half of all activities are, with what that waited for."""
    with open_snapshot(folder) as snapshot:
        site = site_of(snapshot)
        planned = {row.id: row.plan.dates for row in activities(snapshot) if row.plan.dates is not None}
        links = snapshot.ask('SELECT "before", "after" FROM link')
    assert site.plan_start is not None
    start = datetime.combine(site.plan_start, datetime.min.time(), UTC)
    middle = median_high(dates.early_finish for dates in planned.values())
    before: dict[str, list[str]] = {}
    for name, after in links:
        before.setdefault(after, []).append(name)
    times: dict[str, Times] = {}

    def work_out(name: str) -> Times | None:
        """Return the times of a node with all that it waits for. None where something of that is not over by the middle."""
        if name in times:
            return times[name]
        found = [work_out(other) for other in before.get(name, ()) if other in planned or "#" in other]
        if None in found:
            return None
        after = max([start, *(one.finish for one in found if one is not None)])
        dates = planned.get(name)
        own = Times(after, after) if dates is None else Times(dates.early_start, max(dates.early_finish, after))
        if own.finish > middle:
            return None
        times[name] = own
        return own

    sys.setrecursionlimit(100_000)
    for name in planned:
        work_out(name)
    return times


def main(folder: Path, preset: str) -> None:
    """Make the site."""
    today = machine_time()
    adopted(folder, preset, today - timedelta(weeks=AGO_WEEKS))
    path = folder / "half.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow(HEADINGS)
        for name, (start, finish) in half(folder).items():
            written.writerow((name, "done", stamp(start), stamp(finish), "owner", "before"))
    for words in (("import-progress", path, "--yes", "--as", "owner"), ("forecast",)):
        done = called((*words, "--site", folder), cwd=Path.cwd())
        print(done.stdout or done.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
