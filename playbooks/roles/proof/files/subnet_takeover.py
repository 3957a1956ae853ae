"""Proves that another subnet manager takes over when the master is stopped, and that no switch forwards otherwise then.

Runs on one that stands by. Arguments: when the master was stopped, in seconds since the epoch by this host's clock, and a file of the
routes before.
"""

import json
import re
import sys
import time
from pathlib import Path

from fabric_view import asked

PATIENCE_S = 180
SWITCH = re.compile(r"of switch .* guid (0x[0-9a-f]{16})")
ROUTE = re.compile(r"(0x[0-9a-f]{4}) (\d{3}) :")
MASTER = re.compile(r"sm guid (0x[0-9a-f]+),.* SMINFO_MASTER")


def main() -> None:
    """Ask until this host's manager is the master of the fabric, then compare the routes."""
    stopped, before = float(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8")
    own = {int(guid, 16) for guid in asked("ibstat", "-p").split()}
    while not (mine := master() in own) and time.time() - stopped < PATIENCE_S:
        time.sleep(0.2)
    taken = round(time.time() - stopped, 1)
    if not mine:
        note = f"{taken} s after the master was stopped this host's manager is not the master"
        report({"takeover_s": (None, note), "routes_changed": (None, note)})
        return
    were, are = routes(before), routes(asked("dump_lfts"))
    changed = sum(were.get(route) != are.get(route) for route in {**were, **are})
    report(
        {
            "takeover_s": (taken, "the master was stopped; this host's manager answers to the fabric as the master"),
            "routes_changed": (changed, f"of {len(were)} routes of the switches"),
        }
    )


def master() -> int | None:
    """Return the GUID of the master; None where none answers."""
    try:
        said = MASTER.search(asked("sminfo", "-t", "500"))
    except OSError:
        return None
    return int(said[1], 16) if said else None


def routes(text: str) -> dict[tuple[str, str], str]:
    """Return what dump_lfts printed: by switch and address the port to which the switch forwards."""
    switch, found = "", {}
    for line in text.splitlines():
        if head := SWITCH.search(line):
            switch = head[1]
        elif route := ROUTE.match(line):
            found[switch, route[1]] = route[2]
    return found


def report(found: dict) -> None:
    """Print a value and a note for each metric."""
    print(
        json.dumps({f"fabric_manager.{name}": {"value": value, "note": note} for name, (value, note) in found.items()})
    )


if __name__ == "__main__":
    main()
