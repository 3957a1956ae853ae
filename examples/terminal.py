"""A real terminal that a script uses as a person does: it presses keys, and waits until a text is on the screen. Needs tmux."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

WIDTH, HEIGHT = 120, 40
LOOK_S = 0.1
LOOKS = 2
PATIENCE_S = 60.0
KEY_S = 0.1
"""How long a person takes from one key to the next, at the least."""


class Terminal:
    """The screens of one site in tmux, and every key that was pressed."""

    def __init__(self, site: Path) -> None:
        """Open the screens."""
        self.keys: list[str] = []
        """The keys since the last look at them, as they are written down. A text is one entry."""
        self.count = 0
        """How many keys these were, each character of a text for itself."""
        self._socket = f"clusterwright-{os.getpid()}"
        # Both would count for more than the terminal's own size.
        line = shlex.join(
            ["env", "-u", "COLUMNS", "-u", "LINES", sys.executable, "-m", "clusterwright", "tui", "--site", str(site)]
        )
        size = ("-x", str(WIDTH), "-y", str(HEIGHT))
        self._tmux("new-session", "-d", "-s", "screens", *size, line)

    def press(self, *keys: str) -> None:
        """Press keys, by the names that tmux has for them."""
        for key in keys:
            self._tmux("send-keys", "-t", "screens", key)
            time.sleep(KEY_S)
        self.keys += [f"`{key}`" for key in keys]
        self.count += len(keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self._tmux("send-keys", "-t", "screens", "-l", text)
        time.sleep(KEY_S)
        self.keys.append(f'"{text}"')
        self.count += len(text)

    def see(self, *texts: str, gone: str = "", seconds: float = PATIENCE_S) -> str:
        """Return the screen once it shows all of the texts, and not the one that has to go, at two looks: one may be half painted."""
        end = time.monotonic() + seconds
        looks = 0
        while time.monotonic() < end:
            frame = self.frame()
            looks = looks + 1 if all(text in frame for text in texts) and not (gone and gone in frame) else 0
            if looks == LOOKS:
                return frame
            time.sleep(LOOK_S)
        sys.exit(f"not seen in {seconds:.0f} s: {texts}, or still there: {gone!r}. The screen is\n{self.frame()}")

    def frame(self) -> str:
        """Return what is on the screen. Lines without anything are left out."""
        lines = self._tmux("capture-pane", "-p", "-t", "screens").splitlines()
        return "\n".join(line.rstrip() for line in lines if line.strip())

    def taken_keys(self) -> tuple[list[str], int]:
        """Return the keys since the last time, and how many."""
        taken = self.keys, self.count
        self.keys, self.count = [], 0
        return taken

    def close(self) -> None:
        """Leave the screens."""
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> str:
        result = subprocess.run(["tmux", "-L", self._socket, *words], check=True, capture_output=True, text=True)
        return result.stdout
