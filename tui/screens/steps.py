"""Every activity in one list: filtered by field, sorted by any column, in groups, and decided about together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ledger.questions.listing import ListRow
from ledger.questions.snapshot import Snapshot
from tui.acting.actions import About
from tui.lists.view import View
from tui.screens.listing import ListScreen
from tui.screens.step_columns import step_columns, step_fields, step_text, step_words


class StepsScreen(ListScreen[ListRow]):
    """`/` filters, Enter opens an activity's page."""

    TITLE = "Steps"
    ABOUT: ClassVar[About] = "activity"
    EMPTY = "no plan is adopted yet: `clusterwright plan adopt`"

    def made(self) -> View[ListRow]:
        """Return the view of all activities."""
        columns = step_columns(lambda: self.site)
        words, fields = step_words(lambda: self.site), step_fields(lambda: self.site)
        return View(columns, lambda row: row.id, words, fields, step_text)

    def ask(self, _snapshot: Snapshot) -> Sequence[ListRow]:
        """Return the activities as the site has just read them."""
        return self.site.rows

    def open(self, row: ListRow) -> None:
        """Show the page of an activity."""
        self.owner.open_activity(row.id)
