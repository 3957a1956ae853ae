"""What a form is opened with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tui.acting.command import Command


class Asked(NamedTuple):
    """What a form is opened with: the command, what it is about, and values that are filled in."""

    command: Command
    subjects: Sequence[str]
    values: Mapping[str, str] = {}
    refusals: Callable[[], Mapping[str, str]] = dict
    """Says by subject why the decision would be refused now. Asked in a thread."""
    warnings: Callable[[], Sequence[str]] = tuple
    """Says what the person gives up by the decision. Asked in a thread."""
    answers: bool = False
    """Whether the form is closed before the command runs, and what it says is shown line by line."""

    take: Callable[[Sequence[str]], None] | None = None
    """Gets the command, instead of it being run by the form. What was typed is kept for the next one."""
