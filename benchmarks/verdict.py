"""How a benchmark that looks for faults ends: it names the first faults, counts all of them, and says how long it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import NoReturn

NAMED = 20


def end(faults: Sequence[str], began: float, seed: int) -> NoReturn:
    """Print the faults and end the program: with 0 if there are none, otherwise with 1. `began` is of `time.perf_counter`."""
    for fault in faults[:NAMED]:
        print(f"FAULT: {fault}")
    print(f"{len(faults)} faults, {time.perf_counter() - began:.0f} s, seed {seed}")
    sys.exit(1 if faults else 0)
