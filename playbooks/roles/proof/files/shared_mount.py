"""Proves that the shared file system is mounted on this host from boot on, and is the same as elsewhere.

Arguments: where it is mounted, and a word that another host has written there.
"""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def said(*command: str) -> str:
    """Return what a command prints, whatever its exit status."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout.strip()


def faults(path: Path, word: str) -> Iterator[str]:
    """Yield what is wrong with the mount."""
    unit = said("systemd-escape", "--path", "--suffix=automount", str(path))
    if (state := said("systemctl", "is-enabled", unit)) != "enabled":
        yield f"it does not come back at boot: {unit} is {state or 'not there'}"
    try:
        found = (path / f".{word}").read_text()
        mine = path / f".{word}.{socket.gethostname()}"
        mine.write_text(word)
        mine.unlink()
    except OSError as error:
        yield f"{path}: {error.strerror}"
        return
    if found != word:
        yield f"{path} has other bytes than another host wrote"
    kind = said("findmnt", "-n", "-t", "noautofs", "-o", "FSTYPE", "--mountpoint", str(path))
    if not kind:
        yield f"{path} is a folder of this host's own disk"


def main() -> None:
    """Look at it."""
    wrong = list(faults(Path(sys.argv[1]), sys.argv[2]))
    note = "; ".join(wrong) or "mounted from boot on; what another host wrote is there"
    print(json.dumps({"mount.present": {"value": not wrong, "note": note}}))


if __name__ == "__main__":
    main()
