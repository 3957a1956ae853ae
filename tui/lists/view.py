"""Which rows of a list are shown, and in which order: numbers of rows, without anything painted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Generic, NamedTuple

from schedule.errors import InputError
from tui.lists.column import Column, Row
from tui.lists.words import Asked, Test, Vocabulary


class Head(NamedTuple):
    """The line above the rows of a group."""

    name: str
    rows: int


class View(Generic[Row]):
    """Rows by key, what is typed as a filter, the order, the groups and the marks. `lines` is what is shown: rows and heads."""

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], str],
        words: Mapping[str, Test[Row]] | None = None,
        fields: Mapping[str, Asked[Row]] | None = None,
        text: Callable[[Row], str] | None = None,
        counts: Test[Row] = lambda _: True,
    ) -> None:
        """Take the columns, what names a row, and what a filter may say beside the columns.

        `text` is what is searched for words that are no field's. Left out, it is the text of all columns. `counts` says which rows
        the head of a group counts.
        """
        self.columns = list(columns)
        self.vocabulary = Vocabulary(columns, words or {}, fields or {})
        self.key = key
        self.counts = counts
        self.rows: list[Row] = []
        self.found: list[Row] = []
        """The rows of which the filter is true, in the list's order, those of folded groups too."""
        self.lines: list[Row | Head] = []
        self.query = ""
        self.wrong: InputError | None = None
        """Why the filter that was typed last cannot be. The one before it stays in force."""
        self.sorted_by: Column[Row] | None = None
        self.descending = False
        self.grouped_by: Column[Row] | None = None
        self.folded: set[str] = set()
        self.marked: set[str] = set()
        self.hidden: set[str] = set()
        """The names of columns that are not shown. They are searched all the same."""
        self._in_order: list[Row] = []
        """All rows, sorted. A letter of a filter need not sort them again."""
        self._tests: list[Test[Row]] = []
        self._text = text or (lambda row: " ".join([column.text(row) for column in self.columns]))
        self._texts: dict[int, str] = {}

    def replace(self, rows: Iterable[Row]) -> None:
        """Take other rows. Marks of rows that are gone are gone."""
        self.rows = list(rows)
        self.marked &= {self.key(row) for row in self.rows} if self.marked else set()
        self._texts = {}
        self._tests = self.vocabulary.tests(self.query, self._everywhere)
        self.order()

    def filter(self, query: str) -> None:
        """Show the rows of which a filter is true. One that cannot be leaves the list as it is, and `wrong` says why."""
        try:
            self._tests = self.vocabulary.tests(query, self._everywhere)
        except InputError as error:
            self.wrong = error
            return
        self.query, self.wrong = query, None
        self.arrange()

    def sort(self, name: str) -> None:
        """Sort by a column, or turn its order around if the list is sorted by it. Sorted both ways, it is as it came again."""
        column = self.column(name)
        if self.sorted_by is not column:
            self.sorted_by, self.descending = column, False
        elif not self.descending:
            self.descending = True
        else:
            self.sorted_by, self.descending = None, False
        self.order()

    def group(self, name: str | None) -> None:
        """Put rows with the same text in a column together, or none if it is None."""
        self.grouped_by, self.folded = self.column(name) if name else None, set()
        self.arrange()

    def fold(self, head: Head) -> None:
        """Hide the rows of a group, or show them again."""
        self.folded ^= {head.name}
        self.arrange()

    def mark(self, keys: Iterable[str]) -> None:
        """Mark rows, or take the marks away if all of them have one."""
        named = set(keys)
        self.marked = self.marked - named if named <= self.marked else self.marked | named

    @property
    def visible(self) -> list[Column[Row]]:
        """The columns that are shown; the first always is."""
        first, *others = self.offered
        return [first, *(column for column in others if column.name not in self.hidden)]

    @property
    def offered(self) -> list[Column[Row]]:
        """The columns that a user can show. The others are there to be searched."""
        return [column for column in self.columns if column.shown]

    def column(self, name: str) -> Column[Row]:
        """Return a column by its name."""
        return next(column for column in self.columns if column.name == name)

    def in_group(self, head: Head) -> list[str]:
        """Return the keys of the rows of a group."""
        grouped = self.grouped_by
        return [self.key(row) for row in self.found if grouped is not None and grouped.text(row) == head.name]

    def line_of(self, here: str | Head) -> int | None:
        """Return the line of the row with a key, or of a head with the same name. None if it is not shown."""
        for number, line in enumerate(self.lines):
            if isinstance(line, Head):
                is_here = isinstance(here, Head) and line.name == here.name
            else:
                is_here = self.key(line) == here
            if is_here:
                return number
        return None

    def order(self) -> None:
        """Sort the rows. Those without a value come last, whichever way the list is sorted."""
        sorted_by, self._in_order = self.sorted_by, self.rows
        if sorted_by is not None:
            keyed = [(sorted_by.key(row), row) for row in self.rows]
            have = [(key, row) for (is_empty, key), row in keyed if not is_empty]
            have.sort(key=itemgetter(0), reverse=self.descending)
            self._in_order = [row for _, row in have] + [row for (is_empty, _), row in keyed if is_empty]
        self.arrange()

    def arrange(self) -> None:
        """Work out the lines: filtered and grouped."""
        rows, grouped = self._in_order, self.grouped_by
        for test in self._tests:
            rows = list(filter(test, rows))
        self.found = rows
        if grouped is None:
            self.lines = list(rows)
            return
        groups: dict[str, list[Row]] = {}
        for row in rows:
            groups.setdefault(grouped.text(row), []).append(row)
        self.lines = []
        for name, members in groups.items():
            self.lines.append(Head(name, sum(map(self.counts, members))))
            self.lines += [] if name in self.folded else members

    def _everywhere(self, text: str) -> Test[Row]:
        """Return the test whether a row has a text. Where no row has it, whether it has its letters in this order."""
        self.prepare()
        texts = self._texts
        found = {number for number, one in texts.items() if text in one}
        if not found and len(text) > 2:
            # Up to the next letter, not `.*?`: a row that has them not all is left at once, and not tried from each place.
            letters = [re.escape(letter) for letter in text]
            has_letters = re.compile(letters[0] + "".join(f"[^{one}]*{one}" for one in letters[1:]), re.DOTALL).search
            found = {number for number, one in texts.items() if has_letters(one)}
        return lambda row: id(row) in found

    def prepare(self) -> None:
        """Read the texts that are searched, so that the first letter that is typed need not wait for them."""
        self._texts = self._texts or self._all_texts()

    def _all_texts(self) -> dict[int, str]:
        """Return all of the text of each row in lower case, by the row's identity: a row is never changed."""
        return {id(row): self._text(row).casefold() for row in self.rows}
