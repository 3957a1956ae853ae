"""Breaks what the fault script names on this host, after a while of counting what its ports carry, and puts it back.

Argument: `ports` to take down, `services` to stop, whether they `flap`, `lead_s` before and `hold_s` after. What was done is in a file.
"""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

DONE = Path("/run/fabric-fault.json")
FLAPS_S = 1
"""How long a port that flaps is down, and up again."""

SETTINGS = Path("/sys/class/net")


def packets(ports: list[str]) -> int:
    """Return how many packets ports have sent and received."""
    counters = (SETTINGS / port / "statistics" / name for port in ports for name in ("rx_packets", "tx_packets"))
    return sum(int(counter.read_text()) for counter in counters)


def switch(terms: dict, state: str) -> None:
    """Take ports and services down, or bring them up."""
    for port in terms["ports"]:
        subprocess.run(["ip", "link", "set", "dev", port, state], check=True)
    for service in terms["services"]:
        subprocess.run(["systemctl", {"down": "stop", "up": "start"}[state], service], check=True)


def states(terms: dict) -> dict[str, str]:
    """Return the state of each port and service."""
    found = {port: (SETTINGS / port / "operstate").read_text().strip() for port in terms["ports"]}
    for service in terms["services"]:
        said = subprocess.run(["systemctl", "is-active", service], capture_output=True, text=True, check=False)
        found[service] = said.stdout.strip()
    return found


def main() -> None:
    """Break, hold and put back."""
    terms = json.loads(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    before = packets(terms["ports"])
    time.sleep(terms["lead_s"])
    carried = packets(terms["ports"]) - before
    end = time.monotonic() + terms["hold_s"]
    try:
        switch(terms, "down")
        DONE.write_text(json.dumps({"carried": carried, "states": states(terms)}))
        while terms["flap"] and time.monotonic() < end - 2 * FLAPS_S:
            time.sleep(FLAPS_S)
            switch(terms, "up")
            time.sleep(FLAPS_S)
            switch(terms, "down")
        time.sleep(max(end - time.monotonic(), 0))
    finally:
        switch(terms, "up")


if __name__ == "__main__":
    main()
