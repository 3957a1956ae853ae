"""A command that a message tells a person to paste, as a shell reads it."""

from __future__ import annotations

import subprocess


def as_a_shell_reads(command: str) -> list[str]:
    """Return the words that a shell makes of a command, each in a line. What it runs beside that is seen in them."""
    asked = ["sh", "-c", f"printf '%s\\n' {command}"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.splitlines()
