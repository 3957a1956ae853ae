"""What every screen shares: the site's line on top, reading in a worker, actions by key, going back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from ledger.questions.commitment import go_live_commitment
from ledger.questions.inbox import may_now
from ledger.questions.shut_out import shut_out_by
from ledger.questions.site import head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError
from steps.stamps import minute
from tui.acting.actions import ACTIONS, About, Action, actions_about
from tui.keyline import KeyLine, Shown
from tui.looks import day_text

if TYPE_CHECKING:
    from tui.app import ClusterwrightApp

WARNING = "bold black on gold3"
MANY = 200
"""Of how many subjects at most the refusals are asked for before a decision is typed."""

READ_ONLY = "these screens are read-only"


class SiteScreen(Screen[None]):
    """A screen that asks one snapshot of the record in a thread, and shows what it answered."""

    ABOUT: ClassVar[About] = "site"
    """What its actions are about."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="back"),
        Binding("question_mark", "menu", "What can be done here", key_display="?", id="menu"),
    ]

    def __init_subclass__(cls) -> None:
        """Bind the keys of the actions about what this screen shows."""
        own = "ABOUT" in cls.__dict__
        bound = (
            [Binding(a.key, f"act('{a.id}')", a.label, id=a.id) for a in actions_about(cls.ABOUT) if a.key]
            if own
            else []
        )
        cls.BINDINGS = [*cls.__dict__.get("BINDINGS", []), *bound]
        super().__init_subclass__()

    @property
    def owner(self) -> ClusterwrightApp:
        """The application, by its own type."""
        return cast("ClusterwrightApp", self.app)

    @property
    def about(self) -> About:
        """What its actions are about now."""
        return self.ABOUT

    @property
    def chosen(self) -> Sequence[str]:
        """The ids that the actions are about."""
        return ()

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
        self.query_one(KeyLine).show(self.keys())
        self.load()

    @work(thread=True, exclusive=True, group="load")
    def load(self) -> None:
        """Open one snapshot, ask it everything that the screen shows, then show it."""
        owner = self.owner
        try:
            with open_snapshot(owner.site.folder) as snapshot:
                owner.seen = head(snapshot).seq
                owner.site.read(snapshot)
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
        acting = "looking only" if self.owner.site.read_only else f"acting as {person}"
        text.append(f" · {minute(snapshot.now, site.time_zone)} {site.time_zone} · {acting}", style="grey62")
        return text

    # Actions

    def keys(self) -> tuple[Shown, ...]:
        """Return the keys at the foot: what can be done about what is chosen, then the screens'."""
        mine = (
            ()
            if self.owner.site.read_only
            else tuple(
                (action.key, action.label, f"act('{action.id}')") for action in actions_about(self.about) if action.key
            )
        )
        own = (("?", "All keys", "menu"), (":", "Command", "app.command"), ("Esc", "Back", "back"))
        return (*own, *mine)

    def action_act(self, name: str) -> None:
        """Open the form of an action about what is chosen; of one that only answers and needs nothing, the answer."""
        action = next(action for action in ACTIONS if action.id == name)
        subjects = [] if action.about == "site" else list(self.chosen)
        if action.about != "site" and not subjects:
            self.notify("nothing is chosen")
            return
        if action.records and self.owner.site.read_only:
            self.notify(READ_ONLY, severity="warning")
            return
        self.owner.act(
            action,
            subjects,
            lambda: self.refusals(action, subjects),
            warnings=lambda: self.warnings(action, subjects),
        )

    def refusals(self, action: Action, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return by subject why an action would be refused now. Called in a thread."""
        person = self.owner.site.person
        if not action.verb or person is None or len(subjects) > MANY:
            return {}
        found = {}
        with open_snapshot(self.owner.site.folder) as snapshot:
            for subject in subjects:
                for answer in may_now(snapshot, person, subject):
                    if answer.verb == action.verb and answer.refusal is not None:
                        found[subject] = answer.refusal.what
        return found

    def warnings(self, action: Action, subjects: Sequence[str]) -> Sequence[str]:
        """Return what the person gives up by an action: the right to approve work that they have a hand in. Called in a thread."""
        person = self.owner.site.person
        if action.about != "activity" or person is None or len(subjects) > MANY:
            return []
        with open_snapshot(self.owner.site.folder) as snapshot:
            return [str(found) for found in shut_out_by(snapshot, action.command, subjects, person)]

    def action_menu(self) -> None:
        """Show everything that can be done here, with the reason where it would be refused."""
        from tui.screens.menu import Menu

        self.app.push_screen(Menu(self))

    def action_back(self) -> None:
        """Go back to where the user came from; from a main screen, to the first."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        elif self.app.current_mode != self.owner.DEFAULT_MODE:
            self.app.switch_mode(self.owner.DEFAULT_MODE)
