"""How old is what the dashboard shows? A rehearsal runs, and at random moments Prefect's API is compared with the ledger.

Usage: board.py [MOMENTS]. Prints how many comparisons agreed with what the ledger said within two seconds before.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from flows.dashboard.login import login_of
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.settings import api_url
from tests.flows.conftest import until
from tests.flows.standing_watch import WITHIN_S, Watcher, is_whole
from tests.ports import free_port

COMMAND = [sys.executable, "-m", "clusterwright"]
MOMENTS = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def main() -> None:
    """Rehearse, compare, print."""
    with tempfile.TemporaryDirectory() as folder:
        site, port = Path(folder) / "site", free_port()
        subprocess.run([*COMMAND, "init", "--preset", "superpod-1su", str(site)], check=True, capture_output=True)
        began = time.monotonic()
        rehearsal = subprocess.Popen(
            [*COMMAND, "rehearse", "--site", str(site), "--port", str(port)], stdout=subprocess.DEVNULL
        )
        try:
            until((site / ".clusterwright" / "dashboard-login").exists, seconds=100)
            api = PrefectApi(api_url(port), login_of(site))
            until(api.answers, seconds=100)
            until(lambda: is_whole(api, site), seconds=300)
            print(f"all nodes after {time.monotonic() - began:.0f} s; load {os.getloadavg()[0]:.1f}", flush=True)
            agreed = compared = 0
            with Watcher(site, api) as watch:
                time.sleep(2)
                while compared < MOMENTS and rehearsal.poll() is None:
                    time.sleep(random.random())
                    compared += 1
                    agreed += _agrees(watch)
            print(f"{agreed} of {compared} moments agreed within {WITHIN_S:g} s; load {os.getloadavg()[0]:.1f}")
        finally:
            rehearsal.kill()
            rehearsal.wait()


def _agrees(watch: Watcher) -> bool:
    try:
        watch.compare()
    except AssertionError as wrong:
        print(str(wrong)[:400])
        return False
    return True


if __name__ == "__main__":
    main()
