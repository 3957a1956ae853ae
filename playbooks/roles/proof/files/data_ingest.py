"""Proves that a data set from outside is here as its source lists it: waits for the first set to be moved, and reads all of it again.

Argument: for how many seconds to wait.
"""

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

METRIC = "ingest.checksum_failures"
SETTINGS = Path("/etc/clusterwright/ingest.json")


def differing(place: Path) -> "list[str]":
    """Return the files of a set that have not the digests of its list."""
    # a file may be larger than the memory
    command = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    ran = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    wrong = [line.rpartition(": FAILED")[0] for line in ran.stdout.splitlines()]
    return wrong or [ran.stderr.strip()] * bool(ran.returncode)


def state(unit: str) -> str:
    """Return what systemd says of a service."""
    command = ["systemctl", "show", "--value", "--property=ActiveState", unit]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def find(seconds: float) -> "tuple[int | None, str]":
    """Wait for the first set, read it."""
    settings = json.loads(SETTINGS.read_text())
    if not settings["sets"]:
        return None, "data_ingest_sets is empty: name a reference set"
    name, source = next(iter(settings["sets"].items()))
    place, unit, end = Path(settings["folder"]) / name, f"data-ingest@{name}.service", time.monotonic() + seconds
    while not place.exists() and state(unit) in ("activating", "active", "reloading") and time.monotonic() < end:
        time.sleep(1)
    report = place.with_name(f"{name}.ingest.json")
    said = json.loads(report.read_text()) if report.exists() else {}
    if not place.exists():
        bad = [*said.get("wrong", ()), *said.get("missing", ())]
        return (
            (len(bad), f"{name} is not in place: {', '.join(bad[:5])}")
            if bad
            else (None, f"{name} did not arrive from {source['url']}")
        )
    wrong = differing(place)
    if hashlib.sha256((place / "SHA256SUMS").read_bytes()).hexdigest() != source["sums_sha256"]:
        wrong.append("SHA256SUMS")
    rate = said["fetched"] / max(said["seconds"], 0.1) / 1e6
    note = f"{name}: {said['files']} files, {said['bytes'] / 1e6:.0f} MB; the last attempt moved {said['fetched'] / 1e6:.0f} MB at {rate:.1f} MB/s"
    return len(wrong), "; ".join(wrong[:5]) or note


def main() -> None:
    """Wait, read, report."""
    value, note = find(float(sys.argv[1]))
    print(json.dumps({METRIC: {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
