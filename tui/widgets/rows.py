"""A table that keeps its place: rows are replaced only where they changed, the cursor stays on its id."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widgets import DataTable

Row = tuple[str, Sequence[Text | str]]


class Rows(DataTable[Text | str]):
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
        """Show these rows; where only cells changed, only those are drawn again."""
        keys = [key for key, _ in rows]
        if keys == [key.value for key in self.rows]:
            for key, cells in rows:
                for header, cell in zip(self.headers, cells, strict=True):
                    if self.get_cell(key, header) != cell:
                        self.update_cell(key, header, cell)
            return
        held = self.selected_key
        self.clear()
        for key, cells in rows:
            self.add_row(*cells, key=key)
        if held in keys:
            self.move_cursor(row=keys.index(held))

    @property
    def selected_key(self) -> str | None:
        """The id of the row under the cursor."""
        if not self.row_count:
            return None
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value
