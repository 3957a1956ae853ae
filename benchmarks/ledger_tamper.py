"""Random single changes to a real ledger, each to be found by the audit at its place: `ledger_tamper.py SITE COUNT SEED`.

Changes: flipped bits of every column, swapped, dropped, inserted and cut-off events, rows of projections changed and
dropped, triggers removed, evidence changed and removed, signatures changed and moved. Ends with 1 if one is missed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.ledger.tampering import Tamperer


def main() -> None:
    """Change, audit, put back, and count by kind of change."""
    site, (count, seed) = Path(sys.argv[1]), map(int, sys.argv[2:4])
    began = time.perf_counter()
    kinds, missed = Counter[str](), 0
    with tempfile.TemporaryDirectory() as scratch:
        tamperer = Tamperer(site, Path(scratch), seed)
        if tamperer.audited():
            sys.exit("the ledger has faults before anything was changed")
        for _ in range(count):
            change, found, places = tamperer.once()
            kinds[change.kind] += 1
            if kinds.total() % 1000 == 0:
                print(f"{kinds.total():6} changes, {missed} missed, {time.perf_counter() - began:.0f} s", flush=True)
            if not found:
                missed += 1
                print(f"MISSED: {change.what}: {places[:5]}")
        print(f"{tamperer.events} events, {len(tamperer.signed)} signatures, {len(tamperer.files)} files, seed {seed}")
    for kind, number in sorted(kinds.items()):
        print(f"{number:6} {kind}")
    print(f"{count} changes, {missed} missed, {time.perf_counter() - began:.0f} s")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
