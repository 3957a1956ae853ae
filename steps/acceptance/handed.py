"""What a playbook handed over for one host, and the one way in which reading it may end badly.

Every reader takes its text from here. A tool that is absent, that ended with an error or whose text is not
what it should be raises `NotMeasuredError`; `measuring` turns that into a value of None. Nothing here passes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn

GARBLED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, SyntaxError)
"""What parsers raise on garbled text; SyntaxError is the XML parser's."""

SAID_LENGTH = 80

CARRIERS = frozenset({"sh", "cat", "echo"})
"""Commands that only carry what something else says; the output's own name tells more."""


class NotMeasuredError(Exception):
    """A metric cannot be read; the sentence says what is in the way. Caught in `measuring`, never shown."""


class Found(NamedTuple):
    """A value that was read; the note names what decided it."""

    value: Decimal | bool
    note: str = ""


class Handed:
    """The raw outputs of one host, by name; remembers which tool was read last."""

    def __init__(self, raw: Mapping[str, Mapping[str, Any]], design: Mapping[str, Any], today: date) -> None:
        """Keep the outputs as they came; they are checked where they are read."""
        self._raw = raw
        self.design = design
        self.today = today
        self.tool = ""

    def is_there(self, name: str) -> bool:
        """Say whether the tool was found on the host, whatever it said."""
        entry = self._raw.get(name)
        return isinstance(entry, Mapping) and not entry.get("missing_package")

    def rc(self, name: str) -> int:
        """Give the exit status; an entry without one is garbled."""
        rc = self._entry(name).get("rc")
        if isinstance(rc, bool) or not isinstance(rc, int):
            self.garbled()
        return rc

    def text(self, name: str, *, accept: Collection[int] | None = (0,)) -> str:
        """Give what the tool printed, where its exit status is accepted; None accepts any."""
        entry = self._entry(name)
        said = entry.get("stdout")
        if not isinstance(said, str):
            self.garbled()
        if accept is not None and (rc := self.rc(name)) not in accept:
            words = said.strip().splitlines()
            reason = f": {words[0][:SAID_LENGTH]}" if words else ""
            raise NotMeasuredError(f"{self.tool} ended with exit status {rc}{reason}")
        return said

    def document(self, name: str, *, accept: Collection[int] | None = (0,)) -> Any:
        """Give the tool's JSON with exact decimals, where its exit status is accepted; NaN and Infinity are no numbers."""
        return json.loads(self.text(name, accept=accept), parse_float=Decimal, parse_constant=_no_number)

    def lines(self, name: str, *, accept: Collection[int] | None = (0,)) -> list[Any]:
        """Give JSON documents of which each stands on a line of its own, as a loop over drives or ports hands over."""
        said = [line for line in self.text(name, accept=accept).splitlines() if line.strip()]
        if not said:
            self.garbled()
        return [json.loads(line, parse_float=Decimal, parse_constant=_no_number) for line in said]

    def garbled(self) -> NoReturn:
        """Give up on the tool that was read last."""
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


def number(value: Any) -> Decimal:
    """Give a finite, non-negative number of a document; a truth value or a word is none."""
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise TypeError(value)
    found = Decimal(value)
    if not found.is_finite() or found < 0:
        raise ValueError(value)
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
