"""The page of one order: what is bought and for when, its deliveries, what it waits for and what waits for it, its history."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, ClassVar, NamedTuple

from textual.binding import Binding, BindingType

from ledger.questions.order_page import PageLine, order_page
from ledger.questions.snapshot import Snapshot
from ledger.rules.subjects import is_delivery, is_supply, order_of
from schedule.text import shown_in_line
from tui.acting.actions import About
from tui.keyline import Shown
from tui.lists.column import Column
from tui.lists.grid import Grid
from tui.lists.view import View
from tui.looks import Role
from tui.screens.listing import ListScreen
from tui.screens.receiving import receive_by_scanner

NAME = 31
"""How many cells the name of a line has."""


class Piece(NamedTuple):
    """A piece of a line that fits into the room. The first piece has the line's name."""

    line: PageLine
    number: int
    text: str


def _role(piece: Piece) -> Role:
    return "bad" if piece.line.is_bad else "text"


def _name(piece: Piece) -> str:
    if piece.number:
        return ""
    return ("→ " if piece.line.subject else "  ") + piece.line.name


def _said(piece: Piece) -> str:
    return ("! " if piece.line.is_bad and not piece.number else "") + piece.text


COLUMNS = (
    Column[Piece]("section", "about", 13, lambda piece: piece.line.section, role=lambda _: "muted", groups=True),
    Column[Piece]("name", "", NAME, _name, role=_role),
    Column[Piece]("said", "", 0, _said, role=_role),
)


class OrderScreen(ListScreen[Piece]):
    """Enter goes to what a line with an arrow names. On the line of a delivery, keys are about that delivery."""

    ABOUT: ClassVar[About] = "order"
    OWN_KEYS: ClassVar[tuple[Shown, ...]] = (("y", "Scan", "receive_by_scanner"),)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "receive_by_scanner", "Receive by scanner", id="order.scan"),
    ]

    def __init__(self, order: str) -> None:
        """Take the order's id."""
        super().__init__()
        self.order = order
        self.deliveries: list[str] = []

    def made(self) -> View[Piece]:
        """Return the view of the lines."""
        return View(COLUMNS, lambda piece: f"{piece.line.section} {piece.line.name} {piece.line.said} {piece.number}")

    def ask(self, snapshot: Snapshot) -> list[PageLine]:
        """Return the lines."""
        return order_page(snapshot, self.order)

    def show(self, answer: Any) -> None:
        """Show the lines, with the order's id in the heading."""
        lines: Sequence[PageLine] = answer
        self.deliveries = list(dict.fromkeys(line.subject for line in lines if line.section == "delivery"))
        room = max(self.size.width - NAME - 22, 16)
        super().show([piece for line in lines for piece in _pieces(line, room)])
        self.prompt.sign = f"{shown_in_line(self.order)} /"
        self.prompt.refresh()

    @property
    def about(self) -> About:
        """A delivery on its line, else the order."""
        return "delivery" if is_delivery(self._subject) else "order"

    @property
    def chosen(self) -> Sequence[str]:
        """The delivery of the line, else the order."""
        return [self._subject if is_delivery(self._subject) else self.order]

    @property
    def _subject(self) -> str:
        grids = self.query(Grid)
        row = grids.first().row if grids else None
        return row.line.subject if row is not None and row.line.section == "delivery" else ""

    def open(self, row: Piece) -> None:
        """Go to what the line names."""
        subject = row.line.subject
        if not subject:
            return
        if is_supply(subject):
            if order_of(subject) != self.order:
                self.app.push_screen(OrderScreen(order_of(subject)))
        else:
            self.owner.open_activity(subject)

    def action_receive_by_scanner(self) -> None:
        """Scan what came of the delivery of the line, or of the only one."""
        receive_by_scanner(self, [self._subject] if self._subject else self.deliveries)


def _pieces(line: PageLine, room: int) -> list[Piece]:
    texts = wrap(shown_in_line(line.said), room) or [""]
    return [Piece(line, number, text) for number, text in enumerate(texts)]
