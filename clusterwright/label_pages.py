"""Labels as PDF, on sheets of labels as they are sold: QR or Code 128, with text that fits beside or below it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from clusterwright.labels import Label
from schedule.errors import InputError

MM = 72 / 25.4
"""Points of a millimetre."""
FONT, BOLD = "Helvetica", "Helvetica-Bold"
LARGEST_PT, SMALLEST_PT = 9.0, 4.0
ROUNDING_PT = 0.01
NARROWEST_MM = 0.19
"""The narrowest bar of a Code 128 that common scanners read (7.5 mil)."""
WIDEST_MM = 0.4
PADDING_MM = 1.5
WHITE_MODULES = 4
"""How many modules stay white around a QR code."""
QUIET_MODULES = 10
"""How many modules stay white at both sides of a Code 128."""


class Code(StrEnum):
    """How the code of a label is printed."""

    QR = "qr"
    CODE128 = "code128"


class Stock(NamedTuple):
    """A sheet of labels, in millimetres: the page, a label, the first label's corner from the top left, and the steps to the next."""

    page: tuple[float, float]
    label: tuple[float, float]
    first: tuple[float, float]
    step: tuple[float, float]
    columns: int
    rows: int


A4, LETTER = (210.0, 297.0), (215.9, 279.4)
STOCKS = {
    "L7160": Stock(A4, (63.5, 38.1), (7.25, 15.15), (66.0, 38.1), 3, 7),
    "L7651": Stock(A4, (38.1, 21.2), (4.75, 10.7), (40.6, 21.2), 5, 13),
    "5160": Stock(LETTER, (66.7, 25.4), (4.8, 12.7), (69.85, 25.4), 3, 10),
}
"""Sheets by the number under which Avery sells them, and others sell the same."""


def write_labels(labels: Sequence[Label], path: Path, stock: Stock, code: Code) -> int:
    """Write a PDF and return the number of its pages. Raise InputError for a code or a name that does not fit on a label."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=tuple(side * MM for side in stock.page), pageCompression=1)
    canvas.setTitle("Labels")
    left, pages = iter(labels), 0
    while on_page := list(islice(left, stock.columns * stock.rows)):
        for number, label in enumerate(on_page):
            row, column = divmod(number, stock.columns)
            x = stock.first[0] + column * stock.step[0]
            y = stock.page[1] - stock.first[1] - row * stock.step[1] - stock.label[1]
            canvas.saveState()
            canvas.translate(x * MM, y * MM)
            (_draw_qr if code is Code.QR else _draw_bars)(canvas, label, *(side * MM for side in stock.label))
            canvas.restoreState()
        canvas.showPage()
        pages += 1
    canvas.save()
    return pages


def _draw_qr(canvas: Any, label: Label, width: float, height: float) -> None:
    """Draw a QR code at the left, and the text at its right."""
    side = min(height, width * 0.4)
    dark, modules = _qr(label.code)
    module = side / (modules + 2 * WHITE_MODULES)
    path = canvas.beginPath()
    for row, column in dark:
        x, y = (column + WHITE_MODULES) * module, height - (row + 1 + WHITE_MODULES) * module
        path.rect(x, y, module, module)
    canvas.drawPath(path, stroke=0, fill=1)
    padding = PADDING_MM * MM
    _write(canvas, label, side, padding, width - side - padding, height - 2 * padding)


@lru_cache(maxsize=1)
def _qr(code: str) -> tuple[list[tuple[int, int]], int]:
    """Return the rows and columns of the dark modules of a QR code, and how many modules wide it is. Both ends of a cable have one."""
    from reportlab.graphics.barcode.qrencoder import QRCode, QRErrorCorrectLevel

    made = QRCode(None, QRErrorCorrectLevel.M)
    made.addData(code)
    made.make()
    size = made.getModuleCount()
    return [(row, column) for row in range(size) for column in range(size) if made.isDark(row, column)], size


def _draw_bars(canvas: Any, label: Label, width: float, height: float) -> None:
    """Draw a Code 128 at the top, and the text below it."""
    from reportlab.graphics.barcode.code128 import Code128

    modules = Code128(label.code, barWidth=1, quiet=0).width + 2 * QUIET_MODULES
    bar = min(WIDEST_MM * MM, width / modules)
    if bar < NARROWEST_MM * MM:
        raise InputError(
            f"{label.code} is too long for a Code 128 on a label of {width / MM:.0f} mm",
            hint="take --code qr, or wider labels with --stock",
        )
    bars = Code128(label.code, barWidth=bar, barHeight=height * 0.4, quiet=0)
    bars.drawOn(canvas, (width - bars.width) / 2, height - height * 0.4 - PADDING_MM * MM)
    inside = width - 2 * PADDING_MM * MM
    _write(canvas, label, PADDING_MM * MM, PADDING_MM * MM, inside, height * 0.6 - 3 * PADDING_MM * MM)


def _write(canvas: Any, label: Label, x: float, y: float, width: float, height: float) -> None:
    """Write the lines into a box, the first one bold and whole. Of the others as much as fits."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    line_height = height / len(label.lines)
    for number, text in enumerate(label.lines):
        font = FONT if number else BOLD
        printable = text.encode("cp1252", "replace").decode("cp1252")
        at_one = stringWidth(printable, font, 1) or 1
        size = max(SMALLEST_PT, min(LARGEST_PT, line_height * 0.9, width / at_one))
        if number == 0 and at_one * size > width + ROUNDING_PT:
            raise InputError(f"{text} is too long for such a label", hint="take larger labels with --stock")
        while at_one * size > width + ROUNDING_PT:
            printable = printable[:-2].rstrip() + "…"
            at_one = stringWidth(printable, font, 1)
        canvas.setFont(font, size)
        canvas.drawString(x, y + height - (number + 1) * line_height + 0.2 * line_height, printable)
