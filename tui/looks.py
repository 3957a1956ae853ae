"""How values look: states by glyph, word and colour together, so that none of them alone carries the meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal, get_args

from rich.cells import cell_len, set_cell_size
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

DELIVERY = re.compile(r"#\S+(/\d+)$")
"""The name of a delivery, which ends in its number."""

HALF = 0.5
LEAST_CONTRAST = 3.5
"""Between a text and what is behind it."""

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
    role.removesuffix("-reversed"): role for role in get_args(Role) if role.endswith("-reversed")
}
"""The roles with their two colours swapped, for the part of a cell for which there is no block."""


def palette_of(app: App[Any]) -> Palette:
    """Return the colours of the application's theme, by role."""
    return _palette(app.theme, tuple(app.theme_variables.items()))


@lru_cache(maxsize=4)
def _palette(_theme: str, variables: tuple[tuple[str, str], ...]) -> Palette:
    named = dict(variables)
    background = Color.parse(named["background"])

    def style(front: str, back: str, also: str) -> Style:
        text, behind = (Color.parse(named[name.removesuffix("-muted")]) for name in (front, back))
        if text.ansi is not None or behind.ansi is not None:
            shown = [None if one.ansi is not None else one.hex for one in (text, behind)]
            return Style(color=shown[0], bgcolor=shown[1], bold="bold" in also or None)
        text = text.blend(background, 0.4) if front.endswith("-muted") else text
        return Style(color=_readable(text, behind).hex, bgcolor=behind.hex, bold="bold" in also or None)

    made = {role: style(*colours) for role, colours in _MADE.items()}
    return made | {other: made[role] + Style(reverse=True) for role, other in REVERSED.items()}


def _readable(text: Color, behind: Color) -> Color:
    """Return a colour, darker on light and lighter on dark where it would be hard to read: themes choose theirs for one of the two."""
    limit = Color.parse("black" if behind.brightness > HALF else "white")
    tenth = (text.blend(limit, share / 10) for share in range(11))
    return next((one for one in tenth if _contrast(one, behind) >= LEAST_CONTRAST), limit)


def _contrast(one: Color, other: Color) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG counts it."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Color) -> float:
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


STATE_TEXTS = {state: f"{state.glyph} {state.words}" for state in State}
STATE_ROLES: dict[State, Role] = {state: state.colour for state in State}  # type: ignore[misc]
"""How a state reads in a list, and its colour role."""

COLOURS: dict[str, str] = {
    "muted": "grey62",
    "ready": "bright_cyan",
    "active": "bright_yellow",
    "attention": "gold3",
    "good": "sea_green2",
    "bad": "orange_red1",
}
"""The colours of texts that are no list, by role. They are those of the theme as soon as there is one."""


def take_colours(app: App[Any]) -> None:
    """Let texts that are made from now on have the colours of the application's theme, as its lists do."""
    palette = palette_of(app)
    for role in COLOURS:
        colour = palette[role].color  # type: ignore[index]
        COLOURS[role] = "default" if colour is None else colour.name


def coloured(text: str, role: str) -> Text:
    """Return text in the colour of a role."""
    return Text(text, style=COLOURS[role])


def state_text(state: State, flags: frozenset[str] = frozenset()) -> Text:
    """Return a state as glyph and word in its colour, its flags behind it."""
    text = coloured(f"{state.glyph} {state.words}", state.colour)
    for flag in sorted(flags):
        text.append(f" +{flag}", style=f"italic {COLOURS['muted']}")
    return text


def cut(text: str, cells: int) -> str:
    """Return a text that is not wider than so many cells: an ellipsis says that it goes on. The number of a delivery stays behind it."""
    if cell_len(text) <= cells:
        return text
    found = DELIVERY.search(text)
    end = found[1] if found and len(found[1]) < cells - 1 else ""
    return f"{set_cell_size(text, cells - 1 - len(end))}…{end}"


def filled(text: str, cells: int, *, right: bool = False) -> str:
    """Return a text as wide as so many cells, cut or with blanks behind it, or in front of it if it is on the right."""
    shown = cut(text, cells)
    blanks = " " * (cells - cell_len(shown))
    return f"{blanks}{shown}" if right else f"{shown}{blanks}"


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
