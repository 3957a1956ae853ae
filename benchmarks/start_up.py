"""How long commands take to start, best of five: against their budgets, and beside a bare interpreter.

Usage: start_up.py [SITE]. Without a site one is made, planned and adopted in a temporary folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLUSTERWRIGHT = str(Path(sys.executable).parent / "clusterwright")
ROUNDS = 5


def best(words: list[str]) -> float:
    """Return the shortest of a few runs, in seconds."""
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True)
        found.append(time.perf_counter() - began)
    return min(found)


def main() -> None:
    """Print a line a command: what it took, and its budget."""
    with tempfile.TemporaryDirectory() as scratch:
        site = sys.argv[1] if len(sys.argv) > 1 else f"{scratch}/site"
        if len(sys.argv) == 1:
            subprocess.run([CLUSTERWRIGHT, "init", "--preset", "h100-10k", site], check=True, capture_output=True)
            adopt = [CLUSTERWRIGHT, "plan", "adopt", "--as", "owner", "--yes", "--site", site]
            subprocess.run(adopt, check=True, capture_output=True)
        rows = (
            ("bare interpreter", [sys.executable, "-c", "pass"], None),
            ("--help", [CLUSTERWRIGHT, "--help"], 0.2),
            ("status", [CLUSTERWRIGHT, "status", "--site", site], 0.35),
            ("next", [CLUSTERWRIGHT, "next", "--site", site], None),
            ("plan", [CLUSTERWRIGHT, "plan", "--site", site], None),
            ("catalog lint 034", [CLUSTERWRIGHT, "catalog", "lint", "034"], 2.0),
        )
        for name, words, budget in rows:
            took = best(words)
            verdict = "" if budget is None else f"  budget {budget:.2f} s: {'met' if took <= budget else 'MISSED'}"
            print(f"{name:18} {took:6.3f} s{verdict}")


if __name__ == "__main__":
    main()
