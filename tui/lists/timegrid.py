"""A list beside a time axis: its last column is painted along it, and keys move and zoom it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.lists.column import Column, Row, Span, fitted
from tui.lists.grid import Grid
from tui.lists.timescale import EIGHTHS, Timescale, fitting
from tui.lists.view import View

EARLY = datetime(2000, 1, 1, tzinfo=UTC)
"""Where an axis begins before anything is known of its time."""


class TimeGrid(Grid[Row]):
    """`scale` says which time is seen. `shown` are the columns beside the axis; others can be filtered and sorted by all the same."""

    SHARE: ClassVar[float] = 0.45
    """The least part of the width that the axis has."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "aside(-1)", "Earlier", show=False, id="time.earlier"),
        Binding("right", "aside(1)", "Later", show=False, id="time.later"),
        Binding("plus,equals_sign", "zoom(-1)", "Closer", key_display="+", id="time.closer"),
        Binding("minus,underscore", "zoom(1)", "Wider", key_display="-", id="time.wider"),
        Binding("n", "now", "To today", id="time.now"),
        Binding("a", "whole", "All of the time", id="time.whole"),
    ]

    def __init__(
        self,
        view: View[Row],
        shown: Sequence[str] = (),
        *,
        id: str | None = None,  # noqa: A002  # Textual's own name
        empty: str = "",
    ) -> None:
        """Take what is shown, and the names of the columns beside the axis. Without names they are all."""
        super().__init__(view, id=id, empty=empty)
        self.scale = Timescale("UTC", EARLY)
        self.shown = shown
        self.now = EARLY
        self.looked_at: datetime | None = None
        """What keeps its place where the zoom changes, if it is seen."""
        self._whole: tuple[datetime, datetime] | None = None
        self._fitted: Timescale | None = None
        """The scale in which all of the time was shown last. It is made again for another width if it is still in force."""

    def show_time(self, zone: str, now: datetime, whole: tuple[datetime, datetime]) -> None:
        """Take today, and the stretch of time that there is. What is seen of it stays, but the first time it is all of it."""
        is_first = self._whole is None
        self.now, self._whole = now, whole
        if is_first or zone != self.scale.zone:
            self.scale = replace(self.scale, zone=zone)
            self.action_whole()
        self.refresh()

    @property
    def time_cells(self) -> int:
        """How many cells the axis has."""
        columns = self.columns()
        return columns[-1][1] if columns else 1

    def columns(self) -> list[tuple[Column[Row], int]]:
        """Return the columns beside the axis that fit, and the axis, which takes the rest."""
        *others, axis = self.view.columns
        beside = [column for column in others if column.name in self.shown] if self.shown else others
        width = self.size.width
        return fitted([*beside, axis], width - 3, int(width * self.SHARE))

    def axis(self, cells: int) -> Sequence[Span]:
        """Return the heading of the axis. Before there is any time it is empty."""
        return [(" " * cells if self._whole is None else self.scale.heading(cells), "heading")]

    def action_aside(self, columns: int) -> None:
        """Show what is earlier or later, by a quarter of what is seen."""
        self.look(self.scale.panned(columns * max(self.time_cells // 4, 1)))

    def look(self, scale: Timescale) -> None:
        """Show another time."""
        self.scale = scale
        self.refresh()
        self.post_message(self.Moved(self))

    def action_zoom(self, by: int) -> None:
        """Look closer, or at more: around what is chosen or today if it is seen, else around the middle."""
        seen = [moment for moment in (self.looked_at, self.now) if moment is not None and self.sees(moment)]
        self.look(self.scale.zoomed(by, seen[0] if seen else self.scale.at(self.time_cells // 2)))

    def sees(self, moment: datetime) -> bool:
        """Return whether a moment can be seen."""
        return self.scale.at(0) <= moment < self.scale.at(self.time_cells)

    def action_now(self) -> None:
        """Show today, with a quarter of what is seen before it."""
        self.see(self.now)

    def see(self, moment: datetime) -> None:
        """Show a moment, with a quarter of what is seen before it."""
        at = self.scale.place(moment) // EIGHTHS
        self.look(self.scale.panned(at - self.time_cells // 4))

    def action_whole(self) -> None:
        """Show all of the time."""
        if self._whole is not None:
            self._fitted = fitting(self.scale.zone, *self._whole, self.time_cells)
            self.look(self._fitted)

    def on_resize(self) -> None:
        """Show all of the time in another width, too."""
        super().on_resize()
        if self.scale is self._fitted:
            self.action_whole()
