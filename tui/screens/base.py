"""What every screen shares: the site's line on top, reading in a worker, actions by key, going back."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ledger.machine_time import machine_time
from ledger.questions.commitment import go_live_commitment
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError
from schedule.text import shown_in_line
from steps.stamps import minute
from tui.keyline import KeyLine
from tui.leaving import is_open
from tui.looks import COLOURS, day_text
from tui.printing import Printed, as_text, write_page
from tui.screens.acting import ActingScreen
from tui.screens.choose import Choice

WARNING = "bold black on gold3"


class SiteScreen(ActingScreen):
    """A screen that asks one snapshot of the record in a thread, and shows what it answered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="back"),
        Binding("E", "mail", "Mail this page", id="mail", priority=True),
    ]

    _has_read = False
    """Whether it shows what was read."""

    _is_reading = False
    _is_outdated = False
    """Whether something has changed since it began to read."""

    def compose(self) -> ComposeResult:
        """Paint the skeleton: the site's line, the body, the keys."""
        yield Static("Clusterwright: reading the ledger…", id="site-line")
        yield from self.body()
        yield KeyLine()

    @abstractmethod
    def body(self) -> ComposeResult:
        """Return the widgets between the site's line and the keys."""

    @abstractmethod
    def ask(self, snapshot: Snapshot) -> Any:
        """Return what the screen shows. Called in a worker thread."""

    @abstractmethod
    def show(self, answer: Any) -> None:
        """Show what `ask` returned. Called in the event loop."""

    def on_screen_resume(self) -> None:
        """Read again, and show the keys."""
        self.show_keys()
        self.load()

    def load(self) -> None:
        """Read again, once what is being read is shown: on a large site events come faster than everything is read."""
        if self._is_reading:
            self._is_outdated = True
            return
        self._is_reading, self._is_outdated = True, False
        self._read()

    @work(thread=True, group="load")
    def _read(self) -> None:
        """Open one snapshot, ask it everything that the screen shows, then show it."""
        owner = self.owner
        try:
            with open_snapshot(owner.site.folder) as snapshot:
                owner.site.read(snapshot)
                line, answer = self._line(snapshot), self.ask(snapshot)
        except ClusterwrightError as error:
            owner.call_from_thread(self._lost, error)
            return
        owner.call_from_thread(self._show, line, answer)

    def _show(self, line: Text, answer: Any) -> None:
        if is_open(self):
            self._has_read = True
            self.query_one("#site-line", Static).update(line)
            self.show(answer)
        self._end_reading()

    def _lost(self, error: ClusterwrightError) -> None:
        """Say why nothing newer can be read, until it can be."""
        if is_open(self):
            before = "what is shown was read before: " if self._has_read else ""
            why = "; ".join(filter(None, (error.what, error.hint)))
            line = Text(f" {before}{shown_in_line(why)} ", style=WARNING)
            self.query_one("#site-line", Static).update(line)
            self.owner.clear_notifications()  # each screen that is looked at meets the same
            self.owner.say(error)
        self._end_reading()

    def _end_reading(self) -> None:
        self._is_reading = False
        if self._is_outdated and is_open(self):
            self.load()

    def _line(self, snapshot: Snapshot) -> Text:
        site, person = site_of(snapshot), self.site.person or "nobody"
        text = Text()
        if site.rehearsal:
            text.append(" REHEARSAL: nothing here was really done ", style=WARNING).append(" ")
        if snapshot.cut_off:
            said = shown_in_line(snapshot.cut_off)
            text.append(f" as this folder last saw it: {said} ", style=WARNING).append(" ")
        text.append(site.name, style="bold")
        commitment, zone = go_live_commitment(snapshot), site.time_zone
        goal = f"commitment {day_text(commitment.commitment, zone)} · " if commitment else ""
        acting = "looking only" if self.site.read_only else f"acting as {person}"
        text.append(f" · {acting}", style=COLOURS["muted"])
        text.append(
            f" · {site.preset} · plan {site.revision} · {goal}working schedule {day_text(site.plan_finish, zone)}"
        )
        text.append(f" · {minute(snapshot.now, site.time_zone)} {site.time_zone}", style=COLOURS["muted"])
        return text

    # The page as a file

    @property
    def about_site(self) -> str:
        """The line of the site as it is painted."""
        return str(self.query_one("#site-line", Static).content)

    def page(self) -> Printed:
        """Return what is painted, line by line. A list returns all of its rows."""
        lines = (strip.text.rstrip() for strip in self._compositor.render_strips())
        return Printed(self.TITLE or "", self.about_site, [self.TITLE or ""], [[line] for line in lines])

    async def action_mail(self) -> None:
        """Write what the screen shows into a file, in the form that is chosen; text is copied too."""
        choices = [
            Choice("txt", "", "text", "into the clipboard, and a file"),
            Choice("csv", "", "CSV", "for a spreadsheet"),
            Choice("html", "", "HTML", "for a mail"),
        ]
        await self.owner.choose("This page as a file", choices, self._mail)

    def _mail(self, form: str) -> None:
        page = self.page()
        if form == "txt":
            self.app.copy_to_clipboard(as_text(page))
        with self.owner.saying():
            path = write_page(self.site.folder, page, form, machine_time())
            self.notify(str(path), title="written", markup=False)

    def action_back(self) -> None:
        """Go back to where the user came from; from a main screen, to the first."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        elif self.app.current_mode != self.owner.DEFAULT_MODE:
            self.app.switch_mode(self.owner.DEFAULT_MODE)
