"""Text of people and hosts in Markdown."""

from __future__ import annotations

from schedule.text import shown_in_line

MARKS = "\\`*_[]<>|#"


def escaped(text: object) -> str:
    """Return text that Markdown shows as it is."""
    return "".join("\\" + c if c in MARKS else c for c in shown_in_line(text))
