"""Writes a sample of files into two folders in turn, and times it. Prints one JSON document.

Arguments: the folder from which the sample is taken, its size in MiB, how often, and the two folders. Each time the files are new, and their
bytes are on the drives when the clock stops.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from contextlib import ExitStack
from pathlib import Path

LONGEST, PIECES = 4 << 20, 64
"""A small sample is written as so many files, so that each brick gets some; a large one as more, of this length."""
BLOCK = 128 << 10
LOOKED_AT = 100_000


def sample(folder: Path, size: int) -> bytes:
    """Return the beginnings of files, of no more than a 16th each, from all over a folder; hidden ones are the proofs' own."""
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(place) / name for name in names]
        if len(files) > LOOKED_AT:
            break
    found = bytearray()
    for file in sorted(files, key=lambda file: hashlib.sha256(str(file).encode()).digest()):
        if file.is_symlink() or not file.is_file():
            continue
        with file.open("rb") as opened:
            found += opened.read(min(size // 16, size - len(found)))
        if len(found) == size:
            break
    return bytes(found)


def written(pieces: "list[bytes]", folder: Path) -> float:
    """Return after how many seconds all pieces were on the drives."""
    shutil.rmtree(folder / "now", ignore_errors=True)
    (folder / "now").mkdir()
    began = time.monotonic()
    with ExitStack() as opened:
        files = [opened.enter_context((folder / "now" / str(number)).open("wb", 0)) for number in range(len(pieces))]
        for file, piece in zip(files, pieces, strict=True):
            file.write(piece)
        for file in files:
            os.fsync(file.fileno())
    return time.monotonic() - began


def main() -> None:
    """Write both ways, in turn; every second time the other one first."""
    source, size, rounds, *folders = sys.argv[1:]
    taken = sample(Path(source), int(size) << 20)
    length = max(min(len(taken) // PIECES, LONGEST), BLOCK)
    pieces = [taken[at : at + length] for at in range(0, len(taken), length)]
    blocks = [hashlib.sha256(taken[at : at + BLOCK]).digest() for at in range(0, len(taken), BLOCK)]
    seconds = []
    for number in range(int(rounds) if taken else 0):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        took = {way: written(pieces, Path(folders[way])) for way in order}
        seconds.append([took[0], took[1]])
    equal = 1 - len(set(blocks)) / len(blocks) if blocks else 0
    print(json.dumps({"bytes": len(taken), "equal_blocks": equal, "seconds": seconds}))


if __name__ == "__main__":
    main()
