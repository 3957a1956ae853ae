"""Proves that every host's lines are in the store and how fast: each host logs a word of its own, and it is searched for.

Arguments: the search command, then the word, then host names. The hosts have logged already.
"""

import json
import subprocess
import sys
import time

PATIENCE_S = 60.0


def main() -> None:
    """Search until every host is found, or patience ends."""
    command, word, began, *hosts = sys.argv[1:]
    missing, end = set(hosts), time.monotonic() + PATIENCE_S
    slowest = 0.0
    while missing and time.monotonic() < end:
        for host in sorted(missing):
            found = subprocess.run([command, "--host", host, word], capture_output=True, text=True, check=False)
            if found.stdout.strip():
                missing.discard(host)
                slowest = time.time() - float(began)
        time.sleep(0.1)
    share = (len(hosts) - len(missing)) / len(hosts)
    note = f"missing: {', '.join(sorted(missing))}" if missing else f"{len(hosts)} hosts"
    delay = {"value": None, "note": note} if missing else {"value": round(slowest, 3), "note": "log line to search"}
    print(
        json.dumps({"logging.sources_present_ratio": {"value": share, "note": note}, "logging.search_delay_s": delay})
    )


if __name__ == "__main__":
    main()
