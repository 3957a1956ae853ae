"""A screen about which actions are taken: what is chosen, the keys of what can be done about it, and what the ledger would refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from tui.acting.actions import ACTIONS, About, Action, actions_about
from tui.keyline import KeyLine, Shown
from tui.lists.prompt import Prompt
from tui.site import OpenSite

if TYPE_CHECKING:
    from tui.app import ClusterwrightApp

MANY = 200
"""Of how many subjects at most the refusals are asked for before a decision is typed."""


OPENING = frozenset(("act", "menu", "mail", "filter", "sort", "group", "columns", "views"))
"""What keys do that open something to type in or to choose from."""


class ActingScreen(Screen[None]):
    """A screen whose keys act on what is chosen. Of the actions with one key, that one acts which is about what is chosen."""

    ABOUT: ClassVar[About] = "site"
    """What its actions are about."""

    FIRST_KEYS: ClassVar[tuple[Shown, ...]] = ()
    """Keys of what the screen shows, as a chart's, which are at the foot before those of every screen."""

    OWN_KEYS: ClassVar[tuple[Shown, ...]] = ()
    """Keys of the screen itself that are shown at the foot, beside those of actions."""

    # Before what has the focus sees them, as all keys that open something: else what is typed at once behind one, as over a slow
    # line, goes to what is left, where letters are actions too.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "menu", "What can be done here", key_display="?", id="menu", priority=True),
        *(
            Binding(action.key, f"act('{action.id}')", action.label, id=action.id, priority=True)
            for action in ACTIONS
            if action.key
        ),
    ]

    @property
    def owner(self) -> ClusterwrightApp:
        """The application, by its own type."""
        return cast("ClusterwrightApp", self.app)

    @property
    def site(self) -> OpenSite:
        """The site that is shown."""
        return self.owner.site

    @property
    def about(self) -> About:
        """What its actions are about now. On a list of several kinds it is that of the row under the cursor."""
        return self.ABOUT

    @property
    def offered(self) -> Sequence[Action]:
        """The actions that can be taken here. Read-only screens offer those that record nothing."""
        return [action for action in actions_about(self.about) if not (action.records and self.site.read_only)]

    @property
    def chosen(self) -> Sequence[str]:
        """The ids that the actions are about."""
        return ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key does something now: of an action, whether it is about what is chosen. In a text it is a character."""
        if action in OPENING and isinstance(self.focused, Prompt | Input):
            return False
        if action != "act":
            return super().check_action(action, parameters)
        return any(one.id == parameters[0] for one in actions_about(self.about))

    def values(self, _action: Action, _subjects: Sequence[str]) -> Mapping[str, str]:
        """Return what is filled in when the form of an action is opened."""
        return {}

    def show_keys(self) -> None:
        """Show the keys of what is chosen."""
        self.query_one(KeyLine).show(self.keys())

    def keys(self) -> tuple[Shown, ...]:
        """Return the keys at the foot: what can be done about what is chosen, then the screens'."""
        key_of = self.owner.key_of
        mine = tuple(
            (key_of(action.id, action.key), action.label, f"act('{action.id}')")
            for action in self.offered
            if key_of(action.id, action.key)
        )
        menu = (key_of("menu", "?"), "All keys", "menu")
        command, back = (key_of("command", ":"), "Command", "app.command"), (key_of("back", "Esc"), "Back", "back")
        return (menu, *self.FIRST_KEYS, command, back, *self.OWN_KEYS, *mine)

    def action_act(self, name: str) -> None:
        """Open the form of an action about what is chosen; of one that only answers and needs nothing, the answer."""
        action = next(action for action in ACTIONS if action.id == name)
        subjects = [] if action.about == "site" else list(self.chosen)
        if action.about != "site" and not subjects:
            self.notify("nothing is chosen")
            return
        if action.records and not self.owner.may_record():
            return
        self.owner.act(
            action,
            subjects,
            lambda: self.refusals(action, subjects),
            self.values(action, subjects),
            lambda: self.warnings(action, subjects),
        )

    def refusals(self, action: Action, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return by subject why an action would be refused now. Called in a thread."""
        person = self.site.person
        if not action.verb or person is None or len(subjects) > MANY:
            return {}
        from ledger.questions.inbox import may_now  # the first screen is painted without
        from ledger.reading import open_snapshot

        found = {}
        with open_snapshot(self.site.folder) as snapshot:
            for subject in subjects:
                refusal = may_now(snapshot, person, subject).get(action.verb)
                if refusal is not None:
                    found[subject] = refusal.what
        return found

    def warnings(self, action: Action, subjects: Sequence[str]) -> Sequence[str]:
        """Return what the person gives up by an action: the right to approve work that they have a hand in. Called in a thread."""
        person = self.site.person
        if action.about != "activity" or person is None or len(subjects) > MANY:
            return []
        from ledger.questions.shut_out import shut_out_by
        from ledger.reading import open_snapshot

        with open_snapshot(self.site.folder) as snapshot:
            return [str(found) for found in shut_out_by(snapshot, action.command, subjects, person)]

    async def action_menu(self) -> None:
        """Show everything that can be done here, with the reason where it would be refused."""
        from tui.screens.menu import Menu

        menu = Menu(self)
        await self.app.push_screen(menu, menu.do)
