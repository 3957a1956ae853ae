"""The application: wiring only. The skeleton paints first; data comes from worker threads."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from schedule.errors import ClusterwrightError
from schedule.text import shown
from tui.acting.actions import Action, actions_about
from tui.acting.command import CommandLine
from tui.acting.form import Asked, Form
from tui.acting.running import Done
from tui.screens.base import SiteScreen
from tui.screens.choose import Choice, Choose
from tui.screens.output import OutputScreen
from tui.site import Lapsed, OpenSite

LOOK_S = 0.3
REFUSAL_S = 12.0
LONGEST = 2000
"""How many characters of a refusal are shown: it may repeat what a person pasted."""

SAID = 6
"""How many lines of what a command said are shown when it is done."""


MAIN = {
    "morning": "1",
    "steps": "2",
    "inbox": "3",
    "orders": "4",
    "runs": "5",
    "gantt": "6",
    "crews": "7",
    "risk": "8",
    "floor": "9",
    "record": "0",
    "quality": "minus",
}
"""The main screens, each with its key: the module `tui.screens.<name>` and in it `<Name>Screen`."""


def _made(name: str) -> Callable[[], Screen[Any]]:
    """Return what makes a main screen. Its module is imported when it is first shown."""
    return lambda: getattr(import_module(f"tui.screens.{name}"), f"{name.capitalize()}Screen")()  # noqa: PLW0108  imported when called


class ClusterwrightApp(App[None]):
    """Every screen of one site."""

    TITLE = "Clusterwright"
    CSS_PATH = "app.tcss"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {name: _made(name) for name in MAIN}
    DEFAULT_MODE = "morning"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"switch_mode('{mode}')", f"Go to {mode}", id=f"go.{mode}") for mode, key in MAIN.items()),
        Binding("at", "person", "Act as another person", key_display="@", id="person"),
        Binding("colon", "command", "Type a command", key_display=":", id="command"),
        Binding("q", "quit", "Quit", id="quit"),
    ]

    def __init__(self, folder: Path, commands: CommandLine, *, read_only: bool = False) -> None:
        """Keep the folder; nothing is read before the first paint."""
        super().__init__()
        self.site = OpenSite(folder, commands, read_only=read_only)
        self.seen: int | str | None = None
        """The last event that a screen shows, or why it could not read. None before the first screen has read."""
        self._forecast = 0.0
        self._drafts: dict[tuple[str, tuple[str, ...]], Mapping[str, str]] = {}

    def on_mount(self) -> None:
        """Look for changes a few times a second. What is loaded by now is left out of every later search for garbage."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(100_000, 20, 20)
        self.set_interval(LOOK_S, self.look)

    @work(thread=True, exclusive=True, group="look")
    def look(self) -> None:
        """Let the screen on top read again if there are new events or another forecast, or if the ledger can be read again."""
        found: int | str
        try:
            found = self.site.last_event()
        except ClusterwrightError as error:
            found = error.what
        forecast = self.site.forecast_written()
        if self.seen not in {None, found} or self._forecast not in {0.0, forecast}:
            self.seen = found
            self.call_from_thread(self.refresh_screen)
        self._forecast = forecast

    def say(self, error: ClusterwrightError) -> None:
        """Show why something was refused or could not be read."""
        title, hint = shown(error.what)[:LONGEST], shown(error.hint)[:LONGEST] or " "
        self.notify(hint, title=title, severity="error", timeout=REFUSAL_S, markup=False)

    def refresh_screen(self) -> None:
        """Let the screen on top read again."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, SiteScreen):
                screen.load()
                return

    # Decisions and questions

    def act(
        self,
        action: Action,
        subjects: Sequence[str],
        refusals: Callable[[], Mapping[str, str]] = dict,
        values: Mapping[str, str] | None = None,
        warnings: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Open the form of an action; run a question that needs nothing more at once."""
        command = self.site.commands.describe(action.command)
        command = command if subjects else command.alone
        needs = [field for field in command.fields if field.required]
        if not action.records and not needs and (subjects or command.subject is None):
            self.push_screen(OutputScreen(command.words(subjects, {})))
            return
        kept = self._drafts.get((command.name, tuple(subjects)), {})
        many = command.subject is not None and command.subject.many
        if len(subjects) > 1 and not many:
            self.notify(f"{action.label} is about one at a time; the first of {len(subjects)} is taken")
            subjects = subjects[:1]
        self._open(Asked(command, subjects, kept or values or {}, refusals, warnings))

    def _open(self, asked: Asked) -> None:
        self.push_screen(Form(asked), lambda done: self._done(asked, done))

    def _done(self, asked: Asked, done: Done | None) -> None:
        if done is None:
            return
        self._drafts.pop((asked.command.name, tuple(asked.subjects)), None)
        lines = (done.talk or done.answer or "done").strip().splitlines()
        more = [f"and {len(lines) - SAID} lines more"] if len(lines) > SAID else []
        self.notify("\n".join([*lines[:SAID], *more]), markup=False)
        self.look()

    def keep_draft(self, asked: Asked, values: Mapping[str, str]) -> None:
        """Keep what was typed into a form that was left."""
        self._drafts[asked.command.name, tuple(asked.subjects)] = values

    def action_command(self) -> None:
        """Choose any command of the command line; its form or its answer follows."""
        choices = [Choice(name, "", name, about) for name, about in self.site.commands.abouts.items()]
        self.push_screen(Choose("clusterwright …", choices), self._command)

    def _command(self, name: str | None) -> None:
        if name is None:
            return
        command = self.site.commands.describe(name)
        if command.subject is None and not command.fields:
            self.push_screen(OutputScreen(command.words((), {})))
        elif self.site.read_only:
            self.notify("these screens are read-only", severity="warning")
        else:
            self._open(Asked(command.alone, ()))

    # Who, and where

    def action_person(self) -> None:
        """Choose who acts, of the people of this account."""
        if len(self.site.people) < 2:
            self.notify("this account belongs to one person only")
            return
        choices = [Choice(person, "", person) for person in self.site.people]
        self.push_screen(Choose("Who acts", choices), self._act_as)

    def _act_as(self, person: str | None) -> None:
        if person is not None:
            self.site.person = person
            self.refresh_screen()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Add the screens and what can be done on this one to the command palette."""
        yield from super().get_system_commands(screen)
        for mode in self.MODES:
            yield SystemCommand(f"Go: {mode}", f"Show {mode}", lambda m=mode: self.switch_mode(m))
        if isinstance(screen, SiteScreen):
            for action in actions_about(screen.about):
                about = f"clusterwright {action.command}"
                yield SystemCommand(f"{action.label}", about, lambda a=action, s=screen: s.action_act(a.id))

    def open_activity(self, subject: str) -> None:
        """Show the page of an activity; for an order or a delivery, the page of its activity."""
        from tui.screens.activity import ActivityScreen

        self.push_screen(ActivityScreen(subject.partition("#")[0]))

    def open_run(self, run: str) -> None:
        """Show the page of a run."""
        from tui.screens.run_page import RunScreen

        self.push_screen(RunScreen(run))

    def open_evidence(self, digest: str) -> None:
        """Show a file of the evidence store."""
        from tui.screens.evidence import EvidenceScreen

        self.push_screen(EvidenceScreen(digest))


def run(folder: Path, commands: CommandLine, lapsed: Lapsed, *, read_only: bool = False) -> None:
    """Open the screens of a site's folder."""
    app = ClusterwrightApp(folder, commands, read_only=read_only)
    app.site.lapsed = lapsed
    app.run()
