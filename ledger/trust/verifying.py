"""The rules of version 1, by which ledgers of the first releases are judged: sign-offs, change orders, and missing signatures.

An event that breaks one of these rules is a finding, and it still counts, as it did then. Later versions judge every kind of
event (`ledger.trust.judging`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.log.chain import Event
from ledger.log.payload import Decided
from ledger.questions.case import LookedUp, activity, actor, approvers
from ledger.questions.moment import Moment
from ledger.questions.orders import change
from ledger.questions.snapshot import Snapshot
from ledger.rules.permission import roles_for
from ledger.subjects.orders.payloads import ChangeDecided
from ledger.subjects.plan.payloads import ProgressAdopted
from ledger.subjects.sign_off.kinds.signed import Signed
from ledger.subjects.work.payloads import NotApplicable
from ledger.trust.proving import asks

WITHOUT_STATEMENT = NotApplicable | ProgressAdopted
"""Decisions that nobody signed under version 1."""


def faults_by_first_rules(moment: Moment, event: Event) -> Iterator[str]:
    """Yield what version 1 of the rules finds wrong with an event, seen from the record before it."""
    payload, then = event.payload, moment.snapshot
    if (
        isinstance(payload, Decided)
        and not isinstance(payload, WITHOUT_STATEMENT)
        and payload.statement is None
        and asks(then, event.subject, payload)
    ):
        yield "is not signed, and its policy asks for a signature"
    if isinstance(payload, Signed):
        yield from _of_policy(then, event, payload)
    if isinstance(payload, ChangeDecided):
        yield from _of_change(then, event, payload)


def _of_policy(then: Snapshot, event: Event, payload: Signed) -> Iterator[str]:
    """Yield what the sign-off policy would have refused: the role, their own work, the witnesses, a second approval, the quorum."""
    row = activity(then, event.subject)
    if row is None:
        return
    who, policy = actor(then, event.actor), row.plan.policy
    if payload.role not in who.roles or payload.role not in policy.roles:
        yield f"{event.actor} signed as {payload.role}, but the policy or the person does not have this role"
    if event.actor in row.performers and row.separates_duties:
        yield f"{event.actor} approved their own work"
    recorded = LookedUp(then, row, who).witnessed
    named = [(witness.role, witness.person) for witness in payload.witnesses]
    if named != list(recorded.items()):
        yield "names other witnesses than were recorded"
    earlier = approvers(then, row)
    if event.actor in earlier:
        yield f"{event.actor} signed twice"
    if payload.result == "done" and len(earlier) + 1 < policy.quorum:
        yield f"is done after {len(earlier) + 1} of {policy.quorum} signatures"


def _of_change(then: Snapshot, event: Event, payload: ChangeDecided) -> Iterator[str]:
    """Yield how a decision about a change order differs from what was asked for, and why its actor could not take it."""
    asked = change(then, payload.change)
    if asked is None or asked.state != "open" or asked.subject != event.subject:
        yield f"decides {payload.change}, which was not waiting for a decision about {event.subject}"
        return
    if (payload.quantity, payload.value) != (asked.quantity, asked.value):
        yield f"decides {payload.change} for other figures than were asked for"
    if event.actor == asked.asked_by:
        yield f"{event.actor} decided their own {payload.change}"
    may_decide = {*actor(then, event.actor).roles} & {*roles_for("decide_change")}
    if payload.role not in may_decide:
        yield f"{event.actor} decided {payload.change} as {payload.role}; they lack this role, or it may not decide"
