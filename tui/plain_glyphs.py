"""ASCII in place of the signs that a terminal cannot show: a console without Unicode, as TERM=linux or a locale of its own."""

from __future__ import annotations

import locale
import os

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

PLAIN = {
    ord(sign): plain
    for plain, signs in {
        " ": "\N{NO-BREAK SPACE}",
        "+": "✔◆┼╭╮╰╯└±",
        "!": "✘",
        "o": "○◇",
        ".": "◌·░┄",
        ">": "▶▸›→»",
        "<": "◀◂←",
        "%": "◐◑▓",
        "?": "✎",
        "&": "✍",
        "#": "≠█▉▊▋▌▍▎▏■",
        "=": "⏸‖▒▤",
        "-": "–─",
        "~": "…≈",
        "^": "↑▲",
        "v": "↓▾▼",
        "x": "×",
        "*": "●",
        "|": "│",
        ":": "┊",
        ";": "╎",
        "[": "├",
        "]": "┤",
        "_": "□",
        "$": "⏎",
        **dict(zip("1234567", "▁▂▃▄▅▆▇", strict=True)),
    }.items()
    for sign in signs
}
"""Each sign with the character that stands for it. Words stand beside all of them."""


def is_plain() -> bool:
    """Return whether this terminal shows ASCII only."""
    return os.environ.get("TERM") == "linux" or "utf" not in locale.getpreferredencoding(do_setlocale=False).lower()


class PlainGlyphs(LineFilter):
    """Replaces signs in every line that is painted."""

    def apply(self, segments: list[Segment], _background: Color) -> list[Segment]:
        """Return the line in ASCII."""
        return [Segment(_plain(text), style, control) for text, style, control in segments]


def _plain(text: str) -> str:
    """Return a text in ASCII, as wide as it was. What has no sign in ASCII, as a letter of a name, is a question mark."""
    text = text.translate(PLAIN)
    return text if text.isascii() else "".join(one if one.isascii() else "?" * cell_len(one) for one in text)
