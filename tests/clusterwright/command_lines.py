"""Command lines as people read them in help, documents and messages: found, and parsed without being run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer
from typer._click.exceptions import BadOptionUsage, MissingParameter, UsageError

from clusterwright.app import app
from clusterwright.tree import Listing

PROGRAM = "clusterwright"
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"(?:^ *(?:\$ )?(?:\.venv/bin/)?|\$\(|&& )clusterwright ([^)\n]*(?:\\\n[^)\n]*)*)", re.MULTILINE)
NAMED = re.compile(r"""[`"]clusterwright ([a-z][^`"\n]*)[`"]""")
SPAN = re.compile(r"`([a-z][^`]*? --[^`]*)`")
A_DAY = "2026-11-21"
"""In place of the day that a message names."""
SHELL = {"|", ">", "<", "&&", ";", "#"}
"""Words at which the shell takes over: what comes after is no argument."""


def parsed(line: str) -> Any:
    """Parse the words after `clusterwright`, and run nothing. Return the command's context; raise as the command would."""
    name, command, words = PROGRAM, command_line(), words_of(line)
    context: Any = None
    while True:
        context = command.make_context(name, words, parent=context)
        rest = [*context._protected_args, *context.args] if isinstance(command, Listing) else []
        if not rest:
            return context
        name, command, words = command.resolve_command(context, rest)


def fault(line: str) -> str:
    """Return what the parser finds wrong. Empty where a line only leaves something out, or goes on in words."""
    try:
        parsed(line)
    except (MissingParameter, BadOptionUsage):
        return ""
    except UsageError as error:
        is_short = "extra argument" in error.message or error.message == "needs a value"
        return "" if is_short else error.message
    return ""


@cache
def command_line() -> Any:
    """Return the whole command line."""
    return typer.main.get_command(app)


def words_of(line: str) -> list[str]:
    """Return the words of a line up to where the shell takes over."""
    words = shlex.split(line.replace("\\\n", " "), comments=True)
    ends = (number for number, word in enumerate(words) if word in SHELL)
    return words[: next(ends, len(words))]


@cache
def commands() -> dict[str, Any]:
    """Return every command and every verb by its name as typed."""
    found = dict(_below(command_line()))
    for name, command in [*found.items()]:
        if isinstance(command, Listing):
            found |= {f"{name} {verb}": below for verb, below in _below(command)}
    return found


def _below(listing: Listing) -> Iterator[tuple[str, Any]]:
    for name in listing.files:
        yield name, listing.resolve_command(None, [name])[1]


def typed(page: Path) -> list[str]:
    """Return the command lines in the code blocks of a page that are typed: not those in Python, or in what a program prints."""
    blocks = FENCE.findall(page.read_text(encoding="utf-8"))
    return [line for language, block in blocks if language in {"", "console"} for line in TYPED.findall(block)]


def named(file: Path) -> list[str]:
    """Return the command lines in backticks or in quotes of a file, as far as they name a command."""
    text = file.read_text(encoding="utf-8")
    return [
        line.replace("\\n", " ").replace("{day}", A_DAY).replace("DATE", A_DAY).replace("{event.seq}", "1")
        for line in NAMED.findall(text)
    ]


def short(page: Path) -> list[str]:
    """Return what a page has in backticks of a command and its options, without the program's name."""
    text = FENCE.sub("", page.read_text(encoding="utf-8")).replace("\n", " ")
    return [line for line in SPAN.findall(text) if line.split()[0] in commands()]
