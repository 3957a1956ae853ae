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

from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from steps.errors import ClusterwrightError

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from tui.app import ClusterwrightApp


class SiteScreen(Screen[None]):
    """A screen that reads the site in a thread and shows what came back."""

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
        """Give the widgets between the site's line and the footer."""

    @abstractmethod
    def ask(self, snapshot: Snapshot) -> Any:
        """Read what the screen shows; runs in a worker thread."""

    @abstractmethod
    def show(self, answer: Any) -> None:
        """Show what was read; runs in the event loop."""

    def on_screen_resume(self) -> None:
        """Read again whenever the screen comes to the front."""
        self.load()

    def action_load(self) -> None:
        """Read again now."""
        self.load()

    @work(thread=True, exclusive=True, group="load")
    def load(self) -> None:
        """Read in a thread, then show."""
        try:
            with open_snapshot(self.owner.site.folder) as snapshot:
                answer = self._line(snapshot), self.ask(snapshot)
        except ClusterwrightError as error:
            self.app.call_from_thread(self._say, error)
            return
        self.app.call_from_thread(self._show, answer)

    def _say(self, error: ClusterwrightError) -> None:
        self.notify(error.hint or "", title=error.what, severity="error", timeout=10)

    def _show(self, answer: tuple[Text, Any]) -> None:
        if self.is_mounted:
            self.query_one("#site-line", Static).update(answer[0])
            self.show(answer[1])

    def _line(self, snapshot: Snapshot) -> Text:
        site = site_of(snapshot)
        text = Text()
        if site.rehearsal:
            text.append(" REHEARSAL: nothing here was really done ", style="bold black on gold3")
            text.append(" ")
        if snapshot.cut_off:
            text.append(" as this folder last saw it: the database does not answer ", style="bold black on gold3")
            text.append(" ")
        text.append(f"{site.name}", style="bold")
        text.append(f" · {site.preset} · plan {site.revision} · go-live planned {site.plan_finish:%Y-%m-%d}")
        text.append(
            f" · {snapshot.now:%Y-%m-%d %H:%M} UTC · acting as {self.owner.site.person or 'nobody'}", style="grey62"
        )
        return text

    def action_back(self) -> None:
        """Go back to where the user came from; from a main screen, to the overview."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        elif self.app.current_mode != "overview":
            self.app.switch_mode("overview")
