"""`?`: everything that can be done here and now, searched as one types, with the reason where something would be refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import work
from textual.binding import Binding

from tui.acting.actions import Action
from tui.leaving import is_open
from tui.screens.choose import Choice, Choose

if TYPE_CHECKING:
    from tui.screens.acting import ActingScreen


class Menu(Choose):
    """The actions of a screen and its keys. What is chosen is done."""

    def __init__(self, of: ActingScreen) -> None:
        """Take the screen."""
        self.of = of
        self.actions = {action.id: action for action in of.offered}
        bound = [(node, binding) for node, binding, *_ in of.active_bindings.values()]
        self.keys = {
            binding.action: (node, binding) for node, binding in bound if not binding.action.startswith("act(")
        }
        """What keys beside those of actions do, by the name of it: of whom, and the key."""
        about = f"about {', '.join(of.chosen[:3])}" if of.chosen else "on this screen"
        super().__init__(f"What can be done {about}", self.found({}))

    def found(self, refused: Mapping[str, str]) -> list[Choice]:
        """Return the choices: first actions that are possible, then those that are not, then keys."""
        made = [self._choice(action, refused.get(action.id, "")) for action in self.actions.values()]
        made.sort(key=lambda choice: bool(choice.why_not))
        keys = [Choice(name, shown_key(key), key.description, "key") for name, (_, key) in self.keys.items()]
        return made + keys

    def _choice(self, action: Action, why_not: str) -> Choice:
        key = self.of.owner.key_of(action.id, action.key)
        return Choice(action.id, key, action.label, f"clusterwright {action.command}", why_not)

    async def do(self, name: str | None) -> None:
        """Do what was chosen, once the menu is closed. Do nothing for None."""
        if name in self.keys:
            node, _ = self.keys[name]
            await self.app.run_action(name, node)
        elif name is not None:
            self.of.action_act(name)

    def on_mount(self) -> None:
        """Ask why actions would be refused."""
        super().on_mount()
        self.ask_ledger()

    @work(thread=True)
    def ask_ledger(self) -> None:
        """Ask the ledger of each action whether it would be refused."""
        if not self.of.chosen:
            return
        refused = {}
        with self.of.owner.saying():
            for action in self.actions.values():
                why = self.of.refusals(action, [self.of.chosen[0]])
                if why:
                    refused[action.id] = next(iter(why.values()))
        self.app.call_from_thread(self.offer, refused)

    def offer(self, refused: Mapping[str, str]) -> None:
        """Show what would be refused. The cursor stays on top where it was: what cannot be done is not there any more."""
        if not is_open(self):
            return
        was_on_top = self.grid.cursor == 0
        self.grid.show_rows(self.found(refused))
        if was_on_top:
            self.grid.action_to(0)


def shown_key(binding: Binding) -> str:
    """Return a key as people read it."""
    return binding.key_display or binding.key.replace("_", " ")
