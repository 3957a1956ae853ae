"""Mutated files and hostile command lines, each in a process with bounds: `hostile.py FILES LINES SEED`.

No traceback, no exit code 5, no process over a gigabyte or over 20 seconds of processor time. Every fortieth case is done
again by a real process, which must say the same. Ends with 1 if one case fails.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.clusterwright.hostile import Trial, adopted_site, file_trial, line_trial, said_alike

SAMPLE = 40
STEP = 250


def main() -> None:
    """Try everything, and print what failed and what the trials took."""
    files, lines, seed = map(int, sys.argv[1:4])
    codes, failed, unlike = Counter[int](), 0, 0
    slowest, largest = Trial.none(), Trial.none()
    with tempfile.TemporaryDirectory() as scratch:
        site = adopted_site(Path(scratch) / "site")
        for number in range(files + lines):
            trial = file_trial(site, seed, number) if number < files else line_trial(site, seed, number)
            codes[trial.outcome.code] += 1
            slowest = max(slowest, trial, key=lambda one: one.outcome.seconds)
            largest = max(largest, trial, key=lambda one: one.outcome.megabytes)
            if trial.outcome.fault:
                failed += 1
                print(f"FAILED {number}: {trial.what}: {trial.outcome.fault}\n{trial.outcome.said[-3000:]}", flush=True)
            elif number % SAMPLE == 0 and not said_alike(site, trial):
                unlike += 1
                print(f"UNLIKE {number}: {trial.what}", flush=True)
            if (number + 1) % STEP == 0:
                print(f"{number + 1:5} tried, {failed} failed", flush=True)
    print(f"{files} files and {lines} command lines, seed {seed}: {failed} failed, {unlike} unlike a real process")
    print("exit codes: " + ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))
    print(f"most time: {slowest.outcome.seconds:.1f} s, {slowest.what}")
    print(f"most memory: {largest.outcome.megabytes:.0f} MB, {largest.what}")
    sys.exit(1 if failed or unlike else 0)


if __name__ == "__main__":
    main()
