"""How long it takes to look back, to anchor, to put away and to bring back a site, best of three.

Usage: ledger_past.py SITE. A rehearsed one is well suited: `clusterwright init`, `clusterwright rehearse`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ledger.questions.site import head
from ledger.reading import open_snapshot

CLUSTERWRIGHT = str(Path(sys.executable).parent / "clusterwright")
ROUNDS = 3


def best(words: list[str], folder: str, rounds: int = ROUNDS) -> float:
    """Give the shortest of a few runs in seconds; `{}` stands for a path that is new each time."""
    found = []
    for number in range(rounds):
        began = time.perf_counter()
        subprocess.run([word.replace("{}", f"{folder}/{number}") for word in words], check=True, capture_output=True)
        found.append(time.perf_counter() - began)
    return min(found)


def main() -> None:
    """Print a line a command."""
    site = sys.argv[1]
    with open_snapshot(Path(site)) as snapshot:
        events = head(snapshot).seq
    with tempfile.TemporaryDirectory() as scratch:
        rows = [
            ("status", ["status", "--site", site]),
            *((f"status --as-of {seq}", ["status", "--as-of", str(seq), "--site", site]) for seq in moments(events)),
            ("audit", ["audit", "--site", site]),
            ("backup .tar.gz", ["backup", "{}.tar.gz", "--site", site]),
            ("restore", ["restore", f"{scratch}/0.tar.gz", "{}.back"]),
        ]
        print(f"{events} events")
        for name, words in rows:
            print(f"{name:24} {best([CLUSTERWRIGHT, *words], scratch):6.2f} s")


def moments(events: int) -> list[int]:
    """Give the events that are looked back to."""
    return sorted({seq for seq in (2, 500, 1000, 2000, 5000, 10_000, 20_000) if seq < events} | {events})


if __name__ == "__main__":
    main()
