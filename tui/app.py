"""The application: wiring only. The skeleton paints first; data comes from worker threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from schedule.errors import ClusterwrightError
from schedule.text import shown
from tui.screens.activity import ActivityScreen
from tui.screens.base import SiteScreen
from tui.screens.inbox import InboxScreen
from tui.screens.live import LiveScreen
from tui.screens.orders import OrdersScreen
from tui.screens.overview import OverviewScreen
from tui.screens.steps import StepsScreen
from tui.site import Lapsed, OpenSite

REFRESH_S = 0.5
REFUSAL_S = 12.0
LONGEST = 2000
"""How many characters of a refusal are shown: it may repeat what a person pasted."""


class ClusterwrightApp(App[None]):
    """Overview, steps, inbox, orders and runs of one site."""

    TITLE = "Clusterwright"
    CSS_PATH = "app.tcss"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "overview": OverviewScreen,
        "steps": StepsScreen,
        "inbox": InboxScreen,
        "orders": OrdersScreen,
        "live": LiveScreen,
    }
    DEFAULT_MODE = "overview"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "switch_mode('overview')", "Overview", id="go.overview"),
        Binding("2", "switch_mode('steps')", "Steps", id="go.steps"),
        Binding("3", "switch_mode('inbox')", "Inbox", id="go.inbox"),
        Binding("4", "switch_mode('orders')", "Orders", id="go.orders"),
        Binding("5", "switch_mode('live')", "Runs", id="go.live"),
        Binding("p", "next_person", "Person", id="person.next"),
        Binding("question_mark", "show_help_panel", "Help", key_display="?", id="help"),
        Binding("q", "quit", "Quit", id="quit"),
    ]

    def __init__(self, folder: Path) -> None:
        """Keep the folder; nothing is read before the first paint."""
        super().__init__()
        self.site = OpenSite(folder)
        self.seen: int | str | None = None
        """The last event that a screen shows, or why it could not read. None before the first screen has read."""

    def on_mount(self) -> None:
        """Look for changes a few times a second."""
        self.set_interval(REFRESH_S, self.look)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Add the screens to the command palette."""
        yield from super().get_system_commands(screen)
        for mode in self.MODES:
            yield SystemCommand(f"Go: {mode}", f"Show {mode}", lambda m=mode: self.switch_mode(m))

    @work(thread=True, exclusive=True, group="look")
    def look(self) -> None:
        """Let the screen on top read again if there are new events, or if the ledger can be read again."""
        found: int | str
        try:
            found = self.site.last_event()
        except ClusterwrightError as error:
            found = error.what
        if self.seen not in {None, found}:
            self.seen = found
            self.call_from_thread(self.refresh_screen)

    def say(self, error: ClusterwrightError) -> None:
        """Show why something was refused or could not be read."""
        title, hint = shown(error.what)[:LONGEST], shown(error.hint)[:LONGEST] or " "
        self.notify(hint, title=title, severity="error", timeout=REFUSAL_S, markup=False)

    def refresh_screen(self) -> None:
        """Let the screen on top read again."""
        if isinstance(self.screen, SiteScreen):
            self.screen.load()

    def action_next_person(self) -> None:
        """Act as the next of the people that this account may act as."""
        people = self.site.people
        if len(people) < 2:
            self.notify("this account belongs to one person only")
            return
        at = people.index(self.site.person) if self.site.person in people else -1
        self.site.person = people[(at + 1) % len(people)]
        self.notify(f"acting as {self.site.person}")
        self.refresh_screen()

    def show_phase(self, phase: str) -> None:
        """Show the steps of one phase."""
        self.switch_mode("steps")
        screen = self.screen
        if isinstance(screen, StepsScreen):
            screen.show_phase(phase)

    def open_activity(self, subject: str) -> None:
        """Show the page of an activity; for an order or a delivery, the page of its activity."""
        self.push_screen(ActivityScreen(subject.partition("#")[0]))


def run(folder: Path, lapsed: Lapsed) -> None:
    """Open the screens of a site's folder."""
    app = ClusterwrightApp(folder)
    app.site.lapsed = lapsed
    app.run()
