"""The words of a filter: `late mine role:electrical unit:=pod-001 later:>10 -cords "cold plate"`.

A word is one of the list's own words, a field with a value, or text that is looked for everywhere. All of them are true of a row
that is shown. A minus before a word turns it around.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic

from schedule.errors import InputError
from tui.lists.column import Column, Row

Test = Callable[[Row], bool]
Asked = Callable[[str], Test[Row]]
"""Returns the test of a value that was typed. Raises InputError for one that it does not take."""

_WORD = re.compile(r'-?(?:[\w.-]+:=?)?"[^"]*"?|\S+')
_COMPARED = re.compile(r"(<=|>=|<|>)(-?\d+(?:\.\d+)?)$")
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Vocabulary(Generic[Row]):
    """What a filter of one list may say. `words` stand alone, `fields` have a value; each column is a field too."""

    columns: Sequence[Column[Row]]
    words: Mapping[str, Test[Row]]
    fields: Mapping[str, Asked[Row]]

    @property
    def hints(self) -> list[str]:
        """Everything that a filter may begin with."""
        names = {column.name for column in self.columns} | self.fields.keys()
        return [*sorted(self.words), *(f"{name}:" for name in sorted(names))]

    def tests(self, query: str, everywhere: Callable[[str], Test[Row]]) -> list[Test[Row]]:
        """Return the tests of a filter. `everywhere` makes the test whether any text of a row has what was typed."""
        return [self._test(word, everywhere) for word in _WORD.findall(query)]

    def _test(self, word: str, everywhere: Callable[[str], Test[Row]]) -> Test[Row]:
        if word.startswith("-") and len(word) > 1:
            test = self._test(word[1:], everywhere)
            return lambda row: not test(row)
        name, colon, value = word.partition(":")
        value = value.replace('"', "").casefold()
        if not colon:
            return self.words.get(word.casefold()) or everywhere(word.strip('"').casefold())
        if name in self.fields:
            return self.fields[name](value)
        for column in self.columns:
            if column.name == name:
                return _in_column(column, value)
        raise InputError(f"no field {name!r}", hint=f"fields: {', '.join(h for h in self.hints if h.endswith(':'))}")


def _in_column(column: Column[Row], value: str) -> Test[Row]:
    """Return the test whether a cell has one of the values between commas, is one (`=value`), or is above or below a number."""
    compared, order = _COMPARED.match(value), column.order
    if compared and order is not None:
        compare, limit = _COMPARE[compared[1]], float(compared[2])

        def is_beyond(row: Row) -> bool:
            found: Any = order(row)
            return isinstance(found, int | float) and bool(compare(found, limit))

        return is_beyond
    if value.startswith("="):
        return lambda row: column.text(row).casefold() == value[1:]
    wanted = value.split(",")

    @cache  # many rows have the same few texts
    def is_wanted(text: str) -> bool:
        return any(one in text.casefold() for one in wanted)

    return lambda row: is_wanted(column.text(row))
