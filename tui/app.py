"""The application: wiring only. The skeleton paints first; data comes from worker threads."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from threading import Event
from typing import Any, ClassVar

from textual import work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen
from textual.theme import Theme
from textual.widgets import Input
from textual.worker import get_current_worker

from schedule.errors import ClusterwrightError, UnreachableError
from schedule.text import shown
from tui import screens
from tui.acting.application import ActingApp
from tui.acting.command import CommandLine
from tui.feed import Feed
from tui.keys import own_keys
from tui.lists.grid import Grid
from tui.lists.prompt import Prompt
from tui.looks import take_colours
from tui.plain_glyphs import PlainGlyphs, is_plain
from tui.screens.acting import ActingScreen
from tui.screens.base import SiteScreen
from tui.screens.choose import Choice
from tui.screens.listing import ListScreen
from tui.site import NOBODY, Lapsed

LOOK_S = 0.3
REFUSAL_S = 12.0
LONGEST = 2000
"""How many characters of a refusal are shown: it may repeat what a person pasted."""


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

PAGES = {"activity": "activity", "order": "order_page", "run": "run_page", "evidence": "evidence"}
"""The pages of one thing, by its kind: the module, and in it `<Kind>Screen`."""


def _made(name: str) -> Callable[[], Screen[Any]]:
    """Return what makes a main screen. Its module is imported when it is first shown."""
    return lambda: getattr(import_module(f"tui.screens.{name}"), f"{name.capitalize()}Screen")()  # noqa: PLW0108  imported when called


class ClusterwrightApp(ActingApp):
    """Every screen of one site."""

    TITLE = "Clusterwright"
    CSS_PATH = "app.tcss"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {name: _made(name) for name in MAIN}
    DEFAULT_MODE = "morning"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(
                key,
                f"switch_mode('{mode}')",
                f"Go to {mode}",
                key_display=key.replace("minus", "-"),
                id=f"go.{mode}",
                priority=key != "minus",  # a chart's own key, which makes its axis wider
            )
            for mode, key in MAIN.items()
        ),
        Binding("at", "person", "Act as another person", key_display="@", id="person", priority=True),
        Binding("colon", "command", "Type a command", key_display=":", id="command", priority=True),
        Binding("q", "quit", "Quit", id="quit"),
    ]

    def __init__(self, folder: Path, commands: CommandLine, *, read_only: bool = False) -> None:
        """Keep the folder; nothing is read before the first paint."""
        super().__init__(folder, commands, read_only=read_only)
        self._look_now = Event()
        self._plain = [PlainGlyphs()] if is_plain() else []
        self.own_keys: Mapping[str, str] = {}
        """A person's own keys, by what they do."""

    def on_mount(self) -> None:
        """Look for changes a few times a second."""
        take_colours(self)
        self.theme_changed_signal.subscribe(self, self.take_theme)
        self.take_own_keys()
        gc.set_threshold(100_000, 20, 20)
        self.follow_record()

    def take_theme(self, _theme: Theme) -> None:
        """Paint texts in the colours of another theme."""
        take_colours(self)
        self.refresh_screen()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what changes every line: signs become ASCII where the terminal has no others."""
        return [*super().get_line_filters(), *self._plain]

    def take_own_keys(self) -> None:
        """Take a person's own keys. A file with a fault is named, and the keys stay as they are."""
        with self.saying():
            self.own_keys = own_keys(ids)
            self.set_keymap(self.own_keys)

    def key_of(self, name: str, key: str) -> str:
        """Return the key of what has an id: a person's own, else the one that it has for everybody."""
        return self.own_keys.get(name, key)

    def key_of_screen(self, mode: str) -> str:
        """Return the key that goes to a main screen, as it is printed."""
        return self.key_of(f"go.{mode}", MAIN[mode]).replace("minus", "-")

    def take_marks_away(self, subjects: Sequence[str]) -> None:
        """Take away the marks of rows that were decided about, on whatever list they are."""
        for screen in self.screen_stack:
            if isinstance(screen, ListScreen):
                screen.take_marks_away(subjects)

    def refresh_site(self) -> None:
        """Look for changes at once."""
        self._look_now.set()

    @work(thread=True, group="watch")
    def follow_record(self) -> None:
        """Let the screen on top read again where something changed. While the ledger cannot be read, say so once, and look again."""
        worker, feed, trouble = get_current_worker(), Feed(self.site.folder), ""
        while not worker.is_cancelled:
            try:
                changed, trouble = feed.look(), ""
            except ClusterwrightError as error:
                changed, trouble = error.what != trouble, error.what
            if changed:
                self.call_from_thread(self.refresh_screen)
            self._look_now.wait(LOOK_S)
            self._look_now.clear()
        feed.close()

    def on_unmount(self) -> None:
        """Let the thread that looks for changes end."""
        self._look_now.set()

    def say(self, error: ClusterwrightError) -> None:
        """Show why something was refused or could not be read."""
        title, hint = shown(error.what)[:LONGEST], shown(error.hint)[:LONGEST] or " "
        self.notify(hint, title=title, severity="error", timeout=REFUSAL_S, markup=False)

    @contextmanager
    def saying(self) -> Iterator[None]:
        """Show why what is done inside is refused, or what it cannot read or write. The screens go on."""
        try:
            yield
        except ClusterwrightError as error:
            self.say(error)
        except OSError as error:
            what = f"{error.filename} cannot be read or written: {error.strerror}"
            self.say(UnreachableError(what, hint="look at its path, its owner and permissions, and the free space"))

    def refresh_screen(self) -> None:
        """Let the screen on top read again."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, SiteScreen):
                screen.load()
                return

    # Who, and where

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key does something now: in a form, a choice and a text it is a character."""
        if action in {"switch_mode", "person", "command"} and (
            isinstance(self.screen, ModalScreen) or isinstance(self.focused, Prompt | Input)
        ):
            return False
        return super().check_action(action, parameters)

    async def action_switch_mode(self, mode: str) -> None:
        """Go to a main screen. The next key waits until it is there."""
        await self.switch_mode(mode)

    async def action_person(self) -> None:
        """Choose who acts, of the people of this account."""
        if len(self.site.people) < 2:
            self.notify("this account belongs to one person only" if self.site.people else NOBODY)
            return
        choices = [Choice(person, "", person) for person in self.site.people]
        await self.choose("Who acts", choices, self._act_as)

    def _act_as(self, person: str) -> None:
        self.site.person = person
        self.refresh_screen()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Add the screens and what can be done on this one to the command palette."""
        yield from super().get_system_commands(screen)
        for mode in self.MODES:
            yield SystemCommand(f"Go: {mode}", f"Show {mode}", lambda m=mode: self.switch_mode(m))
        if isinstance(screen, SiteScreen):
            for action in screen.offered:
                about = f"clusterwright {action.command}"
                yield SystemCommand(f"{action.label}", about, lambda a=action, s=screen: s.action_act(a.id))

    def open_activity(self, subject: str) -> None:
        """Show the page of an activity; for an order or a delivery, the page of its activity."""
        self.open_page("activity", subject.partition("#")[0])

    def open_page(self, kind: str, name: str) -> None:
        """Show the page of one thing of a kind: an activity, an order, a run, or a file of the evidence store."""
        module = import_module(f"tui.screens.{PAGES[kind]}")
        self.push_screen(getattr(module, f"{kind.capitalize()}Screen")(name))


def ids() -> set[str]:
    """Return the ids of everything that a key does: on all screens, in lists and in forms."""
    import_module("tui.acting.form")
    for module in iter_modules(screens.__path__, "tui.screens."):
        import_module(module.name)
    classes: list[type[DOMNode]] = [ClusterwrightApp]
    for one in (ActingScreen, ModalScreen, Grid, Prompt):
        classes += [one, *_subclasses(one)]
    bound = [binding for one in classes for binding in one.__dict__.get("BINDINGS", ())]
    return {binding.id for binding in bound if isinstance(binding, Binding) and binding.id}


def _subclasses(of: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for one in of.__subclasses__():
        yield one
        yield from _subclasses(one)


def run(folder: Path, commands: CommandLine, lapsed: Lapsed, *, read_only: bool = False) -> None:
    """Open the screens of a site's folder."""
    app = ClusterwrightApp(folder, commands, read_only=read_only)
    app.site.lapsed = lapsed
    app.run()
    if app._exception is not None:  # noqa: SLF001  Textual prints it, and would end as if nothing had been
        raise app._exception  # noqa: SLF001
