"""Proves that the metrics database survives losing one of its pair: stops this one, and looks for gaps in the other's samples.

Arguments: seconds to stop it for, then the other's address. What is left running is what was running before. No gap can be longer than
the time that is looked at: it must be stopped for longer than the criterion allows.
"""

import json
import subprocess
import sys
import time
import urllib.request
from itertools import pairwise

from series_found import asked, missing

HERE = "http://127.0.0.1:9090"
LOOK_BACK_S = 60
METRIC = "metrics.scrape_gap_s"


def scraped(url: str) -> set[tuple[str, str]]:
    """Return what a database scrapes now. It remembers for minutes what an earlier configuration had, which nobody scrapes any more.

    One that has just started knows its targets after some seconds.
    """
    for _ in range(LOOK_BACK_S):
        with urllib.request.urlopen(f"{url}/api/v1/targets?state=active", timeout=10) as answer:
            if active := json.load(answer)["data"]["activeTargets"]:
                return {target({"metric": one["labels"]}) for one in active}
        time.sleep(1)
    return set()


def target(series: dict) -> tuple[str, str]:
    """Return what a series is of: job and instance."""
    return series["metric"].get("job", ""), series["metric"].get("instance", "")


def longest_gap(times: list[float], begun: float, ended: float) -> float:
    """Return the longest time without a sample between two moments, from the last sample before the first of them on."""
    last = max((at for at in times if at <= begun), default=begun)
    moments = [last, *sorted(at for at in times if begun < at < ended), ended]
    return max(b - a for a, b in pairwise(moments))


def judge(wanted: set[tuple[str, str]], series: list[dict], begun: float, ended: float) -> dict:
    """Return the longest gap over all targets that this one scraped, with its target; one that the other does not scrape is all gap."""
    times = {target(one): [float(at) for at, _ in one["values"]] for one in series}
    gaps = {one: longest_gap(times.get(one, []), begun, ended) for one in wanted}
    worst = max(gaps, key=lambda one: gaps[one])
    note = f"{' '.join(worst)}, of {len(gaps)} targets, while one of the pair was stopped for {ended - begun:.0f} s"
    return {"value": round(gaps[worst], 3), "note": note}


def main() -> None:
    """Stop, wait, look, start."""
    stopped_s, other = int(sys.argv[1]), sys.argv[2]
    wanted = scraped(HERE)
    if silent := [url for url in (HERE, other) if not wanted or missing(url, ["up"])]:
        print(json.dumps({METRIC: {"value": None, "note": f"nothing scraped by {', '.join(silent)}"}}))
        return
    begun = time.time()
    subprocess.run(["systemctl", "stop", "prometheus"], check=True)
    try:
        time.sleep(stopped_s)
        ended = time.time()
        series = asked(other, f"up[{int(ended - begun) + LOOK_BACK_S}s]")
    finally:
        subprocess.run(["systemctl", "start", "prometheus"], check=True)
    print(json.dumps({METRIC: judge(wanted, series, begun, ended)}))


if __name__ == "__main__":
    main()
