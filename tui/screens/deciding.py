"""Decisions from the screens: the key, the question, the decision, and its refusal shown as it is."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from textual import work
from textual.binding import Binding, BindingType

from ledger.questions.case import require_activity
from ledger.questions.checks import checked_items, unchecked_items
from ledger.questions.inbox import may_now
from ledger.questions.shut_out import shut_out
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError
from tui.screens.base import SiteScreen
from tui.widgets.ask import Ask
from tui.widgets.check_item import CheckItem, TypedItem
from tui.widgets.confirm import Confirm


class Verb(NamedTuple):
    """A decision that a key takes. `asks` is the question whose answer goes with it, empty where there is none.

    `done` says what was recorded. What the decision returned takes the place of its `{}`.
    """

    key: str
    label: str
    done: str
    asks: str = ""
    in_footer: bool = True


VERBS = {
    "start": Verb("b", "Start", "started"),
    "finish": Verb("f", "Finish", "finished"),
    "sign": Verb("s", "Sign", "signed", "Sign {}. Comment, or nothing:"),
    "reject": Verb("x", "Reject", "rejected", "Reject {}. Why?"),
    "attach": Verb("e", "Attach", "attached", "Attach to {}: kind and file, as `scan-record /path/file.pdf`"),
    "measure": Verb("m", "Measure", "measured", "Measure {}: metric (or metric@item), value, unit, source"),
    "check": Verb("k", "Check item", "{}", "Check an item of {}"),
    "comment": Verb("c", "Comment", "noted", "Comment on {}:", in_footer=False),
    "hold": Verb("h", "Hold", "on hold", "Hold {}. Why?", in_footer=False),
    "retry": Verb("t", "Retry run", "retry asked for", in_footer=False),
}


HANDS = frozenset({"start", "finish", "measure", "check"})
"""Decisions after which a person has had a hand in the work."""


class DecidingScreen(SiteScreen):
    """A screen with a chosen activity, about which keys decide."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(verb.key, f"decide('{name}')", verb.label, id=f"decide.{name}", show=verb.in_footer)
        for name, verb in VERBS.items()
    ]

    @property
    def chosen(self) -> str | None:
        """The activity that the keys decide about; None where none is chosen."""
        raise NotImplementedError

    def action_decide(self, name: str) -> None:
        """Take the decision, after its question where it has one, or where the person gives something up by it."""
        activity = self.chosen
        if activity is None:
            return
        if VERBS[name].asks or name in HANDS:
            self._ask(name, activity)
        else:
            self._record(name, activity)

    @work(thread=True, group="decide")
    def _ask(self, name: str, activity: str) -> None:
        """Ask what goes with the decision. What is refused in any case is refused before anything is typed."""
        owner = self.owner
        try:
            with open_snapshot(owner.site.folder) as snapshot:
                answers = may_now(snapshot, owner.site.acting(), activity)
                for refusal in (answer.refusal for answer in answers if answer.verb == name):
                    if refusal is not None:
                        raise refusal
                dialog = _dialog(snapshot, name, activity, owner.site.acting())
        except ClusterwrightError as error:
            owner.call_from_thread(owner.say, error)
            return

        if dialog is None:
            owner.call_from_thread(self._record, name, activity)
            return

        def answered(typed: str | TypedItem | None) -> None:
            if typed is not None:
                self._record(name, activity, *([typed] if VERBS[name].asks else []))

        owner.call_from_thread(owner.push_screen, dialog, answered)

    @work(thread=True, group="decide")
    def _record(self, name: str, activity: str, *typed: object) -> None:
        owner = self.owner
        try:
            returned = owner.site.decide(name, activity, *typed)
        except ClusterwrightError as error:
            owner.call_from_thread(owner.say, error)
            return
        said = VERBS[name].done.format(returned)
        owner.call_from_thread(owner.notify, f"{activity}: {said}", markup=False)
        owner.look()


def _dialog(snapshot: Snapshot, name: str, activity: str, person: str) -> Ask | CheckItem | Confirm | None:
    """Return the question, with what the person gives up by the decision. None where there is nothing to ask.

    For an item, those that failed or were not checked are offered, the failed ones first.
    """
    row = require_activity(snapshot, activity)
    given_up = shut_out(snapshot, row, person) if name in HANDS else None
    if not VERBS[name].asks:
        return Confirm(str(given_up)) if given_up else None
    question = VERBS[name].asks.format(activity)
    if given_up:
        question = f"{given_up}\n\n{question}"
    if name != "check":
        return Ask(question)
    failed = [check.item for check in checked_items(snapshot, row) if check.failing]
    metrics = (criterion.metric for criterion in row.plan.criteria if criterion.each)
    return CheckItem(question, failed + unchecked_items(snapshot, row), next(metrics, ""))
