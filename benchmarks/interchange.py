"""How long it takes to write a large plan for other programs, and what MPXJ finds of it: `python -m benchmarks.interchange [--write]`.

The plan of xai-100k is written in each form, read by MPXJ, compared to the last link, and written again by MPXJ's own writer.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from clusterwright.planning import plan_of
from schedule.exchange.model import Exchange
from schedule.exchange.primavera import ID_FIELD
from schedule.exchange.reading import read_exchange
from schedule.exchange.writing import Form, write_exchange
from steps.planning.exchange.of_plan import exchange_of_plan
from tests.commands import called
from tests.schedule.exchanges import as_compared
from tests.schedule.lost import lost
from tests.schedule.mpxj_files import read_by_mpxj, write_by_mpxj

PRESET = "xai-100k"
ROUNDS = 3
EVIDENCE = Path(__file__).parent.parent / "docs" / "evidence" / "interchange.md"
WRITERS = {
    Form.MSPDI: "mspdi.MSPDIWriter",
    Form.PMXML: "primavera.PrimaveraPMFileWriter",
    Form.XER: "primavera.PrimaveraXERFileWriter",
}


class Measured(NamedTuple):
    """A form: seconds of our writer, our reader and MPXJ's writer, megabytes, what was lost, and what is carried otherwise."""

    form: Form
    ours_s: float
    read_s: float
    theirs_s: float
    size_mb: float
    lost: list[str]
    notices: tuple[str, ...]


def measured(found: Exchange, form: Form, folder: Path) -> Measured:
    """Return the figures of a form: the best time of several for ours, and for MPXJ's after it has the plan in memory."""
    path = folder / f"plan.{form}"
    times = []
    for _ in range(ROUNDS):
        began = perf_counter()
        notices = write_exchange(found, path, form)
        times.append(perf_counter() - began)
    began = perf_counter()
    back = read_exchange(path).schedule
    read_s = perf_counter() - began
    missing = [] if as_compared(back) == as_compared(found) else ["our own reader finds another schedule"]
    read = read_by_mpxj(path, id_field=ID_FIELD)
    missing += lost(found, read, has_baseline=form is not Form.XER)
    theirs = min(write_by_mpxj(path, folder / f"theirs.{form}", WRITERS[form], rounds=ROUNDS))
    return Measured(form, min(times), read_s, theirs, path.stat().st_size / 1e6, missing, tuple(notices))


def page(found: Exchange, rows: list[Measured], made_s: float) -> str:
    """Return the page of evidence."""
    lines = [
        f"| {row.form} | {row.ours_s:.2f} | {row.read_s:.2f} | {row.theirs_s:.2f} | {row.size_mb:.1f} | {len(row.lost)} |"
        for row in rows
    ]
    carried = [f"- {row.form}: {notice}." for row in rows for notice in row.notices]
    return f"""# A large plan in other programs

Written by `python -m benchmarks.interchange --write` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {os.cpu_count()} cores, {platform.machine()};
Python {platform.python_version()}; load {os.getloadavg()[0]:.1f} at the end. The best of {ROUNDS}, on the clock.

The preset `{PRESET}`: {len(found.tasks):,} tasks, {len(found.links):,} links, {len(found.assignments):,} assignments; its own dates stand in as
the baseline. The schedule is made of the plan in {made_s:.1f} s. MPXJ read each file, and its writer wrote what it had read.
Lost is what differs then: a task with its dates, duration, calendar, place and baseline, a link with its type and lag, a calendar,
an assignment. In XER the baseline is user fields, and is not compared with MPXJ's. Our reader found the same tasks, links and calendars.

| form | our writer, s | our reader, s | MPXJ's writer, s | MB | lost |
|---|---|---|---|---|---|
{chr(10).join(lines)}

What a form cannot have, and how it is carried ([all cases](../how-to/interchange.md)):

{chr(10).join(carried)}
"""


def main() -> None:
    """Print the page, and write it if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "xai"
        done = called(["init", "--preset", PRESET, site])
        assert done.returncode == 0, done.stderr
        plan = plan_of(site)
        began = perf_counter()
        schedule = exchange_of_plan(plan, baseline=plan).schedule
        made_s = perf_counter() - began
        rows = [measured(schedule, form, Path(scratch)) for form in WRITERS]
    found = page(schedule, rows, made_s)
    print(found)
    for row in rows:
        print(*row.lost[:20], sep="\n")
    if wanted.write:
        EVIDENCE.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
