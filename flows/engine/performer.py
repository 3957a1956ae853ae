"""The interface between the flows and what acts on an activity: a real site's performer, a rehearsal's, or a test's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity, State

if TYPE_CHECKING:
    from flows.engine.state import Engine

OTHER_WORDS = {State.OPEN: "Interrupted", State.ON_HOLD: "Waits for a person"}
"""How the end of a run is named where the words of the state after it say something else."""


class Outcome(NamedTuple):
    """How a task ended: the name of its state in the dashboard, a sentence, and whether it failed.

    `asked` is true for a question to a person. It is not asked again in the same attempt. `again` is true where nothing was
    done, and the engine tries again.
    """

    name: str
    message: str
    failed: bool = False
    asked: bool = False
    again: bool = False


Job = Callable[[], Outcome]
"""Deals with one activity. It may take hours, so it keeps no snapshot open."""


def settled(result: str, summary: str) -> Outcome:
    """Return the outcome of a run that the ledger has settled into a state."""
    state = State(result)
    return Outcome(OTHER_WORDS.get(state, state.words.capitalize()), summary, failed=state is State.FAILED)


def known_already(outcome: Outcome) -> Job:
    """Return a job that has nothing to do: its outcome is known."""
    return lambda: outcome


class Performer(Protocol):
    """Does what a ready activity asks for, or asks a person to do it. Of itself it touches no host, and asks nobody."""

    def wants(self, snapshot: Snapshot, row: Activity) -> bool:
        """Return whether the engine can do anything about a ready activity now."""

    def mark(self, snapshot: Snapshot, row: Activity) -> str:  # noqa: ARG002  what waits for nothing looks at neither
        """Return a text that changes when a ready activity is worth another look, for instance with its release."""
        return ""

    def hosts(self, snapshot: Snapshot, row: Activity) -> tuple[str, ...]:  # noqa: ARG002  who touches no host asks neither
        """Return the hosts that a run of it would touch now. No two runs touch one host."""
        return ()

    def question(self, row: Activity) -> Outcome | None:  # noqa: ARG002  who asks nobody needs no row
        """Return what a task shows of work whose answer comes from people, through the ledger. Return None where software acts."""
        return None

    def prepare(self, engine: Engine, snapshot: Snapshot, row: Activity) -> Job:
        """Return the job that deals with it. It rests on what this snapshot says, and runs after it was closed."""

    def cancel(self, activity: str) -> bool:  # noqa: ARG002  who runs nothing has nothing to stop
        """Stop a run of this engine. Return whether there was one."""
        return False
