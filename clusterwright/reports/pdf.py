"""A page as PDF: one sheet of A4. What is too long for its place is cut, so that the sheet never becomes two."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

from clusterwright.output import in_line, say
from clusterwright.pictures.canvas import png_of
from clusterwright.reports.page import (
    BETWEEN,
    FOOT,
    GAP,
    HEADER,
    INNER,
    LINE,
    MARGIN,
    MORE,
    PHOTO_HIGH,
    PHOTO_WIDE,
    ROW,
    TILES,
    TITLE,
    TOP,
    Band,
    Block,
    Chart,
    Photos,
    Sheet,
    Table,
    Tile,
)
from schedule.errors import InputError

try:
    from fontTools.ttLib import TTFont
    from fpdf import FPDF
    from fpdf.enums import Align
except ImportError:
    raise InputError(
        "a PDF is written by fpdf2, which is not installed", hint="pip install 'clusterwright[report]'"
    ) from None

DPI = 300
FONT = "page"
NO_LETTER = "□"
INK, GREY, RULE = (28, 39, 51), (75, 87, 99), (138, 148, 158)
BELOW_TITLE = 1.2
BETWEEN_TILES = BETWEEN_PHOTOS = 2.0


def pdf_page(page: Sheet) -> bytes:
    """Return the page as a PDF file."""
    sheet = _Paper()
    content = sheet.drawn(page)
    if sheet.missing:
        say(
            f"the letters of the PDF lack {' '.join(sorted(sheet.missing))}, shown as {NO_LETTER}; the HTML page has them"
        )
    return content


class _Paper(FPDF):
    """A sheet on which blocks are drawn from top to bottom."""

    def __init__(self) -> None:
        """Begin a sheet. Its letters are in the file."""
        super().__init__(format="A4")
        self.missing: set[str] = set()
        fonts = Path(mpl.get_data_path()) / "fonts" / "ttf"
        regular = fonts / "DejaVuSans.ttf"
        self.letters = frozenset(TTFont(regular).getBestCmap() or ())
        self.add_font(FONT, "", regular)
        self.add_font(FONT, "B", fonts / "DejaVuSans-Bold.ttf")
        self.set_auto_page_break(False)
        self.set_margin(0)
        self.c_margin = 0
        self.add_page()

    def drawn(self, page: Sheet) -> bytes:
        """Draw a page and return the file."""
        self.set_title(in_line(page.title))
        wide, y = INNER, TOP
        self.words(page.title, MARGIN, y, wide * 0.72, 6.5, size=14, bold=True)
        self.words(page.subtitle, MARGIN + wide * 0.72, y + 1.5, wide * 0.28, 5, size=7, colour=GREY, right=True)
        self.rule(MARGIN, y + 7.5, wide, 0.6)
        y = self.headline(page.lines, y + HEADER)
        y = self.tiles(page.tiles, y)
        for band in page.bands:
            y = self.band(band, y + GAP)
        foot = self.h - FOOT + 1
        self.rule(MARGIN, foot, wide, 0.2)
        self.words(page.foot, MARGIN, foot + 0.8, wide, 3, size=5.6, colour=GREY)
        return bytes(self.output())

    def words(
        self,
        text: str,
        x: float,
        y: float,
        wide: float,
        high: float,
        *,
        size: float,
        bold: bool = False,
        colour: tuple[int, int, int] = INK,
        right: bool = False,
    ) -> None:
        """Write text in one line, cut where it is too long."""
        self.set_font(FONT, "B" if bold else "", size)
        self.set_text_color(*colour)
        self.set_xy(x, y)
        self.cell(wide, high, self.fitting(self.written(in_line(text)), wide), align=Align.R if right else Align.L)

    def written(self, text: str) -> str:
        """Return text with a sign for each letter that the font does not have."""
        lacking = {letter for letter in text if ord(letter) not in self.letters}
        self.missing |= lacking
        return "".join(NO_LETTER if letter in lacking else letter for letter in text) if lacking else text

    def fitting(self, text: str, wide: float) -> str:
        """Return text that is no wider than its place."""
        if self.get_string_width(text) <= wide:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.get_string_width(f"{text[:middle].rstrip()}…") <= wide:
                low = middle
            else:
                high = middle - 1
        return f"{text[:low].rstrip()}…"

    def rule(self, x: float, y: float, wide: float, thick: float) -> None:
        """Draw a line."""
        self.set_line_width(thick)
        self.set_draw_color(*(INK if thick > 0.3 else RULE))
        self.line(x, y, x + wide, y)

    def headline(self, lines: Sequence[str], y: float) -> float:
        """Write what is to be known first; the first sentence in bold. Return where it ends."""
        for number, text in enumerate(lines):
            self.words(text, MARGIN, y, INNER, LINE, size=9 if number == 0 else 8, bold=number == 0)
            y += LINE
        return y

    def tiles(self, tiles: Sequence[Tile], y: float) -> float:
        """Draw the figures. Return where they end."""
        y += BELOW_TITLE
        high = TILES - BELOW_TITLE
        wide = (INNER - BETWEEN_TILES * (len(tiles) - 1)) / max(len(tiles), 1)
        for number, tile in enumerate(tiles):
            x = MARGIN + number * (wide + BETWEEN_TILES)
            self.set_line_width(0.25)
            self.set_draw_color(*RULE)
            self.rect(x, y, wide, high)
            inner = wide - 2.8
            self.words(tile.label, x + 1.4, y + 0.8, inner, 3, size=6, colour=GREY)
            self.words(tile.figure, x + 1.4, y + 4, inner, 5.4, size=10.5, bold=True)
            self.words(tile.note, x + 1.4, y + 9.6, inner, 3, size=5.8, colour=GREY)
        return y + high

    def band(self, band: Band, y: float) -> float:
        """Draw blocks side by side. Return where the highest ends."""
        x = MARGIN
        for block, wide in zip(band.blocks, band.widths, strict=True):
            self.words(block.title, x, y, wide, 4, size=7.4, bold=True)
            self.rule(x, y + 4.2, wide, 0.25)
            self.block(block, x, y + TITLE, wide)
            x += wide + BETWEEN
        return y + band.high

    def block(self, block: Block, x: float, y: float, wide: float) -> None:
        """Draw a block below its title."""
        match block:
            case Chart():
                self.image(io.BytesIO(png_of(block.picture, DPI)), x, y, wide, block.high(wide))
            case Photos():
                self.photos(block, x, y)
            case Table():
                self.table_of(block, x, y, wide)

    def photos(self, block: Photos, x: float, y: float) -> None:
        """Draw photos in a row."""
        for number, photo in enumerate(block.photos):
            at = x + number * (PHOTO_WIDE + BETWEEN_PHOTOS)
            self.image(io.BytesIO(photo.jpeg), at, y, PHOTO_WIDE, PHOTO_HIGH)
            self.words(photo.caption, at, y + PHOTO_HIGH, PHOTO_WIDE, 3, size=5)

    def table_of(self, block: Table, x: float, y: float, wide: float) -> None:
        """Draw a table: small headers, then a row a line."""
        if not block.rows:
            self.words(block.empty, x, y, wide, ROW, size=6.4, colour=GREY)
            return
        widths = [wide * share / sum(block.shares) for share in block.shares]
        self.row(block.headers, block.right, widths, x, y, size=5.6, colour=GREY)
        for cells in block.rows:
            y += ROW
            self.row(cells, block.right, widths, x, y, size=6.4, colour=INK)
            self.rule(x, y + ROW, wide, 0.1)
        if block.more:
            self.words(block.more, x, y + ROW, wide, MORE, size=5.8, colour=GREY)

    def row(
        self,
        cells: Sequence[str],
        right: Sequence[int],
        widths: Sequence[float],
        x: float,
        y: float,
        *,
        size: float,
        colour: tuple[int, int, int],
    ) -> None:
        """Write the cells of a row."""
        for number, (cell, wide) in enumerate(zip(cells, widths, strict=True)):
            self.words(cell, x, y, wide - 1.2, ROW, size=size, colour=colour, right=number in right)
            x += wide
