"""Proves that a degrading server is found: this one is slowed until the anomaly is seen in the metrics database.

Arguments: this host's name, the database's address, seconds of patience. The drill is ended whatever happens.
"""

import json
import signal
import sys
from pathlib import Path

from series_found import missing

DRILL = Path("/run/speed_probe.slow")


def main() -> None:
    """Slow this server, and look."""
    # a proof that is ended from outside must undo its drill as well
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda *_: sys.exit(1))
    host, url, patience_s = sys.argv[1:]
    query = f'ALERTS{{alertname="ServerSlowerThanItsLike", instance="{host}"}}'
    DRILL.touch()
    try:
        left = missing(url, [query], float(patience_s))
    finally:
        DRILL.unlink(missing_ok=True)
    note = f"{host} did three times the work"
    print(json.dumps({"anomaly.injected_missed": {"value": len(left), "note": note}}))


if __name__ == "__main__":
    main()
