"""Proves that a degrading server is found: this one is slowed until the anomaly is seen in the metrics database.

Arguments: this host's name, the database's address, seconds of patience. The kernel is asked to keep every processor at its lowest
clock, as heat or a power cap would. Where none can be set, what systemd starts on this server has to do without the vector and hash
instructions of its processors (OpenSSL). Clocks and the service manager's variables are put back whatever happens; a service that was started
meanwhile goes on without these instructions until it starts anew. Nothing is measured where fixed work takes a
service no longer than before, or where the anomaly is seen of a server that nobody has slowed.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from series_found import is_found, missing

CPUFREQ = Path("/sys/devices/system/cpu/cpufreq")
INSTRUCTIONS = {"OPENSSL_ia32cap": "0:0", "OPENSSL_armcap": "0"}
SLOWED = 1.5
"""How many times as long as its like a server takes when the rule finds it."""

WORK = """
import hashlib, time
def took():
    begun = time.process_time()
    hashlib.sha256(bytes(1 << 24))
    return time.process_time() - begun
print(min(took() for _ in range(5)))
"""


def limits(tree: Path) -> dict[Path, tuple[str, str]]:
    """Return the limit of each clock that can be set, with its value and the lowest that it can have."""
    return {
        policy / "scaling_max_freq": (
            (policy / "scaling_max_freq").read_text().strip(),
            (policy / "cpuinfo_min_freq").read_text().strip(),
        )
        for policy in sorted(tree.glob("policy*"))
        if os.access(policy / "scaling_max_freq", os.W_OK)
    }


@contextmanager
def slow_clocks(found: dict[Path, tuple[str, str]]) -> Iterator[str]:
    """Keep processors at their lowest clock for as long as the with block lasts."""
    try:
        for file, (_, lowest) in found.items():
            file.write_text(lowest)
        yield f"{len(found)} clocks at their lowest"
    finally:
        for file, (before, _) in found.items():
            file.write_text(before)


@contextmanager
def few_instructions() -> Iterator[str]:
    """Let services compute without the processor's own instructions for as long as the with block lasts."""
    try:
        settings = (f"{name}={value}" for name, value in INSTRUCTIONS.items())
        subprocess.run(["systemctl", "set-environment", *settings], check=True)
        yield "no clocks of processors can be set here, so services do without vector and hash instructions"
    finally:
        subprocess.run(["systemctl", "unset-environment", *INSTRUCTIONS], check=True)


def seconds() -> float:
    """Return how much processor time the work takes a service of this server."""
    service = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect"]
    ran = subprocess.run([*service, "python3", "-c", WORK], capture_output=True, text=True, check=True)
    return float(ran.stdout)


def is_clear(url: str, query: str, patience_s: float) -> bool:
    """Say whether a query finds nothing, or no longer before patience ends."""
    end = time.monotonic() + patience_s
    while found := is_found(url, query):
        if time.monotonic() > end:
            break
        time.sleep(1)
    return not found


def main() -> None:
    """Slow this server, and look."""
    host, url, patience_s = sys.argv[1:]
    query = f'ALERTS{{alertname="ServerSlowerThanItsLike", instance="{host}"}}'
    if not is_clear(url, query, float(patience_s)):
        raise SystemExit(f"{host} is slower than its like before anybody has slowed it")
    found, usual = limits(CPUFREQ), seconds()
    with slow_clocks(found) if found else few_instructions() as how:
        times = seconds() / usual
        missed = len(missing(url, [query], float(patience_s))) if times >= SLOWED else None
    note = f"{host} takes {times:.1f} times as long for fixed work: {how}"
    print(json.dumps({"anomaly.injected_missed": {"value": missed, "note": note}}))


if __name__ == "__main__":
    main()
