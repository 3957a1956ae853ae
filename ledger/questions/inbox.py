"""What waits for a person, and what a person may do now. The rules of the decisions answer both; none is repeated here."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from datetime import datetime
from itertools import chain
from typing import NamedTuple, ParamSpec

from ledger.questions.activities import activities, ready, ready_since
from ledger.questions.case import LookedUp, actor, case_of
from ledger.questions.decisions_needed import Needed, decisions_needed, next_action
from ledger.questions.orders import refuse_unready_order, require_order
from ledger.questions.snapshot import Snapshot
from ledger.rules import approval
from ledger.rules.activity import Activity, State
from ledger.rules.permission import Actor, is_same
from ledger.subjects.runs import rules as runs
from ledger.subjects.work import rules as work
from schedule.errors import ClusterwrightError
from steps.stamps import moment

Given = ParamSpec("Given")

_TO_ORDER = """
SELECT o.id, o.title, o.ready_from, a.role FROM order_line o JOIN activity a ON a.id = o.step || '@' || o.unit
WHERE o.placed_at IS NULL AND o.in_plan AND a.state <> 'not_applicable' AND o.ready_from <= :now ORDER BY o.ordinal"""

VERBS: dict[str, Callable[[LookedUp], object]] = {
    "start": lambda case: work.start(case, ""),
    "finish": lambda case: work.finish(case, ""),
    "sign": approval.sign,
    "reject": approval.reject,
    "break-glass": approval.break_glass,
    "attest": work.attest,
    "release": runs.release,
    "waive": approval.waivable,
    "progress": lambda case: work.progress(case, None, None, has_note=True),
    "measure": work.may_measure,
    "check": work.check,
    "attach": work.attach,
    "hold": work.hold,
    "resume": work.resume,
    "na": work.na,
    "reopen": work.reopen,
    "fact": work.record_facts,
    "comment": work.comment,
    "run": runs.request_run,
    "retry": runs.request_retry,
    "cancel": runs.request_cancel,
}
"""By verb, the rule of each decision that needs only an activity and a person."""


class InboxRow(NamedTuple):
    """Something that waits for a person. `action` is the verb of the command line.

    `blocked_by` says why the decision would be refused now. It is empty if the person may take it.
    """

    activity: str
    title: str
    action: str
    role: str
    since: datetime | None
    missing_evidence: tuple[str, ...]
    blocked_by: str = ""


def may_now(snapshot: Snapshot, person: str, name: str) -> dict[str, ClusterwrightError | None]:
    """Return by verb why a person may not take that decision about an activity now. None if they may.

    The decision asks the same rule. So it accepts what is allowed here, and refuses everything else with the same reason.
    """
    case = case_of(snapshot, name, person)
    return {verb: refusal_of(rule, case) for verb, rule in VERBS.items()}


def refusal_of(
    rule: Callable[Given, object],
    *args: Given.args,
    **named: Given.kwargs,
) -> ClusterwrightError | None:
    """Return why a rule refuses what it is asked, for example a case. None if it does not."""
    try:
        rule(*args, **named)
    except ClusterwrightError as refused:
        return refused
    return None


def inbox(
    snapshot: Snapshot,
    person: str,
    lapsed: Container[str] = (),
) -> list[InboxRow]:
    """Return what waits for a person. What has waited longest comes first.

    `lapsed` has the activities whose release does not cover what would run. The ledger does not know the files of a run.
    """
    me = actor(snapshot, person)
    needed = decisions_needed(snapshot, lapsed)
    about_work = (one for one in needed if one.kind != "ncr")
    asked = (_decision(snapshot, me, one) for one in about_work)
    decisions = (row for row in asked if row is not None)
    rows = chain(decisions, _to_do(snapshot, me, lapsed), _to_order(snapshot, me))
    return sorted(rows, key=_place_in_inbox)


def _place_in_inbox(row: InboxRow) -> tuple[bool, datetime | None, str]:
    return row.since is None, row.since, row.activity


def _decision(snapshot: Snapshot, me: Actor, needed: Needed) -> InboxRow | None:
    """Return a decision that this person may take. None if they may not."""
    role = needed.role_of(me)
    if role is None:
        return None
    if needed.row is None:
        return InboxRow(needed.activity, needed.title, needed.kind, role, needed.since, ())
    return _row(snapshot, me, needed.row, needed.kind, role, needed.since)


def _row(
    snapshot: Snapshot,
    me: Actor,
    row: Activity,
    action: str,
    role: str,
    since: datetime | None,
) -> InboxRow:
    """Return a row, with the reason for which the rule of its decision refuses it now, if it does."""
    case = LookedUp(snapshot, row, me)
    missing = tuple(approval.missing_evidence(case)) if action == "sign" else ()
    rule = VERBS.get(action)
    refused = refusal_of(rule, case) if rule else None
    return InboxRow(
        row.id,
        row.plan.title,
        action,
        role,
        since,
        missing,
        refused.what if refused else "",
    )


def _to_do(snapshot: Snapshot, me: Actor, lapsed: Container[str]) -> Iterator[InboxRow]:
    for row in ready(snapshot):
        action = None if row.id in lapsed else next_action(snapshot, row)
        if action not in {None, "release"} and _is_for(row, me):
            yield _row(snapshot, me, row, action, row.plan.role, ready_since(snapshot, row))
    for row in activities(snapshot, state=State.IN_PROGRESS):
        if _is_for(row, me):
            yield _row(snapshot, me, row, "finish", row.plan.role, row.started_at)


def _is_for(row: Activity, me: Actor) -> bool:
    """Return whether work is for a person: its assignee, or anybody with the role in the organisation that has the work."""
    if row.assignee is not None:
        return row.assignee == me.id
    if row.whose and not is_same(me.organisation or "", row.whose):
        return False
    return row.plan.role in me.roles


def _to_order(snapshot: Snapshot, me: Actor) -> Iterator[InboxRow]:
    for name, title, ready_from, role in snapshot.ask(_TO_ORDER):
        if role in me.roles:
            refused = refusal_of(refuse_unready_order, snapshot, require_order(snapshot, name))
            blocked_by = refused.what if refused else ""
            yield InboxRow(name, title, "order", role, moment(ready_from), (), blocked_by)
