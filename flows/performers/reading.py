"""Reads metrics from what the tools on a host printed, within bounds of time and memory: a host may print anything.

While a pattern is searched for, no other thread of a process goes on, not even the one that renews a lease. So a long text is read
in a process of its own (`python -m flows.performers.reading`), which the kernel ends when it has worked for too long.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from schedule.errors import ClusterwrightError
from steps.acceptance.handed import RawOutputs
from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from steps.acceptance.readers import READERS
from steps.value import text_value, value_text

SMALL = 50_000
"""How many characters of a host's outputs are read at once, in this process."""

SECONDS = 20
"""How long the processor may work on the outputs of a host."""

MEMORY = 1_000_000_000
"""The most memory that reading them may take, in bytes."""

SHOWN = 200
"""How many characters of another error are shown."""

WAIT_S = 10 * SECONDS
"""How long this process waits for the other one, beside whatever else the machine does."""


def read_metrics(
    metrics: Sequence[str],
    host: str,
    raw: RawOutputs,
    design: Mapping[str, Any],
    *,
    today: date,
) -> list[Measured]:
    """Return what `measure` returns. Where reading takes too much time or memory, nothing of this host is measured."""
    if sum(len(str(output)) for output in raw.values()) <= SMALL:
        return measure(metrics, host, raw, design, today=today)
    asked = json.dumps([SECONDS, list(metrics), host, raw, design, today], default=str)
    words = [sys.executable, "-P", "-m", __name__]
    try:
        ended = subprocess.run(words, input=asked, capture_output=True, text=True, check=False, timeout=WAIT_S)
    except subprocess.TimeoutExpired:
        return _not_measured(metrics, host)
    if ended.returncode < 0 or "MemoryError" in ended.stderr:
        return _not_measured(metrics, host)
    if ended.returncode:
        raise ClusterwrightError(f"the outputs of {host} cannot be read: {ended.stderr.strip()[-SHOWN:]}")
    return [Measured(row[0], text_value(row[1]), *row[2:]) for row in json.loads(ended.stdout)]


def _not_measured(metrics: Sequence[str], host: str) -> list[Measured]:
    why = (
        "not measured: to read what the tools of this host printed "
        f"takes more than {SECONDS} seconds, or more than {MEMORY // 1_000_000:,} MB"
    )
    known = [READERS[name] for name in dict.fromkeys(metrics) if name in READERS]
    return [Measured(metric.name, None, metric.unit, host, "", why) for metric in known]


def main() -> None:
    """Read what stdin asks for, and print the measurements as JSON."""
    seconds, metrics, host, raw, design, today = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    found = measure(metrics, host, raw, design, today=date.fromisoformat(today))
    rows = [measured._replace(value=value_text(measured.value)) for measured in found]
    sys.stdout.write(json.dumps(rows))


if __name__ == "__main__":
    main()
