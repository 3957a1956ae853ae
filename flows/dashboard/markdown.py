"""Text in Markdown: that of people and hosts, and the mark of a rehearsal."""

from __future__ import annotations

from schedule.text import shown_in_line

REHEARSAL = "**REHEARSAL: nothing here was really done.**\n\n"
MARKS = "\\`*_[]<>|#"


def escaped(text: object) -> str:
    """Return text that Markdown shows as it is."""
    return "".join("\\" + c if c in MARKS else c for c in shown_in_line(text))
