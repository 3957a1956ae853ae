"""What every screen shares: the site's line on top, reading in a worker, going back."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer, Static

from ledger.questions.commitment import go_live_commitment
from ledger.questions.site import head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError
from steps.stamps import minute
from tui.looks import day_text

if TYPE_CHECKING:
    from tui.app import ClusterwrightApp

WARNING = "bold black on gold3"


class SiteScreen(Screen[None]):
    """A screen that asks one snapshot of the record in a thread, and shows what it answered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="back"),
        Binding("r", "load", "Refresh", show=False, id="refresh"),
    ]

    @property
    def owner(self) -> ClusterwrightApp:
        """The application, by its own type."""
        return cast("ClusterwrightApp", self.app)

    def compose(self) -> ComposeResult:
        """Paint the skeleton: the site's line, the body, the keys."""
        yield Static("Clusterwright: reading the ledger…", id="site-line")
        yield from self.body()
        yield Footer()

    @abstractmethod
    def body(self) -> ComposeResult:
        """Return the widgets between the site's line and the footer."""

    @abstractmethod
    def ask(self, snapshot: Snapshot) -> Any:
        """Return what the screen shows. Called in a worker thread."""

    @abstractmethod
    def show(self, answer: Any) -> None:
        """Show what `ask` returned. Called in the event loop."""

    def on_screen_resume(self) -> None:
        """Read again whenever the screen comes to the front."""
        self.load()

    def action_load(self) -> None:
        """Read again now."""
        self.load()

    @work(thread=True, exclusive=True, group="load")
    def load(self) -> None:
        """Open one snapshot, ask it everything that the screen shows, then show it."""
        owner = self.owner
        try:
            with open_snapshot(owner.site.folder) as snapshot:
                owner.seen = head(snapshot).seq
                owner.site.find_person(snapshot)
                line, answer = self._line(snapshot), self.ask(snapshot)
        except ClusterwrightError as error:
            owner.seen = owner.seen or error.what
            owner.call_from_thread(owner.say, error)
            return
        owner.call_from_thread(self._show, line, answer)

    def _show(self, line: Text, answer: Any) -> None:
        if self.is_mounted:
            self.query_one("#site-line", Static).update(line)
            self.show(answer)

    def _line(self, snapshot: Snapshot) -> Text:
        site, person = site_of(snapshot), self.owner.site.person or "nobody"
        text = Text()
        if site.rehearsal:
            text.append(" REHEARSAL: nothing here was really done ", style=WARNING).append(" ")
        if snapshot.cut_off:
            text.append(" as this folder last saw it: the database does not answer ", style=WARNING).append(" ")
        text.append(site.name, style="bold")
        commitment, zone = go_live_commitment(snapshot), site.time_zone
        goal = f"commitment {day_text(commitment.commitment, zone)} · " if commitment else ""
        text.append(
            f" · {site.preset} · plan {site.revision} · {goal}working schedule {day_text(site.plan_finish, zone)}"
        )
        text.append(f" · {minute(snapshot.now, site.time_zone)} {site.time_zone} · acting as {person}", style="grey62")
        return text

    def action_back(self) -> None:
        """Go back to where the user came from; from a main screen, to the overview."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        elif self.app.current_mode != "overview":
            self.app.switch_mode("overview")
