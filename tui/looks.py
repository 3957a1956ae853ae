"""How values look: states by glyph, word and colour together, so that none of them alone carries the meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal

from rich.style import Style
from rich.text import Text
from textual.app import App
from textual.color import Color

from ledger.rules.activity import State
from schedule.text import shown_in_line
from steps.stamps import local_day

Role = Literal[
    "text",
    "muted",
    "ready",
    "active",
    "attention",
    "good",
    "bad",
    "head",
    "heading",
    "cursor",
    "cursor-away",
    "warning",
    "text-reversed",
    "muted-reversed",
    "ready-reversed",
    "active-reversed",
    "attention-reversed",
    "good-reversed",
    "bad-reversed",
]
"""What a colour says. A theme says which colour that is."""

Palette = Mapping[Role, Style]

_MADE: dict[Role, tuple[str, str, str]] = {
    "text": ("foreground", "background", ""),
    "muted": ("foreground-muted", "background", ""),
    "ready": ("primary", "background", ""),
    "active": ("accent", "background", ""),
    "attention": ("warning", "background", ""),
    "good": ("success", "background", ""),
    "bad": ("error", "background", "bold"),
    "head": ("foreground", "surface", "bold"),
    "heading": ("foreground-muted", "panel", "bold"),
    "cursor": ("background", "primary", "bold"),
    "cursor-away": ("foreground", "panel", ""),
    "warning": ("background", "warning", "bold"),
}
"""By role: the theme's variables of its two colours, and what else."""

REVERSED: dict[Role, Role] = {
    "text": "text-reversed",
    "muted": "muted-reversed",
    "ready": "ready-reversed",
    "active": "active-reversed",
    "attention": "attention-reversed",
    "good": "good-reversed",
    "bad": "bad-reversed",
}
"""The roles with their two colours swapped, for the part of a cell for which there is no block."""


def palette_of(app: App[Any]) -> Palette:
    """Return the colours of the application's theme, by role."""
    return _palette(app.theme, tuple(app.theme_variables.items()))


@lru_cache(maxsize=4)
def _palette(_theme: str, variables: tuple[tuple[str, str], ...]) -> Palette:
    named = dict(variables)
    background = Color.parse(named["background"])

    def colour(name: str) -> str | None:
        found = Color.parse(named[name.removesuffix("-muted")])
        if found.ansi is not None:
            return None
        return (found.blend(background, 0.4) if name.endswith("-muted") else found).hex

    made = {
        role: Style(color=colour(front), bgcolor=colour(back), bold="bold" in also or None)
        for role, (front, back, also) in _MADE.items()
    }
    return made | {other: made[role] + Style(reverse=True) for role, other in REVERSED.items()}


STATE_TEXTS = {state: f"{state.glyph} {state.words}" for state in State}
STATE_ROLES: dict[State, Role] = {state: state.colour for state in State}  # type: ignore[misc]
"""How a state reads in a list, and its colour role."""

COLOURS = {
    "muted": "grey62",
    "ready": "bright_cyan",
    "active": "bright_yellow",
    "attention": "gold3",
    "good": "sea_green2",
    "bad": "orange_red1",
}
"""Chosen by contrast on dark and light; no red and green pair."""


def coloured(text: str, role: str) -> Text:
    """Return text in the colour of a role."""
    return Text(text, style=COLOURS[role])


def state_text(state: State, flags: frozenset[str] = frozenset()) -> Text:
    """Return a state as glyph and word in its colour, its flags behind it."""
    text = coloured(f"{state.glyph} {state.words}", state.colour)
    for flag in sorted(flags):
        text.append(f" +{flag}", style="italic grey62")
    return text


def safe(cell: object) -> Text:
    """Return text from files, hosts and people in one line: no markup, and hidden marks made visible. A `Text` is kept."""
    return cell if isinstance(cell, Text) else Text(shown_in_line(cell))


def safe_lines(lines: Iterable[object]) -> Text:
    """Return a line for each text. A text with several lines stays in its own."""
    return Text("\n").join(map(safe, lines))


def day_text(day: date | None, zone: str) -> str:
    """Return a day as 2026-11-20: of an instant that in a time zone. Empty for None."""
    if isinstance(day, datetime):
        day = local_day(day, zone)
    return f"{day:%Y-%m-%d}" if day else ""
