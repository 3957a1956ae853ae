"""The seam between the flows and who acts: a real site's performer, a rehearsal's, a test's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from ledger.rules.activity import Activity

if TYPE_CHECKING:
    from flows.engine_state import Engine

RESULT_WORDS = {
    "done": "Done",
    "awaiting_sign_off": "Awaiting sign-off",
    "checked_not_met": "Checked, not met",
    "failed": "Failed",
    "open": "Interrupted",
    "on_hold": "Waits for a person",
}


class Outcome(NamedTuple):
    """How a task ended: its state's name in the dashboard, a sentence, whether it failed.

    `asked` marks a question to a person, which is not put twice in one attempt.
    """

    name: str
    message: str
    failed: bool = False
    asked: bool = False


def settled(result: str, summary: str) -> Outcome:
    """Give the outcome of a run that the ledger has settled into a state."""
    return Outcome(RESULT_WORDS.get(result, result), summary, failed=result == "failed")


class Performer(Protocol):
    """Does what a ready activity asks for, or hands it to a person, and says how that ended."""

    def wants(self, row: Activity) -> bool:
        """Say whether the engine can do anything about a ready activity now."""

    def mark(self, row: Activity) -> str:
        """Give what, when it changes, makes a ready activity worth another look: its playbook, its release."""

    def hosts(self, row: Activity) -> tuple[str, ...]:
        """Give the hosts that performing it would touch; no two runs touch one host."""

    def asks(self, row: Activity) -> str:
        """Give the role that is asked to act, empty where software does."""

    def perform(self, engine: Engine, row: Activity) -> Outcome:
        """Do it; runs in a task's thread."""

    def cancel(self, activity: str) -> bool:
        """Stop a run of this engine; say whether there was one."""
