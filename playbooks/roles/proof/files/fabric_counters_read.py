"""Proves that every port that is drawn is read, and how far apart readings are. Argument: the file of the series.

Waits for three readings. Prometheus may scrape more rarely; what it misses is the exporter's affair (step 167).
"""

import json
import re
import sys
import time
from itertools import pairwise
from pathlib import Path

from fabric_view import drawn

READINGS, PATIENCE_S = 3, 300
WHEN = re.compile(r"^infiniband_collected_timestamp_seconds (\S+)$", re.MULTILINE)
PORT = re.compile(r'^infiniband_port_symbol_errors_total\{node="(.*)",port="(\d+)"\} ', re.MULTILINE)
SHOWN = 5


def main() -> None:
    """Watch the file, then hold its ports against what is drawn."""
    file = Path(sys.argv[1])
    times, end = [], time.monotonic() + PATIENCE_S
    while len(times) < READINGS and time.monotonic() < end:
        said = WHEN.search(text(file))
        if said and float(said[1]) not in times:
            times.append(float(said[1]))
        time.sleep(0.5)
    apart = [later - earlier for earlier, later in pairwise(times)]
    if len(times) < READINGS:
        interval = {"value": None, "note": f"{len(times)} readings in {PATIENCE_S} s"}
    else:
        interval = {"value": round(max(apart), 1), "note": f"the longest of {len(apart)} intervals"}
    print(json.dumps({"telemetry.interval_s": interval, "telemetry.port_coverage": coverage(file)}))


def coverage(file: Path) -> dict:
    """Return the share of the drawn ports that have series."""
    ends = {end for link in drawn()["links"] for end in link}
    dark = sorted(ends - {f"{node} {port}" for node, port in PORT.findall(text(file))})
    if not ends:
        return {"value": None, "note": "no link is drawn"}
    named = "; ".join(dark[:SHOWN])
    # rounded down, so that only all of them are 1
    share = int((len(ends) - len(dark)) / len(ends) * 1e6) / 1e6
    return {"value": share, "note": f"no series of {len(dark)}: {named}" if dark else f"{len(ends)} ports"}


def text(file: Path) -> str:
    """Return what is in the file; nothing where there is none."""
    return file.read_text(encoding="utf-8") if file.exists() else ""


if __name__ == "__main__":
    main()
