"""What a page says, line by line: pieces of text in a section, where a line leads to, and how lines are laid into a width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len, set_cell_size

from schedule.text import shown_in_line
from tui.lists.column import Span
from tui.looks import Role, filled

WIDEST = 44
"""The most cells of a column of aligned lines."""

LEAST = 24
"""With fewer cells left, the last piece of a line begins a line of its own."""

INDENT = 4


class Target(NamedTuple):
    """What a line names, which Enter opens. An entry is an event that `z` takes back; another event only has its number.

    A delivery has no page: keys on its line are about it.
    """

    kind: Literal["activity", "order", "delivery", "evidence", "run", "event", "entry"]
    id: str

    @property
    def opens(self) -> bool:
        """Whether Enter opens it."""
        return self.kind not in {"delivery", "event", "entry"}


class PageLine(NamedTuple):
    """A line of a page. Pieces stand one after another; those of lines with the same `table` stand below each other."""

    section: str
    pieces: tuple[Span, ...]
    target: Target | None = None
    table: str = ""


class PageRow(NamedTuple):
    """What a list shows of a line: a line that is too long has several. `text` is all of the line, by which each is found."""

    key: str
    section: str
    spans: tuple[Span, ...]
    text: str
    target: Target | None
    is_first: bool = True


def said(section: str, text: str, role: Role = "text", target: Target | None = None) -> PageLine:
    """Return a line of one piece."""
    return PageLine(section, ((text, role),), target)


DIFFERENCES: dict[str, Role] = {"+": "good", "-": "bad", "@": "active"}
"""The roles of the lines of a difference between files, by what they begin with."""


def difference(section: str, line: str) -> PageLine:
    """Return a line of a difference between files."""
    return said(section, line, DIFFERENCES.get(line[:1], "text"))


def laid(lines: Iterable[PageLine], width: int) -> list[PageRow]:
    """Return the rows of lines in a width. What is written by people and hosts is made safe here."""
    safe_lines = [line._replace(pieces=_safe(line.pieces)) for line in lines]
    widths = _widths(safe_lines, width)
    rows: list[PageRow] = []
    counts: dict[str, int] = {}
    for line in safe_lines:
        stem = f"{line.section}\n{line.target.id if line.target else ''}"
        counts[stem] = counts.get(stem, 0) + 1
        text = " ".join(piece for piece, _ in line.pieces if piece)
        for number, spans in enumerate(_rows(line, widths.get(line.table, ()), width)):
            key = f"{stem}\n{counts[stem]}\n{number}"
            rows.append(PageRow(key, line.section, spans, text, line.target, is_first=number == 0))
    return rows


def _safe(pieces: Sequence[Span]) -> tuple[Span, ...]:
    return tuple((shown_in_line(text).replace("\t", "    "), role) for text, role in pieces)


def _widths(lines: Iterable[PageLine], width: int) -> dict[str, list[int]]:
    """Return by table how many cells each piece but the last takes."""
    found: dict[str, list[int]] = {}
    for line in lines:
        if line.table:
            cells = found.setdefault(line.table, [])
            for at, (text, _) in enumerate(line.pieces[:-1]):
                cells.extend([0] * (at + 1 - len(cells)))
                cells[at] = min(max(cells[at], cell_len(text)), WIDEST, width // 3)
    return found


def _rows(line: PageLine, widths: Sequence[int], width: int) -> Iterator[tuple[Span, ...]]:
    """Yield the spans of each row of a line: what does not fit goes on below, under where its piece began."""
    *first, last = line.pieces
    start: list[Span] = []
    for at, (text, role) in enumerate(first):
        start.append((f"{filled(text, widths[at])}  " if line.table else text, role))
    used = sum(cell_len(text) for text, _ in start)
    while start and used > width:
        used -= cell_len(start.pop()[0])
    if width - used < LEAST and start:
        yield tuple(start)
        start, used = [], INDENT
        begun: tuple[Span, ...] = ((" " * used, "text"),)
    else:
        begun = tuple(start)
    text, role = last
    blanks = len(text) - len(text.lstrip(" "))
    for piece in _broken(text, max(width - used, 1)):
        yield (*begun, (piece, role))
        begun = ((" " * max(used, min(blanks, INDENT)), "text"),)


def _broken(text: str, width: int) -> Iterator[str]:
    """Yield a text in pieces that are not wider than a width, broken at blanks where there are some."""
    while cell_len(text) > width:
        fits = len(set_cell_size(text, width).rstrip(" ")) if cell_len(text) > len(text) else width
        at = text.rfind(" ", fits // 2, fits + 1)
        at = at if at > 0 else max(fits, 1)
        yield text[:at]
        text = text[at:].lstrip(" ")
    yield text
