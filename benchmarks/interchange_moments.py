"""Exports and imports at random moments of a rehearsal, judged by MPXJ: `python -m benchmarks.interchange_moments [MOMENTS] [SEED]`.

At each moment half of the deliveries of an order have been received.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random

from tests.schedule.moments import cut, faults, moments, rehearsed


def main(number: int = 20, seed: int = 1) -> None:
    """Print what is wrong at each moment. Exit with 1 if anything is."""
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rehearsed(folder / "site")
        found = moments(folder / "site", number, Random(seed))
        for moment in found:
            copy = cut(folder / "site", moment.seq, folder / f"at-{moment.seq}")
            said = list(faults(copy, folder))
            wrong += len(said)
            print(
                f"event {moment.seq}: {len(said)} faults; half received: {', '.join(moment.half_received)}", flush=True
            )
            print(*said[:10], sep="\n", end="\n" if said else "")
    print(f"{len(found)} moments, {wrong} faults")
    sys.exit(bool(wrong) or len(found) < number)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
