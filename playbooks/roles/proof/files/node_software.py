"""Proves that a node has what training on it needs beside the frameworks: their defaults, the instruments, the timed work.

Argument: the folder of the instruments.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

WRITTEN = {
    "/etc/profile.d/frameworks.sh": "defaults of frameworks",
    "/etc/nccl.conf": "defaults of collectives",
    "/etc/systemd/system/training@.service": "unit that runs a training",
}
INSTRUMENTS = ("training_metrics.py", "train.py")
TIMER = "speed_probe.timer"


def main() -> None:
    """Count what is missing, and name it."""
    lacking = list(missing(Path(sys.argv[1])))
    note = "; ".join(lacking) or "defaults, instruments and the timed work are there"
    print(json.dumps({"node.software_missing": {"value": len(lacking), "note": note}}))


def missing(instruments: Path) -> Iterator[str]:
    """Yield what this host does not have."""
    yield from (f"no {what} ({path})" for path, what in WRITTEN.items() if not Path(path).is_file())
    yield from (f"no {instruments / name}" for name in INSTRUMENTS if not (instruments / name).is_file())
    if subprocess.run(["systemctl", "is-active", TIMER], capture_output=True, check=False).returncode != 0:
        yield f"{TIMER} does not run"


if __name__ == "__main__":
    main()
