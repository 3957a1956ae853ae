"""Turnover packages altered by somebody without the keys, and hashed anew: `packages.py COUNT SEED`.

None may be accepted by verify.sh: not as valid, and not as a chain that is right up to the true head. Ends with 1 if one is.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.ledger.repacking import Repacker, make_package


def main() -> None:
    """Alter, verify, and count by kind of alteration and by what the script said."""
    count, seed = map(int, sys.argv[1:3])
    began = time.perf_counter()
    kinds, codes, accepted = Counter[str](), Counter[tuple[str, int]](), 0
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        repacker = Repacker(make_package(Path(scratch)), Path(scratch))
        seeds = range(seed * count, (seed + 1) * count)
        for number, trial in enumerate(pool.map(repacker.once, seeds)):
            kinds[trial.name] += 1
            codes[trial.signature, trial.code] += 1
            if trial.accepted:
                accepted += 1
                print(f"ACCEPTED {seed * count + number}: {trial.name}: {trial.what}\n{trial.said}", flush=True)
            if (number + 1) % 100 == 0:
                print(f"{number + 1:5} tried, {accepted} accepted, {time.perf_counter() - began:.0f} s", flush=True)
    for kind, times in kinds.items():
        print(f"{times:5} {kind}")
    for (signature, code), times in sorted(codes.items()):
        print(f"{times:5} with the owner's signature {signature}: exit code {code}")
    print(f"{count} alterations, {accepted} accepted, {time.perf_counter() - began:.0f} s")
    sys.exit(1 if accepted else 0)


if __name__ == "__main__":
    main()
