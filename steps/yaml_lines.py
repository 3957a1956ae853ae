"""Reads YAML with the line of every key, through libyaml. What a file can cost is bounded before it is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import yaml

from schedule.errors import InputError, Place, UnreachableError

KeyPath: TypeAlias = tuple[str | int, ...]
"""The way to a value: the keys and the indices of lists."""

Lines: TypeAlias = dict[KeyPath, int]

LARGEST = 4_000_000
"""The most bytes of a file. The largest file that comes along has 30,000."""

MOST_VALUES = 200_000
"""The most values of a file, each alias counted as often as it is used."""

DEEPEST = 40
LONGEST_KEY = 500
LONGEST_NUMBER = 64
SHOWN = 120

NESTING = ("[", "{", "- ", "-\t", "? ", "?\t")
"""What can nest a value in another on one line."""

KINDS = {
    "tag:yaml.org,2002:int": "whole number",
    "tag:yaml.org,2002:float": "number",
    "tag:yaml.org,2002:timestamp": "date",
    "tag:yaml.org,2002:bool": "yes or no",
}
"""The tags of values that may be impossible, and what each is in words."""

SHORT = frozenset(KINDS)


class AnyTag(yaml.CSafeLoader):
    """Reads values with tags of other programs, such as Ansible's `!vault`, as nothing."""


AnyTag.add_multi_constructor("!", lambda *_: None)


def load(path: Path, loader: type[yaml.CSafeLoader] = yaml.CSafeLoader) -> tuple[Any, Lines]:
    """Return a file's data, and the line (1-based) of each key; errors name file and line."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise UnreachableError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise UnreachableError(f"{path} is a folder, not a file") from None
    except (OSError, ValueError) as error:  # a name with a NUL byte is a ValueError
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UnreachableError(f"{str(path)[:SHOWN]} cannot be read: {reason}") from None
    if len(content) > LARGEST:
        raise InputError(f"the file is larger than {LARGEST:,} bytes", place=Place(str(path)))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte {error.start + 1} is not UTF-8 text", hint="save the file as UTF-8", place=Place(str(path), line)
        ) from None
    return parse(text, str(path), loader)


def parse(text: str, name: str, loader_type: type[yaml.CSafeLoader] = yaml.CSafeLoader) -> tuple[Any, Lines]:
    """Return the data of YAML text, and the line of each key; errors name `name` as the file."""
    try:
        _refuse_deep(text, name)
        loader = loader_type(text)
        try:
            return _document(loader, name)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        has_tab = mark is not None and text[mark.index : mark.index + 1] == "\t"
        hint = "indent with blanks, not with a tab" if has_tab else ""
        raise InputError(f"not valid YAML: {problem}", hint=hint, place=Place(name, line)) from None


def _document(loader: yaml.CSafeLoader, name: str) -> tuple[Any, Lines]:
    node = loader.get_single_node()
    lines: Lines = {}
    if node is None:
        return None, lines
    _Marking(name, lines).mark(node, (), ())
    try:
        return loader.construct_document(node), lines
    except (ValueError, LookupError, AttributeError, ArithmeticError, TypeError):
        # what PyYAML raises for a value that its tag does not allow: 2026-02-30, or !!int without digits
        raise _impossible_value(node, name) from None


class _Marking:
    """Notes the line of each key, and refuses keys that are given twice, aliases without end, and numbers without bound.

    An alias counts as often as it is used: nine lines of aliases can name a thousand million values.
    """

    def __init__(self, name: str, lines: Lines) -> None:
        self._name = name
        self._lines = lines
        self._values = 0

    def mark(self, node: yaml.Node, at: KeyPath, above: tuple[int, ...]) -> None:
        """Note the lines of a node and of all below it. `above` are the nodes around it."""
        self._refuse_unbounded(node, at, above)
        self._lines.setdefault(at, node.start_mark.line + 1)
        around = (*above, id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                here = (*at, self._key(key))
                if here in self._lines:
                    raise InputError(f"key {here[-1]!r} is given twice", place=self._place(key, here))
                self._lines[here] = key.start_mark.line + 1
                self.mark(value, here, around)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self.mark(value, (*at, index), around)

    def _key(self, key: yaml.Node) -> str:
        if not isinstance(key, yaml.ScalarNode):
            raise InputError("a key is a word, not a list or a mapping", place=self._place(key, ()))
        if len(key.value) > LONGEST_KEY:
            raise InputError(f"a key has at most {LONGEST_KEY} characters", place=self._place(key, ()))
        return str(key.value)

    def _refuse_unbounded(self, node: yaml.Node, at: KeyPath, above: tuple[int, ...]) -> None:
        self._values += 1
        if id(node) in above:
            raise InputError("an alias names a value that it is part of", place=self._place(node, at))
        if len(above) > DEEPEST:
            raise InputError(f"values are nested more than {DEEPEST} deep", place=self._place(node, at))
        if self._values > MOST_VALUES:
            raise InputError(
                f"the file has more than {MOST_VALUES:,} values, each alias counted as often as it is used",
                hint="write less, or use fewer aliases",
                place=self._place(node, at),
            )
        if node.tag in SHORT and len(node.value) > LONGEST_NUMBER:
            raise InputError(
                f"a number or a date has at most {LONGEST_NUMBER} characters, not {len(node.value):,}",
                hint="put it in quotes if it is text",
                place=self._place(node, at),
            )

    def _place(self, node: yaml.Node, at: KeyPath) -> Place:
        return Place(self._name, node.start_mark.line + 1, dotted(at)[:SHOWN])


def _refuse_deep(text: str, name: str) -> None:
    """Raise for text that is nested deeper than `DEEPEST`, before libyaml nests as many calls and the process dies of it.

    Only marks nest without a line of their own; what nests by lines is bounded by the size of the file.
    """
    if sum(map(text.count, NESTING)) <= DEEPEST:
        return
    depth = 0
    loader = yaml.CSafeLoader(text)
    try:
        while loader.check_event():
            event = loader.get_event()
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                mark = getattr(event, "start_mark", None)
                place = Place(name, mark.line + 1 if mark else None)
                raise InputError(f"values are nested more than {DEEPEST} deep", place=place)
    finally:
        loader.dispose()


def _impossible_value(node: yaml.Node, name: str) -> InputError:
    """Return the error for the first value of a document that cannot be what its tag says."""
    front = [node]
    while front:
        one = front.pop()
        if isinstance(one, yaml.MappingNode):
            front += [part for pair in reversed(one.value) for part in reversed(pair)]
        elif isinstance(one, yaml.SequenceNode):
            front += reversed(one.value)
        elif not _is_possible(one):
            what = KINDS.get(one.tag, "value")
            return InputError(f"{one.value[:SHOWN]!r} is no {what}", place=Place(name, one.start_mark.line + 1))
    return InputError("a value cannot be what its tag says", place=Place(name, node.start_mark.line + 1))


def _is_possible(node: yaml.Node) -> bool:
    try:
        yaml.constructor.SafeConstructor().construct_object(node)
    except (ValueError, LookupError, AttributeError, ArithmeticError, TypeError):
        return False
    return True


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
