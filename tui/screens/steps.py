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
from tui.site import OpenSite


class StepsScreen(ListScreen[ListRow]):
    """`/` filters, Enter opens an activity's page."""

    TITLE = "Steps"
    ABOUT: ClassVar[About] = "activity"
    EMPTY = "no plan is adopted yet: `clusterwright plan adopt`"

    def made(self) -> View[ListRow]:
        """Return the view of all activities."""
        return View(
            step_columns(self._site),
            lambda row: row.id,
            step_words(self._site),
            step_fields(self._site),
            step_text,
        )

    def _site(self) -> OpenSite:
        return self.owner.site

    def ask(self, _snapshot: Snapshot) -> Sequence[ListRow]:
        """Return the activities as the site has just read them."""
        return self.owner.site.rows

    def open(self, row: ListRow) -> None:
        """Show the page of an activity."""
        self.owner.open_activity(row.id)
