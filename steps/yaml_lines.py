"""Reads YAML with the line of every key, through libyaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import yaml

from steps.errors import InputError, Place, UnreachableError

KeyPath: TypeAlias = tuple[str | int, ...]
"""The way to a value: the keys and the indices of lists."""

Lines: TypeAlias = dict[KeyPath, int]


def load(path: Path) -> tuple[Any, Lines]:
    """Return a file's data, and the line (1-based) of each key; errors name file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnreachableError(f"{path} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UnreachableError(f"{path} cannot be read: {error}") from None
    return parse(text, str(path))


def parse(text: str, name: str) -> tuple[Any, Lines]:
    """Return the data of YAML text, and the line of each key; errors name `name` as the file."""
    loader = yaml.CSafeLoader(text)
    try:
        node = loader.get_single_node()
        lines: Lines = {}
        if node is None:
            return None, lines
        _mark(node, (), lines, name)
        return loader.construct_document(node), lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        problem = getattr(error, "problem", None) or str(error)
        raise InputError(f"not valid YAML: {problem}", place=Place(name, line)) from None
    finally:
        loader.dispose()


def _mark(node: yaml.Node, at: KeyPath, lines: Lines, name: str) -> None:
    lines.setdefault(at, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*at, str(key.value))
            if here in lines:
                raise InputError(
                    f"key {key.value!r} is given twice",
                    place=Place(name, key.start_mark.line + 1, dotted(here)),
                )
            lines[here] = key.start_mark.line + 1
            _mark(value, here, lines, name)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _mark(value, (*at, index), lines, name)


def dotted(path: KeyPath) -> str:
    """Return a path as text: `people[0].roles`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text


def line_of(lines: Lines, path: KeyPath) -> int | None:
    """Return the line of a key, or of the nearest key above it."""
    for length in range(len(path), -1, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None
