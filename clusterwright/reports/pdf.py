"""A page as PDF: one sheet of A4. What is too long for its place is cut, so that the sheet never becomes two."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import getFont, registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

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

DPI = 300
MM = 72 / 25.4
"""Points of a millimetre."""
REGULAR, BOLD = "page", "page bold"
MIDDLE = 0.3
"""How far below its middle a line of text has its letters' feet, as a share of their size."""
NO_LETTER = "□"
INK, GREY, RULE = "#1c2733", "#4b5763", "#8a949e"
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


class _Paper:
    """A sheet on which blocks are drawn from top to bottom. Places are in millimetres from its top left corner."""

    def __init__(self) -> None:
        """Begin a sheet. Its letters are in the file."""
        self.missing: set[str] = set()
        fonts = Path(mpl.get_data_path()) / "fonts" / "ttf"
        for name, file in ((REGULAR, "DejaVuSans.ttf"), (BOLD, "DejaVuSans-Bold.ttf")):
            registerFont(TTFont(name, fonts / file))
        self._letters = getFont(REGULAR).face.charToGlyph
        self._file = io.BytesIO()
        self._canvas = Canvas(self._file, pagesize=A4, pageCompression=1)

    def drawn(self, page: Sheet) -> bytes:
        """Draw a page and return the file."""
        self._canvas.setTitle(in_line(page.title))
        wide, y = INNER, TOP
        self.words(page.title, MARGIN, y, wide * 0.72, 6.5, size=14, bold=True)
        self.words(page.subtitle, MARGIN + wide * 0.72, y + 1.5, wide * 0.28, 5, size=7, colour=GREY, right=True)
        self.rule(MARGIN, y + 7.5, wide, 0.6)
        y = self.headline(page.lines, y + HEADER)
        y = self.tiles(page.tiles, y)
        for band in page.bands:
            y = self.band(band, y + GAP)
        foot = A4[1] / MM - FOOT + 1
        self.rule(MARGIN, foot, wide, 0.2)
        self.words(page.foot, MARGIN, foot + 0.8, wide, 3, size=5.6, colour=GREY)
        self._canvas.save()
        return self._file.getvalue()

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
        colour: str = INK,
        right: bool = False,
    ) -> None:
        """Write text in one line, cut where it is too long. `size` is in points."""
        font = BOLD if bold else REGULAR
        fitting = _fitting(self._written(in_line(text)), wide * MM, font, size)
        self._canvas.setFont(font, size)
        self._canvas.setFillColor(colour)
        feet = A4[1] - (y + high / 2) * MM - MIDDLE * size
        if right:
            self._canvas.drawRightString((x + wide) * MM, feet, fitting)
        else:
            self._canvas.drawString(x * MM, feet, fitting)

    def _written(self, text: str) -> str:
        """Return text with a sign for each letter that the font does not have."""
        lacking = {letter for letter in text if ord(letter) not in self._letters}
        self.missing |= lacking
        return "".join(NO_LETTER if letter in lacking else letter for letter in text) if lacking else text

    def rule(self, x: float, y: float, wide: float, thick: float) -> None:
        """Draw a line."""
        self._canvas.setLineWidth(thick * MM)
        self._canvas.setStrokeColor(INK if thick > 0.3 else RULE)
        height = A4[1] - y * MM
        self._canvas.line(x * MM, height, (x + wide) * MM, height)

    def image(self, picture: bytes, x: float, y: float, wide: float, high: float) -> None:
        """Draw a picture, which fills its place."""
        self._canvas.drawImage(
            ImageReader(io.BytesIO(picture)), x * MM, A4[1] - (y + high) * MM, wide * MM, high * MM, mask="auto"
        )

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
            self._canvas.setLineWidth(0.25 * MM)
            self._canvas.setStrokeColor(RULE)
            self._canvas.rect(x * MM, A4[1] - (y + high) * MM, wide * MM, high * MM)
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
                self.image(png_of(block.picture, DPI), x, y, wide, block.high(wide))
            case Photos():
                self.photos(block, x, y)
            case Table():
                self.table_of(block, x, y, wide)

    def photos(self, block: Photos, x: float, y: float) -> None:
        """Draw photos in a row."""
        for number, photo in enumerate(block.photos):
            at = x + number * (PHOTO_WIDE + BETWEEN_PHOTOS)
            self.image(photo.jpeg, at, y, PHOTO_WIDE, PHOTO_HIGH)
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
        colour: str,
    ) -> None:
        """Write the cells of a row."""
        for number, (cell, wide) in enumerate(zip(cells, widths, strict=True)):
            self.words(cell, x, y, wide - 1.2, ROW, size=size, colour=colour, right=number in right)
            x += wide


def _fitting(text: str, wide: float, font: str, size: float) -> str:
    """Return text that is no wider than its place, which is in points."""
    if stringWidth(text, font, size) <= wide:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if stringWidth(f"{text[:middle].rstrip()}…", font, size) <= wide:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low].rstrip()}…"
