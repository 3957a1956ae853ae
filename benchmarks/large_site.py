"""How long commands take on the site of 100,000 GPUs, each in a process of its own, from the files to the last line.

python -m benchmarks.large_site           print what was measured
python -m benchmarks.large_site --write   and write docs/evidence/large-site.md

Peers have no such commands. What each took on 24 November is beside it, measured on the same machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

EVIDENCE = Path(__file__).parents[1] / "docs" / "evidence" / "large-site.md"
CLUSTERWRIGHT = str(Path(sys.executable).parent / "clusterwright")
ROUNDS = 3
MB = 1024
MOST_MB = 800
LOOK_S = 0.02
"""Between two looks at the memory of a process."""


class Run(NamedTuple):
    """A command in a process of its own: seconds until a line was printed, and until it ended, of the clock.

    And what the whole process took: seconds of the processors, and its most memory in MB.
    """

    until: float
    took: float
    processor_s: float
    memory_mb: float


class Row(NamedTuple):
    """A command, seconds that it may take (0 for any) and took before, and the fastest of its runs."""

    name: str
    goal_s: float
    before_s: float | None
    run: Run


class Measured(NamedTuple):
    """A row a command, and the bytes of all evidence after the first and after the second adoption."""

    rows: list[Row]
    first: int
    second: int


def timed(words: list[str], line: str = "") -> Run:
    """Return how long a command took, and until it printed a line with these words; the end where none is named."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [CLUSTERWRIGHT, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | ({"PYTHONUNBUFFERED": "1"} if line else {}),
    )
    until: list[float] = []

    def read() -> None:
        assert process.stdout
        until.extend(time.perf_counter() - began for printed in process.stdout if line and line in printed)

    most = [0.0]

    def watch() -> None:
        while mb := _most_mb(process.pid):
            most.append(mb)
            time.sleep(LOOK_S)

    threads = [threading.Thread(target=read), threading.Thread(target=watch)]
    for thread in threads:
        thread.start()
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    for thread in threads:
        thread.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"clusterwright {' '.join(words)} ended with {process.returncode}")
    return Run(until[0] if until else took, took, used.ru_utime + used.ru_stime, max(most))


def _most_mb(pid: int) -> float:
    """Return the most memory that a process has had, in MB; 0 once it has ended. What it was forked from does not count."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    found = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(next(found, 0)) / MB


def cold(words: list[str]) -> Run:
    """Return a run that makes all machine code anew, as the first one on a machine does. What was kept is back afterwards."""
    from schedule.machine_code import SOURCES

    kept = SOURCES / "__pycache__"
    aside = kept.with_name("kept-machine-code")
    kept.rename(aside)
    try:
        return timed(words, "With unlimited crews")
    finally:
        shutil.rmtree(kept, ignore_errors=True)
        aside.rename(kept)


def fastest(run: Callable[[], Run]) -> Run:
    """Return the run of a few whose line came first."""
    return min(run() for _ in range(ROUNDS))


def measured(site: Path) -> Measured:
    """Return what was measured. The last rows adopt the plan, and another one of fewer servers."""
    at = ["--site", str(site)]

    def adopt(reason: str) -> Run:
        return timed(["plan", "adopt", "--as", "owner", "--yes", "--reason", reason, *at], "adopted ")

    adopted = adopt("first plan")
    rows = [
        Row("`plan`, dates on the screen", 3.0, 5.43, fastest(lambda: timed(["plan", *at], "With unlimited crews"))),
        Row("the same, the first time on a machine", 0.0, None, cold(["plan", *at])),
        Row("`plan`, with P50 and P80", 5.0, 12.82, fastest(lambda: timed(["plan", *at]))),
        Row("`plan --json`, with P50 and P80", 3.0, 15.23, fastest(lambda: timed(["plan", "--json", *at]))),
        Row(
            "`plan --dates --json`, without odds", 3.0, None, fastest(lambda: timed(["plan", "--dates", "--json", *at]))
        ),
        Row("`plan diff`", 3.0, 6.16, fastest(lambda: timed(["plan", "diff", *at]))),
        Row("`forecast`, as it is kept", 0.5, None, fastest(lambda: timed(["forecast", *at]))),
        Row("`list`", 1.0, 8.6, fastest(lambda: timed(["list", *at]))),
        Row("`orders`", 1.0, 8.6, fastest(lambda: timed(["orders", *at]))),
        Row("`status`", 0.0, None, fastest(lambda: timed(["status", *at]))),
        Row("`plan adopt`, on record", 5.0, 8.94, adopted),
        Row("`plan adopt`, with the new forecast", 0.0, 18.78, adopted._replace(until=adopted.took)),
    ]
    file, first = site / "site.yaml", stored(site)
    file.write_text(file.read_text(encoding="utf-8").replace("overrides: {}", "overrides: {nodes: 12400}"))
    again = adopt("fewer servers")
    rows.append(Row("`plan adopt` of a second revision, on record", 5.0, 9.43, again))
    return Measured(rows, first, stored(site))


def stored(site: Path) -> int:
    """Return the bytes of all evidence."""
    return sum(path.stat().st_size for path in (site / "evidence").rglob("*") if path.is_file())


def page(found: Measured) -> str:
    """Return the evidence page."""
    rows, first, second = found
    return f"""# Commands on a site with 100,000 GPUs

