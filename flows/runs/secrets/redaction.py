"""Taking secrets out of a run's words. Everything that a run says passes through one `Redactor`, in the run's supervisor.

A value is found in the forms in which programs print it: plain, wrapped, quoted for a shell, escaped as JSON, in a URL, in
HTML, as base64 and as hexadecimal digits. White space, quotes, backslashes and case are ignored. What cannot be found: values
that are too short (`secrets.is_worth_hiding`), and what a program has made of a value in another way, such as a half of it.
"""

from __future__ import annotations

import base64
import html
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from flows.runs.secrets.values import is_secret_name, is_worth_hiding

MARK = "[secret]"
"""What a reader sees in place of a secret."""

LONG = 8
"""A form with fewer characters is hidden as a whole word only."""
PREFIX = 4
"""By how many first characters a form is found. No form is shorter."""

Index = dict[str, dict[int, set[str]]]
"""Forms by how they begin and by their length: a site may have a password a host, and all of them may begin alike."""

Span = tuple[int, int]
"""Where something begins and ends in a text."""

_KEPT = re.compile(r"[^\s\"'\\]+")
_LINES = re.compile(r"[\r\n]+")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY-----|\Z)", re.DOTALL
)
_LOGIN = re.compile(r"(?<=://)[^/\s:@]{0,200}:[^/\s@]{1,500}(?=@)")
_NAMED = re.compile(
    r"""(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{0,99})\\{0,9}["']?[ \t]*[:=][ \t]*"""
    r"""(?:"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)'|\\{0,9}["']?(?P<plain>[^\s,;"'}\])\\]+))"""
)
_OPTION = re.compile(r"(?<!\S)--?(?P<name>[A-Za-z][\w-]{0,99})[ \t]+(?P<plain>[^\s-]\S*)")
_HEADER = re.compile(
    r"""(?i)authorization\\{0,9}["']?\s{0,9}[:=]\s{0,9}\\{0,9}["']?[a-z]{1,20}\s{1,9}(?P<plain>[^\s"'\\]+)"""
)
_IN_BASE64 = ((0, 0), (1, 2), (2, 3))
"""How many bytes may be before a value within a group of three, and how many characters then depend on them."""


def without_keys(text: str) -> str:
    """Return a text without the private keys in it, which are known by how they begin and end."""
    return _PRIVATE_KEY.sub(MARK, text)


class _Compact(NamedTuple):
    """A text without the characters that quoting and wrapping add, and where each run of the others was in it."""

    text: str
    starts: list[int]
    begins: list[int]

    def at(self, place: int) -> int:
        """Return where a place of the compact text is in the whole text."""
        run = bisect_right(self.starts, place) - 1
        return self.begins[run] + place - self.starts[run]


