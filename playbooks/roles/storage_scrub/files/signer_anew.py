"""Starts the daemon that signs files anew, on this server alone, and waits until it has asked every brick for its news. Argument: the volume.

Bricks stay up. `gluster volume start VOLUME force` would start the daemons of all servers anew, and each may lose a brick again.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

PID = Path("/run/gluster/bitd/bitd.pid")
SECONDS_A_BRICK = 3
"""It asks one brick after the other, and waits two seconds for each."""


def command_line() -> "list[str]":
    """Return the words with which the daemon was started; none if it does not run."""
    try:
        return Path(f"/proc/{int(PID.read_text())}/cmdline").read_text().split("\0")[:-1]
    except (OSError, ValueError):
        return []


def main() -> None:
    """Stop it, start it, wait."""
    words = command_line()
    if any("bitd" in word for word in words):
        number = int(PID.read_text())
        os.kill(number, 15)
        while Path(f"/proc/{number}").exists():
            time.sleep(0.2)
        unit = ["--unit=clusterwright-bitd", "--service-type=forking", f"--property=PIDFile={PID}"]
        subprocess.run(["systemd-run", "--quiet", "--collect", *unit, *words], check=True)
    else:
        subprocess.run(["gluster", "--mode=script", "volume", "start", sys.argv[1], "force"], check=True)
    bricks = len(list(Path("/run/gluster/vols").glob("*/*.pid")))
    time.sleep(5 + bricks * SECONDS_A_BRICK)


if __name__ == "__main__":
    main()
