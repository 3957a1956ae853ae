"""Proves that the file system goes on without one of its servers: writes while the server is cut off, and reads all of it again.

Arguments: a folder on the file system, address and port of the server, and for how many seconds to write. The server must have been silent
for a while in between, otherwise nothing is measured.
"""

import hashlib
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path

METRICS = ("filesystem.failover_s", "filesystem.wrong_files")
PIECE = 1 << 20
SILENT_S = 10
"""For as long clients wait for a silent server; a port that refuses for a moment is no loss."""


class Server:
    """Looks again and again whether the server answers."""

    def __init__(self, address: str, port: int) -> None:
        """Begin to look."""
        self.address, self.port = address, port
        self.silent_s = 0.0
        self.is_over = threading.Event()
        self.watch = threading.Thread(target=self._look, daemon=True)
        self.watch.start()

    def _look(self) -> None:
        while not self.is_over.wait(0.5):
            began = time.monotonic()
            try:
                socket.create_connection((self.address, self.port), 2).close()
            except OSError:
                self.silent_s += time.monotonic() - began

    def end(self) -> float:
        """Return for how many seconds it did not answer."""
        self.is_over.set()
        self.watch.join()
        return self.silent_s


def write(folder: Path, seconds: float) -> "tuple[dict, float, list]":
    """Write files for so long. Return their digests by name, the longest time that one took, and what was refused."""
    digests, longest, refused = {}, 0.0, []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        name, piece = f"{len(digests) + len(refused):06}", os.urandom(PIECE)
        began = time.monotonic()
        try:
            with (folder / name).open("wb") as file:
                file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            digests[name] = hashlib.sha256(piece).hexdigest()
        except OSError as error:
            refused.append(f"{name}: {error.strerror}")
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.1)
    return digests, longest, refused


def differing(folder: Path, digests: dict) -> list:
    """Return the files that are not as they were written."""
    wrong = []
    for name, digest in digests.items():
        try:
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
                wrong.append(f"{name}: other bytes")
        except OSError as error:
            wrong.append(f"{name}: {error.strerror}")
    return wrong


def judged(longest: float, wrong: list, silent_s: float, files: int) -> dict:
    """Return the two metrics. Without a silent server nothing is measured."""
    if silent_s < SILENT_S:
        return dict.fromkeys(METRICS, (None, f"the server was silent for {silent_s:.0f} s only: it was not cut off"))
    note = f"{files} files of 1 MiB written and read while the server was silent for {silent_s:.0f} s"
    return {METRICS[0]: (round(longest, 1), note), METRICS[1]: (len(wrong), "; ".join(wrong[:5]) or note)}


def main() -> None:
    """Write, read, and take away what was written."""
    folder, address, port, seconds = (
        Path(sys.argv[1]) / ".server-loss",
        sys.argv[2],
        int(sys.argv[3]),
        float(sys.argv[4]),
    )
    folder.mkdir(exist_ok=True)
    server = Server(address, port)
    digests, longest, refused = write(folder, seconds)
    silent_s = server.end()
    wrong = refused + differing(folder, digests)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    found = judged(longest, wrong, silent_s, len(digests))
    print(json.dumps({name: {"value": value, "note": note} for name, (value, note) in found.items()}))


if __name__ == "__main__":
    main()