class Redactor:
    """Knows secrets, and replaces them in texts. It may learn more of them at any time."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        """Take the values that are known at first."""
        self._known: set[str] = set()
        self._long: Index = {}
        self._words: Index = {}
        self.learn(values)

    def learn(self, values: Iterable[str]) -> None:
        """Hide these values from now on, if they are worth hiding."""
        for value in values:
            whole = value.strip()
            for one in {whole, *_LINES.split(whole)}:
                plain = one.strip()
                if plain not in self._known and is_worth_hiding(plain):
                    self._known.add(plain)
                    self._index(plain)

    def redact(self, text: str) -> str:
        """Return a text without the known secrets, private keys, and log-ins in addresses."""
        return _replaced(text, self._spans(text))

    def redact_words(self, text: str) -> str:
        """Return a text without what `redact` hides, and without what it states under a secret name, as `password=...`."""
        return _replaced(text, (*self._spans(text), *_stated(text)))

    def redact_all(self, data: Any) -> Any:
        """Return plain data in which every text, also of names, is redacted."""
        if isinstance(data, str):
            return self.redact(data)
        if isinstance(data, dict):
            return {self.redact(str(name)): self.redact_all(value) for name, value in data.items()}
        if isinstance(data, list | tuple):
            return [self.redact_all(one) for one in data]
        if isinstance(data, int | float) and self.redact(str(data)) == MARK:
            return MARK
        return data

    def _spans(self, text: str) -> Iterator[Span]:
        for pattern in (_PRIVATE_KEY, _LOGIN):
            yield from (found.span() for found in pattern.finditer(text))
        yield from _words(text, self._words)
        if self._long:
            yield from _anywhere(text, self._long)

    def _index(self, value: str) -> None:
        for form in _forms(value):
            compact = _compact(form).text
            if len(compact) >= LONG and not compact.isdigit():
                _add(self._long, compact)
            elif len(form) >= PREFIX:
                _add(self._words, form)


def _add(index: Index, form: str) -> None:
    index.setdefault(form[:PREFIX], {}).setdefault(len(form), set()).add(form)


def _stated(text: str) -> Iterator[Span]:
    """Yield where a text states a value under a secret name."""
    for pattern in (_NAMED, _OPTION, _HEADER):
        for found in pattern.finditer(text):
            named = pattern is _HEADER or is_secret_name(found["name"])
            if named and is_worth_hiding(found[found.lastgroup or 0]):
                yield found.span(found.lastgroup or 0)


def _forms(value: str) -> Iterator[str]:
    """Yield a value as it is, and as programs write it."""
    octets = value.encode("utf-8", "surrogateescape")
    yield value
    yield json.dumps(value)[1:-1]
    yield quote(octets, safe="")
    yield quote(octets)
    yield quote_plus(octets)
    yield html.escape(value)
    yield octets.hex()
    yield octets.decode("latin-1").encode("unicode_escape").decode("ascii")
    for before, depend in _IN_BASE64:
        coded = base64.b64encode(bytes(before) + octets)
        sure = coded[depend : (before + len(octets)) * 8 // 6].decode("ascii")
        yield sure
        yield sure.replace("+", "-").replace("/", "_")


def _compact(text: str) -> _Compact:
    parts, starts, begins, length = [], [], [], 0
    for run in _KEPT.finditer(text):
        parts.append(_lowered(run[0]))
        starts.append(length)
        begins.append(run.start())
        length += len(run[0])
    return _Compact("".join(parts), starts, begins)


def _lowered(text: str) -> str:
    """Return a text in lower case that is exactly as long."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def _anywhere(text: str, index: Index) -> Iterator[Span]:
    """Yield where a form is in a text, whatever is around it."""
    compact = _compact(text)
    for at, form in _beginning(compact.text, index):
        yield compact.at(at), compact.at(at + len(form) - 1) + 1


def _words(text: str, index: Index) -> Iterator[Span]:
    """Yield where a form is in a text as a whole word."""
    for at, form in _beginning(text, index) if index else ():
        end = at + len(form)
        goes_on = _joined(text[max(at - 1, 0) : at], form[0]) or _joined(form[-1], text[end : end + 1])
        if not goes_on:
            yield at, end


def _joined(left: str, right: str) -> bool:
    """Return whether two neighbours are parts of one word."""
    return left.isalnum() and right.isalnum()


def _beginning(text: str, index: Index) -> Iterator[tuple[int, str]]:
    """Yield the places of a text at which a form begins, with the form."""
    for at in range(len(text) - PREFIX + 1):
        alike = index.get(text[at : at + PREFIX])
        for length, found in alike.items() if alike else ():
            form = text[at : at + length]
            if form in found:
                yield at, form


def _replaced(text: str, spans: Iterable[Span]) -> str:
    """Return a text with the mark in place of each span. Spans that overlap get one mark."""
    parts, done = [], 0
    for begin, end in sorted(spans):
        if begin >= done:
            parts += [text[done:begin], MARK]
        done = max(done, end)
    return "".join((*parts, text[done:]))