Written by `python -m benchmarks.large_site --write` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {os.cpu_count()} cores, {platform.machine()};
Python {platform.python_version()}; load {os.getloadavg()[0]:.1f} at the end. The fastest of {ROUNDS} runs, adoptions once.

The preset `xai-100k`: 196 pods, 17,000 activities, 2,000 orders, 87,000 links. Seconds are those of a fresh process, from the files to
the line that counts, or to its end. Processor seconds and memory are of the whole process; samples use all processors. Before:
the head of 24 November (b3d32de9) on the same machine, on 27 November; lists and orders are from before plans were levelled. The first plan on a machine makes
the machine code of the engines. No command may take more than {MOST_MB} MB. `tests/clusterwright/test_large_site.py` fails where a
command takes more of the processors or of memory than this page says.

| command | s | goal | before | processor s | most memory |
|---|---|---|---|---|---|
{chr(10).join(map(_line, rows))}

{_beside_the_odds(rows)}

The first revision takes {first / 1e6:.1f} MB of evidence, the second {(second - first) / 1e6:.1f} MB (goal 3; before, 36). It is stored
whole: nothing is written twice in the document of a plan, so that a difference would save little, and each revision can be read by itself.
"""


def _beside_the_odds(rows: list[Row]) -> str:
    """Return why two goals are out of reach beside that of P50 and P80, and by how much."""
    by_name = {row.name: row.run for row in rows}
    odds, json = by_name["`plan`, with P50 and P80"], by_name["`plan --json`, with P50 and P80"]
    adopted = by_name["`plan adopt`, on record"].until - odds.took
    return f"""Two goals cannot be met beside the 5 s of P50 and P80, which these commands need before they are done. `plan --json` is one document
that has them; its {json.processor_s:.1f} s of processors are {json.processor_s / 2:.1f} s on two cores at the least. `plan --dates --json` draws
no samples, and the dates of the plan in force are JSON within a second (`list --json`). The first adoption commits to P80, and
takes {adopted:.1f} s beyond that."""


def _line(row: Row) -> str:
    run = row.run
    goal = f"{row.goal_s:g}: {'met' if run.until <= row.goal_s else 'missed'}" if row.goal_s else ""
    before = "" if row.before_s is None else f"{row.before_s:g}"
    return f"| {row.name} | {run.until:.2f} | {goal} | {before} | {run.processor_s:.2f} | {run.memory_mb:,.0f} MB |"


class Published(NamedTuple):
    """What the page says that a command takes."""

    processor_s: float
    memory_mb: float


def published(command: str) -> Published:
    """Return what the page says of a command, by the name of its row."""
    lines = EVIDENCE.read_text(encoding="utf-8").splitlines()
    (row,) = (line for line in lines if line.startswith(f"| {command} |"))
    *_, processor, memory, _ = (cell.strip() for cell in row.split("|"))
    return Published(float(processor), float(memory.removesuffix(" MB").replace(",", "")))


def main() -> None:
    """Print the page, and write it if asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "xai"
        subprocess.run([CLUSTERWRIGHT, "init", "--preset", "xai-100k", str(site)], check=True, capture_output=True)
        timed(["plan", "--gantt", "--site", str(site)])  # the machine code is made once on a machine
        found = page(measured(site))
    print(found)
    if wanted.write:
        EVIDENCE.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
