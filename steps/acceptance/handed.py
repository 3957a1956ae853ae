"""The outputs that a playbook handed over for one host. Every reader takes its text from here.

A tool that is absent, that ended with an error, or whose text cannot be read raises `NotMeasuredError`. `measuring` turns
that into a value of None, which never passes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import date
from decimal import ROUND_DOWN, Decimal
from typing import Any, NamedTuple, NoReturn

from steps.value import bounded_number

GARBLED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, SyntaxError)
"""Errors that parsers raise on garbled text; the XML parser raises SyntaxError."""

Accepted = Collection[int] | None
"""The exit statuses with which a tool's text counts; None accepts any."""

Sections = list[tuple[str, str]]
"""Headings of a text, each with what is below it."""

MILLIONTH = Decimal("0.000001")
SAID_LENGTH = 80

LONGEST_TEXT = 8_000_000
"""The most characters of one tool's output on one host."""

LONGEST_LINE, MOST_BLANKS = 5000, 1000
BLANKS = re.compile(r"\s+")
"""Spaces and empty lines in a row."""

CARRIERS = frozenset({"sh", "cat", "echo"})
"""Commands that only pass on the text of something else; the output's own name says more."""


RawOutputs = Mapping[str, Mapping[str, Any]]
"""What a playbook hands over of a host: by name an output with `tool`, `rc`, `stdout` and `missing_package`.

`left_out` is how many characters a tool printed whose text was too long to be handed over.
"""


class NotMeasuredError(Exception):
    """A metric cannot be read, for the reason in the message. `measuring` catches it; it is never shown."""


class Found(NamedTuple):
    """A value that was read; the note names what determined it."""

    value: Decimal | bool
    note: str = ""


class Handed:
    """The raw outputs of one host by name. It remembers which tool was read last."""

    def __init__(self, raw: RawOutputs, design: Mapping[str, Any], today: date) -> None:
        """Keep the outputs as they are; they are checked when they are read."""
        self._raw = raw
        self.design = design
        self.today = today
        self.tool = ""

    def named(self, kind: str) -> list[str]:
        """Return the names of the outputs of a kind: `KIND`, and `KIND:NAME` where there are several."""
        return [name for name in self._raw if name.partition(":")[0] == kind]

    def is_there(self, name: str) -> bool:
        """Return whether the tool was found on the host, whatever it printed."""
        entry = self._raw.get(name)
        return isinstance(entry, Mapping) and not entry.get("missing_package")

    def rc(self, name: str) -> int:
        """Return the exit status; an entry without one is garbled."""
        rc = self._entry(name).get("rc")
        if isinstance(rc, bool) or not isinstance(rc, int):
            self.garbled()
        return rc

    def text(self, name: str, *, accept: Accepted = (0,)) -> str:
        """Return what the tool printed, if its exit status is accepted; None accepts any."""
        entry = self._entry(name)
        said = entry.get("stdout")
        if not isinstance(said, str):
            self.garbled()
        length = int(entry.get("left_out") or len(said))
        if length > LONGEST_TEXT:
            raise NotMeasuredError(f"{self.tool} printed {length:,} characters, and at most {LONGEST_TEXT:,} are read")
        if _is_endless(said):
            self.garbled()
        if accept is not None and (rc := self.rc(name)) not in accept:
            words = said.strip().splitlines()
            reason = f": {words[0][:SAID_LENGTH]}" if words else ""
            raise NotMeasuredError(f"{self.tool} ended with exit status {rc}{reason}")
        return said

    def document(self, name: str, *, accept: Accepted = (0,)) -> Any:
        """Return the tool's JSON with exact decimals, if its exit status is accepted; NaN and Infinity are garbled."""
        return json.loads(self.text(name, accept=accept), parse_float=Decimal, parse_constant=_no_number)

    def lines(self, name: str, *, accept: Accepted) -> list[Any]:
        """Return the JSON documents of a text that has one in each line, as a loop over drives or ports prints them."""
        text = self.text(name, accept=accept)
        said = [line for line in text.splitlines() if line.strip()]
        if not said:
            self.garbled()
        return [json.loads(line, parse_float=Decimal, parse_constant=_no_number) for line in said]

    def sections(self, name: str, head: re.Pattern[str], accept: Accepted) -> Sections:
        """Return each heading with the text below it; `head` has one group. Text before the first one is garbled."""
        before, *parts = head.split(self.text(name, accept=accept))
        if before.strip() or not parts:
            self.garbled()
        headings, texts = parts[0::2], parts[1::2]
        return list(zip(headings, texts, strict=True))

    def garbled(self) -> NoReturn:
        """Raise NotMeasuredError for the tool that was read last."""
        raise NotMeasuredError(f"the output of {self.tool} does not parse")

    def _entry(self, name: str) -> Mapping[str, Any]:
        entry = self._raw.get(name)
        self.tool = name
        if not isinstance(entry, Mapping):
            raise NotMeasuredError(f"the playbook did not read {name}")
        if isinstance(tool := entry.get("tool"), str) and tool and tool not in CARRIERS:
            self.tool = tool
        if package := entry.get("missing_package"):
            raise NotMeasuredError(f"install {package}")
        return entry


def _is_endless(said: str) -> bool:
    """Return whether a text has what no tool prints, and on which a reader's patterns would search for hours.

    Documents, which have long lines, are read by parsers.
    """
    is_document = said.lstrip()[:1] in {"{", "[", "<"}
    return not is_document and (
        any(len(line) >= LONGEST_LINE for line in said.split("\n"))
        or any(len(blanks) >= MOST_BLANKS for blanks in BLANKS.findall(said))
    )


def number(value: Any) -> Decimal:
    """Return a bounded, non-negative number of a document; raise TypeError or ValueError if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise TypeError(value)
    found = bounded_number(str(value))
    if found is None or found < 0:
        raise ValueError
    return found


def share_of(part: Decimal | int, whole: Decimal | int) -> Decimal:
    """Return a part's share of a whole, rounded down to six decimals, so that only the whole itself is 1."""
    return (Decimal(part) / whole).quantize(MILLIONTH, ROUND_DOWN).normalize()


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
