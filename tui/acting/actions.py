"""The one table of what can be done from the screens: bindings, footer, the menu of `?`, the palette and the docs come from it.

An action is a command of the command line. Its fields, its help and its rules are that command's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

About = Literal["activity", "order", "delivery", "ncr", "change", "action", "site"]
"""What an action is about. An action about the site needs nothing chosen."""


class Action(NamedTuple):
    """A command with its key.

    `records` is false for a question: it changes nothing, so that read-only screens may ask it. What a command with `answers`
    says is shown line by line. `verb` is its name in `ledger.questions.inbox`. One that `asks` has a form, although the command line may leave all of it out.
    """

    command: str
    key: str
    about: About
    label: str
    records: bool = True
    answers: bool = False
    verb: str = ""
    asks: bool = False

    @property
    def id(self) -> str:
        """By which a file of keys names it, as `activity.sign`."""
        return f"{self.about}.{self.command.replace(' ', '-')}"


def _asks(command: str, key: str, about: About, label: str) -> Action:
    return Action(command, key, about, label, records=False, answers=True)


def _work(command: str, key: str, label: str) -> Action:
    return Action(command, key, "activity", label, verb=command.removesuffix(" item"))


ACTIONS: tuple[Action, ...] = (
    _work("sign", "s", "Sign"),
    _work("reject", "x", "Reject"),
    _work("start", "b", "Start"),
    _work("finish", "f", "Finish"),
    _work("progress", "p", "Progress"),
    _work("measure", "m", "Measure"),
    _work("check item", "i", "Check an item"),
    _work("attach", "e", "Attach evidence"),
    _work("comment", "c", "Comment"),
    _work("hold", "h", "Hold"),
    _work("resume", "H", "Resume"),
    _work("release", "l", "Release"),
    _work("retry", "t", "Retry"),
    _work("cancel", "X", "Cancel the run"),
    _work("waive", "W", "Waive"),
    _work("attest", "T", "Attest"),
    _work("na", "N", "Not applicable"),
    _work("reopen", "O", "Open again"),
    _work("fact", "F", "Fact of the facility"),
    _work("assign", "A", "Assign"),
    _work("break-glass", "", "Break glass"),
    Action("witness", "", "activity", "Witnesses"),
    Action("move-waiver", "", "activity", "Move a waiver"),
    Action("check import", "", "activity", "Check items from a CSV"),
    _asks("why", "w", "activity", "Why it waits"),
    _asks("show", "", "activity", "Show whole"),
    _asks("impact", "I", "activity", "Impact of a delay")._replace(asks=True),
    _asks("log", "", "activity", "Its events"),
    _asks("limits", "", "activity", "Bounds of its run"),
    Action("preview", "v", "activity", "Preview the run", answers=True),
    Action("order", "o", "order", "Place"),
    Action("acknowledge", "a", "order", "Acknowledge"),
    Action("promise", "p", "order", "Promise"),
    Action("expedite", "e", "order", "Expedite"),
    Action("change request", "c", "order", "Ask for a change"),
    _asks("impact", "I", "order", "Impact of a delay"),
    _asks("why", "w", "order", "Why it waits"),
    Action("promise", "p", "delivery", "Promise"),
    Action("ship", "s", "delivery", "Ship"),
    Action("receive", "r", "delivery", "Receive"),
    Action("expedite", "e", "delivery", "Expedite"),
    _asks("why", "w", "delivery", "Why it waits"),
    _asks("impact", "I", "delivery", "Impact of a delay"),
    Action("ncr disposition", "d", "ncr", "Decide"),
    Action("ncr assign", "A", "ncr", "Assign"),
    Action("ncr close", "f", "ncr", "Close"),
    _asks("ncr show", "w", "ncr", "Show whole"),
    Action("change approve", "s", "change", "Approve"),
    Action("change refuse", "x", "change", "Refuse"),
    Action("action close", "f", "action", "Close"),
    Action("action add", "", "site", "Note an action item"),
    Action("correct", "z", "site", "Correct an entry"),
    Action("authority delegate", "D", "site", "Lend a role"),
    Action("authority withdraw", "", "site", "Take a role back"),
    Action("forecast", "", "site", "Forecast", answers=True),
    _asks("whatif", "", "site", "What if"),
    _asks("slip", "", "site", "Slip"),
    _asks("report week", "", "site", "Weekly report"),
    _asks("report month", "", "site", "Monthly report"),
    _asks("report phase", "", "site", "Report of a phase"),
    _asks("report meeting", "", "site", "List for a meeting"),
    _asks("report summary", "", "site", "Summary"),
    _asks("punch", "", "site", "Punch list"),
    _asks("reminders", "", "site", "Reminders"),
    _asks("workload", "", "site", "Workload"),
    _asks("audit", "", "site", "Audit"),
    _asks("status", "", "site", "Status"),
)


def actions_about(about: About) -> Iterator[Action]:
    """Yield the actions about one kind of thing, and those about the site."""
    return (action for action in ACTIONS if action.about in {about, "site"})
