"""Rows in columns, as lines of text: a table of any length in about the time that it takes to print it.

Rich lays out one cell at a time, and takes eight seconds for the activities of a site with 100,000 GPUs.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from operator import le
from textwrap import wrap

from rich.cells import cell_len

GAP = "   "
"""Between two columns."""
EDGE = " "
LONGEST_WORD = 40
"""A word up to this width is never broken: ids, dates and amounts are read whole."""
RULE = "─"


def lines_of(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int, right: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a table: the headers, a rule, and the rows, at most `width` wide where that leaves a mark for each column.

    `right` are the columns that are aligned to the right. A cell that is wider than its column takes several lines, between words. Where
    not even the words fit, each row is a paragraph.
    """
    gaps = len(GAP) * (len(headers) - 1)
    room = width - gaps - 2 * len(EDGE)
    columns = [frozenset(column) for column in zip(headers, *rows, strict=True)]
    widths = [max(map(_width, column)) for column in columns]
    if sum(widths) > room:
        narrowest = [_longest_word(column, min(LONGEST_WORD, room // 2)) for column in columns]
        if sum(narrowest) > room:
            yield from _paragraphs(headers, rows, width)
            return
        widths = _fitted(widths, narrowest, room)
    yield from _lines(headers, widths, right)
    yield EDGE + RULE * (sum(widths) + gaps)
    sides = (">" if number in right else "<" for number in range(len(widths)))
    fitting = EDGE + GAP.join(f"{{:{side}{width}}}" for side, width in zip(sides, widths, strict=True))
    for row in rows:
        if not all(map(_is_plain, row)):
            yield from _lines(row, widths, right)
        elif all(map(le, map(len, row), widths)):
            yield fitting.format(*row).rstrip()  # nearly all rows, in a tenth of the time
        else:
            folded = [
                (cell,) if len(cell) <= width else _broken(cell, width) for cell, width in zip(row, widths, strict=True)
            ]
            for cells in zip_longest(*folded, fillvalue=""):
                yield fitting.format(*cells).rstrip()


def _longest_word(column: Iterable[str], most: int) -> int:
    """Return the width of the longest word of a column, at most `most`."""
    return min(most, max((_width(word) for cell in column for word in cell.split()), default=0))


def _fitted(widths: list[int], narrowest: list[int], room: int) -> list[int]:
    """Return widths that fit in `room`. The widest columns get one width or their narrowest, the others stay as they are."""
    most = max(widths)
    while True:
        fitted = [max(least, min(width, most)) for width, least in zip(widths, narrowest, strict=True)]
        if sum(fitted) <= room:
            return fitted
        most -= 1


def _paragraphs(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield each row as its first two cells, and below them the others that say something, each after its header."""
    for row in rows:
        named = GAP.join(filter(None, row[:2]))
        others = zip(headers[2:], row[2:], strict=True)
        said = "; ".join(f"{header} {cell}".strip() for header, cell in others if cell)
        yield from (f"{EDGE}{line}" for line in _broken(named, width - len(EDGE)))
        yield from (f"{EDGE}{GAP}{line}" for line in _broken(said, width - len(EDGE) - len(GAP)))


def _lines(row: Sequence[str], widths: list[int], right: Sequence[int]) -> Iterator[str]:
    folded = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
    for cells in zip_longest(*folded, fillvalue=""):
        padded = []
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            space = " " * (width - _width(cell))
            padded.append(space + cell if number in right else cell + space)
        yield (EDGE + GAP.join(padded)).rstrip()


def _is_plain(text: str) -> bool:
    """Return whether each mark of a text is as wide as a letter, so that its length is its width."""
    return text.isascii() or cell_len(text) == len(text)


def _width(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _folded(text: str, width: int) -> Sequence[str]:
    return (text,) if _width(text) <= width else _broken(text, width)


@lru_cache(maxsize=4096)
def _broken(text: str, width: int) -> Sequence[str]:
    """Return the lines of a cell that is wider than its column. A word that is wider than the column is broken.

    The last ones are cached, because a step has the same title in each pod.
    """
    if _width(text) == len(text):
        return wrap(text, width, break_on_hyphens=False)
    from rich.console import Console  # slow to import, and only marks of double width need it
    from rich.text import Text

    return [line.plain.rstrip() for line in Text(text).wrap(Console(), width)]
