"""Proves the container runtime: builds an image of one of this host's own programs, runs it, and reads what it says.

No registry is asked. Arguments: the runtime's command, with options that each of its calls gets.
"""

import json
import re
import secrets
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PROGRAM = "/usr/bin/echo"
IMAGE = "localhost/clusterwright-proof"


def needed(program: str) -> list[str]:
    """Return a program and the libraries that it loads."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return [program, *re.findall(r"(/\S+) \(0x", said)]


def packed(folder: Path) -> Path:
    """Return a file system of this program and what it loads, as an archive."""
    archive = folder / "image.tar"
    with tarfile.open(archive, "w", dereference=True) as image:
        for file in needed(PROGRAM):
            image.add(file)
    return archive


def judge(ran: subprocess.CompletedProcess, word: str) -> dict:
    """Return whether the container said its word."""
    well = ran.returncode == 0 and ran.stdout.split() == [word]
    # the last line may be of the runtime's monitor alone, which says that it ended
    wrong = (ran.stderr or ran.stdout).strip().splitlines()[-2:] or [f"exit status {ran.returncode}"]
    return {"value": well, "note": f"{PROGRAM} of this host ran in a container" if well else "; ".join(wrong)[:200]}


def main() -> None:
    """Build, run, and take the image away again."""
    runtime, *options = sys.argv[1:]

    def called(*words: str) -> subprocess.CompletedProcess:
        return subprocess.run([runtime, *words], capture_output=True, text=True, check=False)

    word = secrets.token_hex(8)
    with tempfile.TemporaryDirectory() as folder:
        ran = called("import", str(packed(Path(folder))), IMAGE)
        if ran.returncode == 0:
            ran = called("run", "--rm", *options, IMAGE, PROGRAM, word)
    called("rmi", "--force", IMAGE)
    print(json.dumps({"container.runtime_present": judge(ran, word)}))


if __name__ == "__main__":
    main()
