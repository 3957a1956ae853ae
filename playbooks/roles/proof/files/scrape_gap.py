"""Proves that the metrics database survives losing one of its pair: stops this one, and looks for gaps in the other's samples.

Arguments: seconds to stop it for, then the other's address. What is left running is what was running before.
"""

import json
import signal
import subprocess
import sys
import time

from series_found import asked

LOOK_BACK_S = 30


def longest_gap(series: list[dict]) -> float:
    """Return the longest time between two samples of a series, in seconds."""
    gaps = [b[0] - a[0] for one in series for a, b in zip(one["values"], one["values"][1:], strict=False)]
    return max(gaps)


def main() -> None:
    """Stop, wait, start, look."""
    # a proof that is ended from outside must undo its drill as well
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda *_: sys.exit(1))
    stopped_s, url = int(sys.argv[1]), sys.argv[2]
    subprocess.run(["systemctl", "stop", "prometheus"], check=True)
    try:
        time.sleep(stopped_s)
    finally:
        subprocess.run(["systemctl", "start", "prometheus"], check=True)
    series = asked(url, f"up[{stopped_s + LOOK_BACK_S}s]")
    series = [one for one in series if len(one["values"]) > 1]
    note = f"{len(series)} series while one of the pair was stopped for {stopped_s} s"
    found = {"value": round(longest_gap(series), 3), "note": note} if series else {"value": None, "note": "no samples"}
    print(json.dumps({"metrics.scrape_gap_s": found}))


if __name__ == "__main__":
    main()
