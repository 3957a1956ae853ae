"""The main job from end to end: init, plan, adopt, rehearse to go-live; then the screens.

Usage: demo.py FOLDER. The folder is made anew each time.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

CLUSTERWRIGHT = [sys.executable, "-m", "clusterwright"]


def run(*arguments: str) -> None:
    """Run one command as a user would, showing it first."""
    print(f"\n$ clusterwright {' '.join(arguments)}", flush=True)
    subprocess.run([*CLUSTERWRIGHT, *arguments], check=True)


def main() -> None:
    """Build the demo site and open its screens where there is a terminal."""
    folder = Path(sys.argv[1])
    if folder.exists():
        if not (folder / "site.yaml").exists():
            sys.exit(f"{folder} is not a demo site; name another folder")
        shutil.rmtree(folder)
    began = time.monotonic()
    run("init", "--preset", "superpod-1su", str(folder))
    run("plan", "--site", str(folder))
    run("rehearse", "--site", str(folder))
    print(f"\nfrom site file to go-live in {time.monotonic() - began:.0f} s, rehearsed")
    if sys.stdin.isatty() and sys.stdout.isatty():
        run("tui", "--site", str(folder))


if __name__ == "__main__":
    main()
