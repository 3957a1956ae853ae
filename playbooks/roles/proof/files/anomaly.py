"""Proves that a degrading server is found: this one's processors are slowed until the anomaly is seen in the metrics database.

Arguments: this host's name, the database's address, seconds of patience. The kernel is asked to keep every processor at its lowest
clock, as heat or a power cap would; the limits of before come back whatever happens. Where the kernel has no such limit nothing
is measured: to slow the probe alone would prove nothing of the server.
"""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from series_found import missing

CPUFREQ = Path("/sys/devices/system/cpu/cpufreq")
SLOWED = 1.5
"""How many times as long as its like a server takes when the rule finds it."""


def limits(tree: Path) -> dict[Path, tuple[str, str]]:
    """Return the limit of each clock, with its value and the lowest that it can have."""
    return {
        policy / "scaling_max_freq": (
            (policy / "scaling_max_freq").read_text().strip(),
            (policy / "cpuinfo_min_freq").read_text().strip(),
        )
        for policy in sorted(tree.glob("policy*"))
    }


@contextmanager
def slowed(found: dict[Path, tuple[str, str]]) -> Iterator[None]:
    """Keep processors at their lowest clock for as long as the with block lasts."""
    try:
        for file, (_, lowest) in found.items():
            file.write_text(lowest)
        yield
    finally:
        for file, (before, _) in found.items():
            file.write_text(before)


def obstacle(found: dict[Path, tuple[str, str]]) -> str:
    """Return why this server cannot be slowed, or nothing."""
    if not found:
        return "this kernel sets no clocks of processors (cpufreq), so the server cannot be slowed on purpose"
    if any(int(before) < SLOWED * int(lowest) for before, lowest in found.values()):
        return f"the lowest clock is not {SLOWED} times slower than the limit"
    return ""


def main() -> None:
    """Slow this server, and look."""
    # a proof that is ended from outside must undo its drill as well
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda *_: sys.exit(1))
    host, url, patience_s = sys.argv[1:]
    query = f'ALERTS{{alertname="ServerSlowerThanItsLike", instance="{host}"}}'
    found = limits(CPUFREQ)
    said: dict = {"value": None, "note": obstacle(found)}
    if not said["note"]:
        with slowed(found):
            left = missing(url, [query], float(patience_s))
        said = {"value": len(left), "note": f"{len(found)} clocks of {host} at their lowest"}
    print(json.dumps({"anomaly.injected_missed": said}))


if __name__ == "__main__":
    main()
