"""Starts the daemon that signs files anew, on this server alone, and waits until it has asked every brick for its news. Argument: the volume.

Bricks stay up. `gluster volume start VOLUME force` would start the daemons of all servers anew, and each may lose a brick again.
A brick loses the daemon if its thread that connects back is held up between connecting and putting the connection on the list of those that
wait: by then another thread has put it on the list of those that are served, from which it is taken.
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


def schedule(policy: int, priority: int) -> None:
    """Have the threads of bricks that connect back scheduled so. As real-time threads they put a connection aside before it is taken up."""
    for brick in Path("/run/gluster/vols").glob("*/*.pid"):
        for thread in Path(f"/proc/{brick.read_text().strip()}/task").glob("*"):
            if (thread / "comm").read_text().strip() == "glfs_clogecon":
                os.sched_setscheduler(int(thread.name), policy, os.sched_param(priority))


def start() -> None:
    """Stop it, start it, and wait until it has asked every brick."""
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


def main() -> None:
    """Start it while bricks cannot lose it."""
    schedule(os.SCHED_FIFO, 1)
    try:
        start()
    finally:
        schedule(os.SCHED_OTHER, 0)


if __name__ == "__main__":
    main()
