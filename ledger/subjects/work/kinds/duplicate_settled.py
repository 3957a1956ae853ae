"""An activity that other activities complete is done when they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.log.payload import OfEngine
from ledger.rules.access import Rows, Rule, Who
from ledger.rules.activity import Action, State
from ledger.rules.approval import allowed, permitted, refuse_open_a
from ledger.rules.sequence import refuse_blocked
from ledger.subjects import again, recording
from ledger.subjects.again import Tables
from schedule.errors import NotSatisfiedError

if TYPE_CHECKING:
    from ledger.log.chain import Event
    from ledger.questions.case import LookedUp
    from ledger.rules.case import Case
    from ledger.state.projection import Handlers, Projection


class DuplicateSettled(OfEngine):
    """An activity was completed, because the activities that complete it are done. `by` has their ids."""

    kind = "duplicate.settled"
    by: tuple[str, ...]


ACCESS: Rows = {"settle_duplicate": Rule("settle {}", "an activity that others complete", (Who.ENGINE,))}


def _refuse_incomplete(case: Case) -> None:
    """Raise unless the activities that complete this one are done."""
    row, by = case.row, case.row.plan.completed_by
    allowed(case, "settle_duplicate")
    if not by:
        raise NotSatisfiedError(f"{row.id} is not completed by other steps")
    refuse_blocked(case)
    permitted(case, Action.SETTLE_DUPLICATE, State.DONE)
    others = case.completed_by.values()
    waiting = [other.id for other in others if other.state is not State.DONE or other.stale]
    if waiting:
        raise NotSatisfiedError(
            f"{row.id} is completed by {', '.join(by)}; not done: {', '.join(waiting)}",
            hint=f"clusterwright why {waiting[0]}",
        )
    refuse_open_a(case)


def duplicate_settled(case: LookedUp) -> DuplicateSettled:
    """Return the completion of an activity by the activities that complete it."""
    _refuse_incomplete(case)
    return DuplicateSettled(by=case.row.plan.completed_by)


AGAIN: Tables = {DuplicateSettled: again.about_activity(duplicate_settled)}

settle_duplicate = recording.about_activity(duplicate_settled)


def complete(p: Projection, event: Event, payload: DuplicateSettled) -> None:
    """Complete an activity, because the activities that complete it are done."""
    row = p.activity(event.subject)
    p.reach(row, State.DONE, event, last_note="completed by " + ", ".join(payload.by))


HANDLERS: Handlers = {DuplicateSettled: complete}
