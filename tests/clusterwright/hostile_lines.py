"""Command lines from the real command tree, with values that nobody foresaw. Drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.clusterwright.command_lines import commands
from tests.clusterwright.mutations import HOSTILE

ENDLESS = frozenset({"up", "tui", "dashboard", "rehearse", "worker", "logs"})
"""Commands that run until they are stopped. They are called for a site that is not there."""

NEVER = frozenset({"--fix"})
"""What installs programs on this machine."""

KNOWN = (
    "071@site", "034@pod-001", "H08@pod-001", "141@site", "195@site", "001@site", "054@pod-001", "001@site#gpu-server",
    "001@site#gpu-server/1", "045@site#cable/1", "owner", "operator", "reviewer", "sponsor", "rigger", "NCR-0001", "CO-0001",
    "power", "networking", "superpod-1su", "localhost", "h100-8-servers", "nodes=64", "fabric.radix=128", "cooling=air", "1", "2", "120",
    "2026-11-21", "2026-11-21T14:30+01:00", "USD", "12.5", "pass", "fail", "071@*", "*@site", "feed.voltage=415V",
    "rack.bond_resistance=0.05ohm", "power.factor", "H08", "034", "X01", "a word", "go-live",
)  # fmt: skip
"""Words that mean something at the site."""

PATHS = (
    "site.yaml", "ledger.db", "evidence", ".", "missing", "missing/deeper/still", "site.yaml/inside", "a" * 300, "a/" * 1500,
    "broken-link", "circle", "nothing.txt", "bytes.bin", "text.txt", "ümläut.csv", "-", "--", "new-folder", "new.json",
)  # fmt: skip
"""Paths in the site's folder: files, folders, links in a circle, and what is not there."""


def line(draw: random.Random) -> list[str]:
    """Return the words of one command line after `clusterwright`."""
    name, command = draw.choice([*commands().items()])
    words = [*name.split(), *_words(command, draw)]
    if draw.random() < 0.15:
        words = _jumbled(words, draw)
    words = [word for word in words if word not in NEVER and "\x00" not in word]
    if ENDLESS.intersection(words[:1]):
        return [*words, "--site", "no-such-site"]
    return [*words, *(["--site", "."] if _takes(command, "--site") and "--site" not in words else [])]


def _takes(command: Any, option: str) -> bool:
    return any(option in given.opts for given in command.params)


def _words(command: Any, draw: random.Random) -> Iterator[str]:
    arguments: list[str] = []
    for given in command.params:
        if given.param_type_name == "argument":
            count = draw.choice((1, 1, 1, 2, 40)) if given.nargs == -1 else 1
            if given.required or draw.random() < 0.7:
                arguments += [_value(given, draw) for _ in range(count)]
        elif _is_wanted(given, draw):
            yield draw.choice([name for name in given.opts if name.startswith("--")] or given.opts)
            if not given.is_flag:
                yield _value(given, draw)
    yield from arguments


def _is_wanted(given: Any, draw: random.Random) -> bool:
    if NEVER.intersection(given.opts) or "--help" in given.opts:
        return False
    likely = {"--as": 0.8, "--yes": 0.6, "--site": 0.05, "--json": 0.3}
    return given.required or draw.random() < likely.get(given.opts[0], 0.4)


def _value(given: Any, draw: random.Random) -> str:
    if "--as" in given.opts:
        return draw.choice(("owner", "owner", "operator", "reviewer", draw.choice(HOSTILE)))
    is_path = "Path" in str(given.type_descriptor.annotation)
    pools = (PATHS, PATHS, PATHS, HOSTILE) if is_path else (KNOWN, KNOWN, HOSTILE, PATHS)
    return draw.choice(draw.choice(pools))


def _jumbled(words: list[str], draw: random.Random) -> list[str]:
    """Return the words with one left out, given twice, or put elsewhere, or with one that no command knows."""
    at = draw.randrange(len(words))
    match draw.randrange(4):
        case 0:
            return words[:at] + words[at + 1 :]
        case 1:
            return [*words, words[at]]
        case 2:
            return [*words[:at], draw.choice(HOSTILE), *words[at:]]
        case _:
            return [*words, draw.choice(("--no-such-option", "--site", "-x", "--json=1", "--as"))]
