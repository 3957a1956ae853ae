"""Compares the configuration that a switch has with the one that is drawn for it.

NVUE shows what was set: a list with a header and one `set`, in which ports with the same settings share an entry (`swp1-4`). Of
interfaces, bridge, routing, tunnels and service classes everything is drawn, so that a setting which is not is a difference too.
Elsewhere, as in accounts and access lists, other steps and people set more; there only what is drawn is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

OWNED = frozenset({"interface", "bridge", "router", "vrf", "nve", "evpn", "qos"})
"""Parts of the configuration of which all is drawn."""

LISTS = frozenset({"interface", "member", "vlan", "vni", "neighbor"})
"""Parts whose keys may be several names in one."""

MOST = 4096
"""The most names that a range stands for: the VLANs of a switch."""

RANGE = re.compile(r"(.*?)(\d{1,4})-(\d{1,4})(.*)", re.ASCII)
LAST_NUMBER = re.compile(r"\d+$", re.ASCII)

SET = "set"
"""What stands for a key without a value."""

Tree = dict[str, "Tree | str"]


class NoConfigurationError(ValueError):
    """A document is not what NVUE shows, for the reason in the message."""


class Difference(NamedTuple):
    """A setting that is not as drawn. The path has the words of `nv set`; what is not there is empty."""

    switch: str
    path: str
    drawn: str
    found: str


def differences(switch: str, drawn: object, found: object) -> list[Difference]:
    """Return what differs, in the order of the paths. Raise NoConfigurationError if a document is none of NVUE's."""
    ours, theirs = settings(drawn), settings(found)
    return [Difference(switch, " ".join(path), *values) for path, *values in _differing(ours, theirs, ())]


def settings(document: object) -> Tree:
    """Return the settings of a document as it is written, shown or patched. Raise NoConfigurationError if it is none."""
    parts = document if isinstance(document, list) else [{"set": document}]
    tree: Tree = {}
    for part in parts:
        if not isinstance(part, dict):
            raise NoConfigurationError("no list of settings")
        if SET in part:
            _join(tree, part[SET])
    if not tree:
        raise NoConfigurationError("no settings")
    return tree


def _join(tree: Tree, more: object) -> None:
    if not isinstance(more, dict):
        raise NoConfigurationError("no settings")
    for key, value in more.items():
        _join_one(tree, str(key), value, shares_entries=False)


def _join_one(tree: Tree, key: str, value: object, *, shares_entries: bool) -> None:
    for name in names_of(key) if shares_entries else (key,):
        if value is None or value == {}:
            tree.setdefault(name, {})
        elif isinstance(value, dict):
            under = tree.setdefault(name, {})
            if not isinstance(under, dict):
                raise NoConfigurationError(f"{name} has a value and settings")
            for each, inner in value.items():
                _join_one(under, str(each), inner, shares_entries=name in LISTS)
        else:
            tree[name] = _text(value)


def names_of(key: str) -> list[str]:
    """Return the names that a key stands for: `swp1-2,4` is swp1, swp2 and swp4; `swp1s0-1` is swp1s0 and swp1s1."""
    if "," not in key and "-" not in key:
        return [key]
    found: list[str] = []
    prefix = ""
    for part in key.split(","):
        whole = prefix + part if part[:1].isdigit() else part
        prefix = LAST_NUMBER.sub("", RANGE.sub(r"\1\2", whole))
        found += _ranged(whole)
    if len(found) > MOST:
        raise NoConfigurationError(f"{key[:40]} stands for too many names")
    return found


def _ranged(name: str) -> list[str]:
    match = RANGE.fullmatch(name)
    if match is None:
        return [name]
    before, first, last, after = match.groups()
    numbers = range(int(first), int(last) + 1)
    return [full for number in numbers for full in _ranged_rest(f"{before}{number}", after)]


def _ranged_rest(before: str, after: str) -> list[str]:
    return [before + rest for rest in _ranged(after)] if after else [before]


def _text(value: object) -> str:
    """Return a value as NVUE's command line has it. YAML reads `on` as true."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _differing(drawn: Tree, found: Tree, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    for key in sorted(drawn.keys() | found.keys()):
        here = (*path, key)
        ours, theirs = drawn.get(key), found.get(key)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            yield from _differing(ours, theirs, here)
        elif ours is None:
            if here[0] in OWNED and theirs is not None:
                yield from ((at, "", value) for at, value in _leaves(theirs, here))
        elif theirs is None:
            yield from ((at, value, "") for at, value in _leaves(ours, here))
        elif ours != theirs:
            yield here, _shown(ours), _shown(theirs)


def _leaves(tree: Tree | str, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(tree, Mapping) and tree:
        for key in sorted(tree):
            yield from _leaves(tree[key], (*path, key))
    else:
        yield path, _shown(tree)


def _shown(value: Tree | str) -> str:
    return value if isinstance(value, str) else SET
