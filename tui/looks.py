"""How states look: glyph, word and colour together, so that none of them alone carries the meaning."""

from __future__ import annotations

from rich.text import Text

from ledger.rules.activity import State

COLOURS = {
    "muted": "grey62",
    "ready": "bright_cyan",
    "active": "bright_yellow",
    "attention": "gold3",
    "good": "sea_green2",
    "bad": "orange_red1",
}
"""Chosen by contrast on dark and light; no red and green pair."""


def state_text(state: State, flags: frozenset[str] = frozenset()) -> Text:
    """Give a state as glyph and word in its colour, its flags behind it."""
    text = Text(f"{state.glyph} {state.words}", style=COLOURS[state.colour])
    for flag in sorted(flags):
        text.append(f" +{flag}", style="italic grey62")
    return text


def safe(value: object) -> Text:
    """Give text from files, hosts and people as it is: no markup, no control characters."""
    return Text("".join(c for c in str(value) if c == "\n" or c.isprintable()))
