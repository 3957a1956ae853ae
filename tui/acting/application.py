"""An application that opens forms of commands, runs them, and shows what they say."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from textual import events, work
from textual.app import App
from textual.widget import AwaitMount

from steps.amount import counted
from tui.acting.actions import ACTIONS, Action
from tui.acting.asked import Asked
from tui.acting.command import CommandLine
from tui.acting.running import Done
from tui.screens.choose import Choice, Choose
from tui.site import OpenSite

READ_ONLY = "these screens are read-only"

QUESTIONS = frozenset(action.command for action in ACTIONS if not action.records)

SAID = 6
"""How many lines of what a command said are shown when it is done."""


class ActingApp(App[None]):
    """Keeps the site, and what was typed into forms that were left."""

    def __init__(self, folder: Path, commands: CommandLine, *, read_only: bool = False) -> None:
        """Keep the folder; nothing is read before the first paint."""
        super().__init__()
        self.site = OpenSite(folder, commands, read_only=read_only)
        self._drafts: dict[tuple[str, tuple[str, ...]], Mapping[str, str]] = {}
        self._is_opening = False
        self._early: list[events.Key] = []
        """Keys that came while a form was being opened."""

    async def on_event(self, event: events.Event) -> None:
        """Keep the keys that come while a form is being opened: they are meant for it, and not for the list behind it."""
        if self._is_opening and isinstance(event, events.Key) and not event.is_forwarded:
            self._early.append(event)
            return
        await super().on_event(event)

    def may_record(self) -> bool:
        """Return whether these screens record anything. Say so where they are read-only."""
        if self.site.read_only:
            self.notify(READ_ONLY, severity="warning")
        return not self.site.read_only

    @abstractmethod
    def refresh_site(self) -> None:
        """Look for changes at once."""

    @abstractmethod
    def take_marks_away(self, subjects: Sequence[str]) -> None:
        """Let the next action be about something else than what was decided about."""

    def act(
        self,
        action: Action,
        subjects: Sequence[str],
        refusals: Callable[[], Mapping[str, str]] = dict,
        values: Mapping[str, str] | None = None,
        warnings: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Open the form of an action; run a question that needs nothing more at once."""
        self._is_opening = True
        self._act(lambda: self._show(action, subjects, refusals, values or {}, warnings))

    @work(thread=True, group="act")
    def _act(self, show: Callable[[], None]) -> None:
        """Import a command, which takes time when it is first used, then show its form or its answer."""
        try:
            show()
        except BaseException:
            self.call_from_thread(self.let_keys_through)
            raise

    def let_keys_through(self) -> None:
        """Hand on the keys that came while a form was being opened: it is there, or there is none."""
        self._is_opening = False
        early, self._early = self._early, []
        for event in early:
            self.post_message(event)

    def _show(
        self,
        action: Action,
        subjects: Sequence[str],
        refusals: Callable[[], Mapping[str, str]],
        values: Mapping[str, str],
        warnings: Callable[[], Sequence[str]],
    ) -> None:
        command = self.site.commands.describe(action.command)
        command = command if subjects else command.alone
        if len(subjects) > 1 and not (command.subject and command.subject.many):
            self.notify(f"{action.label} is about one at a time; the first of {len(subjects)} is taken")
            subjects = subjects[:1]
        if not action.records and not action.asks and not any(field.required for field in command.fields):
            self.call_from_thread(self.show_answer, command.words(subjects, {}))
            return
        asked = Asked(command, subjects, values, refusals, warnings, action.answers)
        self.call_from_thread(self.open_form, asked)

    def show_answer(self, words: Sequence[str]) -> None:
        """Run a question and show what it says, line by line."""
        from tui.screens.output import OutputScreen

        self.push_screen(OutputScreen(words))
        self.let_keys_through()

    def open_form(self, asked: Asked) -> None:
        """Open a form, with what was typed when it was left. Where nobody acts yet, as before the first plan, it asks who does."""
        from tui.acting.form import Form  # the first screen is painted without

        command = asked.command
        if command.who is not None and self.site.person is None:
            command = replace(command, fields=(*command.fields, command.who))
        kept = self._drafts.get((command.name, tuple(asked.subjects)), {})
        form = Form(asked._replace(command=command, values={**kept, **asked.values}))
        self.push_screen(form, lambda done: self._done(asked, done))

    def _done(self, asked: Asked, done: Done | None) -> None:
        if done is None:
            return
        self._drafts.pop((asked.command.name, tuple(asked.subjects)), None)
        lines = (done.talk or done.answer or "done").strip().splitlines()
        more = [f"and {counted(len(lines) - SAID, 'line')} more"] if len(lines) > SAID else []
        self.notify("\n".join([*lines[:SAID], *more]), markup=False)
        self.take_marks_away(asked.subjects)
        self.refresh_site()

    def keep_draft(self, asked: Asked, values: Mapping[str, str]) -> None:
        """Keep what was typed into a form that was left."""
        self._drafts[asked.command.name, tuple(asked.subjects)] = values

    async def action_command(self) -> None:
        """Choose any command of the command line, whose form or answer follows, or a screen. Read-only screens offer the questions."""
        offered = [
            (name, about)
            for name, about in self.site.commands.abouts.items()
            if name in QUESTIONS or not self.site.read_only
        ]
        choices = [Choice(name, "", name, about) for name, about in offered]

        screens = {f"{mode} screen": mode for mode in self.MODES}
        choices += [Choice(name, self.key_of_screen(mode), name, f"Go to {mode}") for name, mode in screens.items()]

        def take(name: str) -> None:
            if name in screens:
                self.switch_mode(screens[name])
            else:
                self._command(name)

        await self.choose("clusterwright …", choices, take)

    def choose(self, title: str, choices: Sequence[Choice], take: Callable[[str], object]) -> AwaitMount:
        """Let one of several be chosen, and take its id. Do nothing where the person goes back."""

        def chosen(name: str | None) -> None:
            if name is not None:
                take(name)

        return self.push_screen(Choose(title, choices), chosen)

    @abstractmethod
    def key_of_screen(self, mode: str) -> str:
        """Return the key that goes to a main screen."""

    @work(thread=True, group="act")
    def _command(self, name: str) -> None:
        command = self.site.commands.describe(name).alone
        if not command.fields:
            self.call_from_thread(self.show_answer, command.words((), {}))
        else:
            self.call_from_thread(self.open_form, Asked(command, (), answers="who" not in command.own))
