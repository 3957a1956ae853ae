"""How fast the screens are, through a real terminal: bytes are written as keys, and read until nothing more is painted.

    python -m benchmarks.screens SITE [COLUMNSxROWS]

Textual's own pilot waits between keys, so it cannot see this. Times are milliseconds from a key to the last byte that it paints;
a key that paints nothing counts as fast as it was seen to be silent.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SILENCE_S = 0.06
"""How long nothing is painted before a key counts as answered."""

FIRST_S = 0.5
"""How long a key may paint nothing. One that paints nothing at all counts as 0 ms."""

WORKS_OUT_S = 30.0
DOWN, UP, PAGE_DOWN, PAGE_UP, END, HOME = "\x1b[B", "\x1b[A", "\x1b[6~", "\x1b[5~", "\x1b[F", "\x1b[H"
MOVES = (*[DOWN] * 20, *[PAGE_DOWN] * 10, *[UP] * 10, *[PAGE_UP] * 5, END, HOME, END, PAGE_UP)
FILTER = (*"/state:ready late", "\x17", "\x17", *"pod-01 rack", "\x1b", *"/role:electrical", "\r")
SCREENS = {
    "morning": "1",
    "steps": "2",
    "inbox": "3",
    "orders": "4",
    "runs": "5",
    "gantt": "6",
    "crews": "7",
    "risk": "8",
    "floor": "9",
    "record": "0",
    "quality": "-",
}
WITH_FILTER = {"steps", "orders", "gantt", "record", "quality"}


class Start(NamedTuple):
    """When the first bytes came and when go-live was painted, in seconds."""

    skeleton: float
    data: float


class Terminal:
    """The screens in a terminal of their own."""

    def __init__(self, site: Path, columns: int, rows: int) -> None:
        """Start them."""
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
            os.execv(sys.executable, [sys.executable, "-m", "clusterwright", "tui", "--site", str(site)])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, silence: float, most: float = WORKS_OUT_S, first: float = 0.0) -> tuple[bytes, float]:
        """Return what is painted until there is silence, and when its last byte came, in seconds from now."""
        painted, began = b"", time.perf_counter()
        last = began
        while time.perf_counter() - began < most:
            ready, _, _ = select.select([self.fd], [], [], silence if painted else max(silence, first))
            if not ready:
                break
            painted += os.read(self.fd, 1_000_000)
            last = time.perf_counter()
        return painted, last - began

    def press(self, key: str) -> float:
        """Press a key and return the milliseconds until the last byte that it paints."""
        os.write(self.fd, key.encode())
        _, seconds = self.read(SILENCE_S, first=FIRST_S)
        return seconds * 1000

    def start(self) -> Start:
        """Return when something is painted, and when go-live is."""
        skeleton = data = 0.0
        seen = b""
        while not data and time.perf_counter() - self.began < WORKS_OUT_S:
            found, _ = self.read(0.02, most=0.05)
            now = time.perf_counter() - self.began
            seen += found
            if b"reading the ledger" in seen:
                skeleton = skeleton or now
            if b"P80" in seen or b"went live" in seen:
                data = now
        self.read(1.0)
        return Start(skeleton, data)

    def memory(self) -> int:
        """Return the resident memory of the screens, in MB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) // 1024
        return 0

    def processor(self) -> float:
        """Return the processor seconds that the screens have used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Stop them."""
        with contextlib.suppress(OSError):
            for key in ("\x1b", "\x1b", "q"):
                os.write(self.fd, key.encode())
                self.read(0.5)
            os.close(self.fd)
        os.waitpid(self.pid, 0)


def line(name: str, found: Sequence[float]) -> str:
    """Return a line of the table."""
    ordered = sorted(found)
    p95 = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]
    return f"| {name} | {len(found)} | {statistics.median(found):.0f} | {p95:.0f} | {ordered[-1]:.0f} |"


def another_event(terminal: Terminal, site: Path) -> tuple[float, float]:
    """Record an event in another process. Return after how many seconds it was painted, and the processor seconds it took."""
    terminal.read(1.0)
    before = terminal.processor()
    words = [sys.executable, "-m", "clusterwright", "comment", "195@site", "seen", "--site", str(site), "--as", "owner"]
    subprocess.run(words, check=True, capture_output=True)
    began = time.perf_counter()
    _, seconds = terminal.read(1.5, most=5.0)
    return time.perf_counter() - began if seconds == 0 else seconds, terminal.processor() - before


def main(site: Path, size: str) -> None:
    """Print the table."""
    columns, rows = map(int, size.split("x"))
    terminal = Terminal(site, columns, rows)
    start = terminal.start()
    print(
        f"skeleton {start.skeleton:.2f} s, data {start.data:.2f} s, {columns}x{rows}, load {os.getloadavg()[0]:.1f}\n"
    )
    print("| screen, keys | n | p50 ms | p95 ms | max ms |\n|---|---|---|---|---|")
    for name, key in SCREENS.items():
        shown = terminal.press(key)
        terminal.read(1.0)
        print(line(f"{name}: {shown:.0f} ms to show", [terminal.press(move) for move in MOVES]))
        if name in WITH_FILTER:
            print(line(f"{name}: filter", [terminal.press(typed) for typed in FILTER]))
            terminal.press("\x1b")
    terminal.press("2")
    seconds, processor = another_event(terminal, site)
    print(f"\nanother process's event: on screen after {seconds:.2f} s, {processor:.3f} s of processor")
    print(f"memory {terminal.memory()} MB")
    terminal.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "160x45")
