"""Proves that a volume has all its copies again: waits until nothing is left to heal and every brick is there.

Arguments: the volume, and for how many seconds to wait.
"""

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

METRIC = "filesystem.unhealed_entries"


def look(volume: str) -> "tuple[int, list]":
    """Return how many entries wait for their copies, and the bricks that are away."""
    command = ["gluster", "--mode=script", "--xml", "volume", "heal", volume, "info"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    entries, away = 0, []
    for brick in ET.fromstring(said).iter("brick"):
        number = brick.findtext("numberOfEntries", "-")
        if number.isdigit():
            entries += int(number)
        else:
            away.append(brick.findtext("name", "?"))
    return entries, away


def main() -> None:
    """Wait, and count."""
    volume, patience_s = sys.argv[1], float(sys.argv[2])
    began = time.monotonic()
    entries, away = look(volume)
    while (entries or away) and time.monotonic() - began < patience_s:
        time.sleep(1)
        entries, away = look(volume)
    waited = time.monotonic() - began
    words = [f"away: {', '.join(away)}"] if away else []
    note = "; ".join([f"{entries} entries without all their copies after {waited:.0f} s", *words])
    print(json.dumps({METRIC: {"value": entries + len(away), "note": note}}))


if __name__ == "__main__":
    main()
