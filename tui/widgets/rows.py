"""A table that keeps its place: rows are replaced only where they changed, the cursor stays on its id."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widgets import DataTable

from tui.looks import Cells, safe

Row = tuple[str, Cells]
"""A key and the cells."""


class Rows(DataTable[Text]):
    """A DataTable with a key a row, for up to a few thousand rows."""

    def __init__(self, headers: Sequence[str], *, id: str) -> None:  # noqa: A002  # Textual's own name
        """Keep the headers until the table is mounted."""
        super().__init__(id=id, cursor_type="row", zebra_stripes=True)
        self.headers = tuple(headers)

    def on_mount(self) -> None:
        """Add the columns."""
        for header in self.headers:
            self.add_column(header, key=header)

    def replace(self, rows: Sequence[Row]) -> None:
        """Show these rows. Where the keys are as before, only cells that changed are drawn again."""
        keys = [key for key, _ in rows]
        if keys == [key.value for key in self.rows]:
            for key, cells in rows:
                self._update(key, cells)
            return
        held = self.selected_key
        self.clear()
        for key, cells in rows:
            self.add_row(*map(safe, cells), key=key)
        if held in keys:
            self.move_cursor(row=keys.index(held))

    def _update(self, key: str, cells: Cells) -> None:
        for header, cell in zip(self.headers, map(safe, cells), strict=True):
            if self.get_cell(key, header) != cell:
                self.update_cell(key, header, cell)

    @property
    def selected_key(self) -> str | None:
        """The key of the row under the cursor; None in an empty table."""
        if not self.row_count:
            return None
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value
