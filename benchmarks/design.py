"""How long a design of 100,000 GPUs takes, and its cable schedule: time, memory, rows; beside NumPy writing as many bytes.

Usage: design.py [PRESET]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CLUSTERWRIGHT = str(Path(sys.executable).parent / "clusterwright")


def timed(words: list[str]) -> float:
    """Return the seconds a command takes."""
    began = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    """Print a line for the dossier, the page and the tables."""
    preset = sys.argv[1] if len(sys.argv) > 1 else "xai-100k"
    design = [CLUSTERWRIGHT, "design", "--preset", preset]
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{'dossier':18} {min(timed([*design, '--json']) for _ in range(5)):6.2f} s  budget 2 s")
        print(f"{'page with plots':18} {timed([*design, '--html', f'{scratch}/page.html']):6.2f} s")
        took = timed([*design, "--csv", f"{scratch}/out"])
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        cables = Path(scratch, "out", "cables.csv")
        rows = sum(1 for _ in cables.open("rb")) - 1
        print(f"{'all tables':18} {took:6.2f} s  budget 10 s; {rows:,} cables, at most {memory:.0f} MB of 500")
        peer = np.arange(rows * 13).reshape(rows, 13)
        began = time.perf_counter()
        np.savetxt(f"{scratch}/peer.csv", peer, fmt="%d", delimiter=",")
        print(f"{'numpy.savetxt':18} {time.perf_counter() - began:6.2f} s  the same number of cells, as plain numbers")


if __name__ == "__main__":
    main()
