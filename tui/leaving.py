"""Whether a screen can still show what a worker has read: people leave screens while they read."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen


def is_open(screen: Screen[Any]) -> bool:
    """Return whether a screen has its widgets. `is_mounted` stays true while they are removed; `display` does not."""
    return screen.is_mounted and screen.display
