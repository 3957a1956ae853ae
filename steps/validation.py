"""Turns Pydantic's errors into ours: file, line, key, the nearest valid key, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from schedule.errors import InputError, Place
from schedule.meant import meant
from schedule.text import require_visible
from steps.yaml_lines import KeyPath, Lines, dotted, line_of

SHOWN = 120
"""How many characters of a wrong value a message repeats."""

PATTERNS = {
    r"^[a-z0-9]+(-[a-z0-9]+)*$": "lower-case letters and digits, with hyphens between them",
    r"^[A-Z]{2}$": "a code of two capital letters, as US",
    r"^[A-Z]{3}$": "a code of three capital letters, as EUR",
}
"""What patterns ask for, in words."""

KINDS = {"tuple": "a list", "list": "a list", "dict": "keys and values", "model": "keys and values"}
"""What Pydantic's types are in YAML."""

NAME = re.compile(r"[A-Za-z0-9 _.-]{1,60}")

M = TypeVar("M", bound=BaseModel)


def validated(model: type[M], data: Any, lines: Lines, file: str) -> M:
    """Return the model of parsed YAML; raise InputError for the first fault, with its place."""
    if not isinstance(data, dict):
        what = "there is nothing here; expected keys and values" if data is None else "expected keys and values"
        raise InputError(what, place=Place(file, line_of(lines, ()) or 1))
    _require_visible(data, lines, file)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        # a misspelt key is reported as unknown and as missing: the unknown one says more
        faults = sorted(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
        first = faults[0]
        path = tuple(part for part in first["loc"] if part != "[key]")  # pydantic's mark that the key itself is wrong
        place = Place(file, line_of(lines, path), dotted(path)[:SHOWN])
        others = [_shown(fault["loc"][-1]) for fault in faults[1:] if _is_missing_too(fault, first)]
        too = f"; missing too: {', '.join(others)}" if others else ""
        raise InputError(_sentence(first) + too, hint=_hint(first, model, path), place=place) from None


def _is_missing_too(fault: Any, first: Any) -> bool:
    """Return whether a key is missing where the first one is."""
    return bool(first["type"] == fault["type"] == "missing" and first["loc"][:-1] == fault["loc"][:-1])


def _require_visible(data: Any, lines: Lines, file: str) -> None:
    """Raise InputError for a text with marks that cannot be seen, with its place."""
    for path, text in _texts(data):
        try:
            require_visible(text, "the text", lines=True)
        except InputError as hidden:
            place = Place(file, line_of(lines, path), dotted(path))
            raise InputError(hidden.what, hint=hidden.hint, place=place) from None


def _texts(data: Any) -> Iterator[tuple[KeyPath, str]]:
    """Yield every text of parsed YAML with its path. What an alias repeats is looked at once."""
    left: list[tuple[KeyPath, Any]] = [((), data)]
    seen: set[int] = set()
    while left:
        path, value = left.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict | list) and id(value) not in seen:
            seen.add(id(value))
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            left += [((*path, key if isinstance(key, int) else str(key)), each) for key, each in inner]


def _sentence(fault: Any) -> str:
    if fault["type"] == "extra_forbidden":
        return f"unknown key {_shown(fault['loc'][-1])}"
    if fault["type"] == "missing":
        return f"key {_shown(fault['loc'][-1])} is missing"
    given = fault.get("input")
    if in_words := PATTERNS.get(fault.get("ctx", {}).get("pattern", "")):
        return f"expected {in_words}, not {_shown(given)}"
    if str(fault["type"]).startswith("date"):
        return f"{_shown(given)} is not a date"
    between = "; it is" if fault["type"] == "value_error" else ", not"
    shown = "" if isinstance(given, dict | list) else f"{between} {_shown(given)}"
    if kind := KINDS.get(str(fault["type"]).removesuffix("_type")):
        return f"expected {kind}{shown}"
    message = str(fault["msg"]).removeprefix("Value error, ")
    return message[0].lower() + message[1:] + shown


def _shown(value: Any) -> str:
    text = value.isoformat() if isinstance(value, date) else repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _as_slug(name: str) -> str:
    """Return a name as a slug. Empty for what is no name: an address may hold a password, which no message repeats."""
    return re.sub(r"[ _.-]+", "-", name.lower()).strip("-") if NAME.fullmatch(name) else ""


def _hint(fault: Any, model: type[BaseModel], path: KeyPath) -> str:
    if fault.get("ctx", {}).get("pattern") == next(iter(PATTERNS)):
        return f"write {slug}" if (slug := _as_slug(str(fault["input"]))) else ""
    if str(fault["type"]).startswith("date"):
        return "write 2026-11-21"
    if fault["type"] != "extra_forbidden":
        return ""
    known = list(_keys(model, path[:-1]))
    return meant(str(path[-1]), known, f"known keys: {', '.join(sorted(known))}")


def _keys(model: type[BaseModel], path: Iterable[Any]) -> Iterable[str]:
    """Return the fields of the model at a path, or of the last one on the way that is known."""
    current: Any = model
    for part in path:
        field = current.model_fields.get(part) if isinstance(part, str) else None
        if field is None:
            continue
        inner = [t for t in _types(field.annotation) if isinstance(t, type)]
        models = [t for t in inner if issubclass(t, BaseModel)]
        current = models[0] if models else current
    return list(current.model_fields)


def _types(annotation: Any) -> Iterable[Any]:
    yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _types(argument)
