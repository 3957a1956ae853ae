"""What waits for a person, and what a person may do now. The rules of the decisions answer both; none is repeated here."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from datetime import datetime
from functools import partial
from typing import NamedTuple

from ledger.questions.activities import activities, plays_nobody, ready
from ledger.questions.case import LookedUp, actor, case_of, select
from ledger.questions.facts import lacking_facts
from ledger.questions.ordering import refuse_unready_order
from ledger.questions.orders import changes, require_order
from ledger.questions.records import live_releases
from ledger.questions.snapshot import Snapshot
from ledger.rules import approval, runs, work
from ledger.rules.activity import Activity, State
from ledger.rules.permission import Actor, is_same, roles_for
from steps.catalog.terms import CHANGING, SOFTWARES_WORK, Kind
from steps.errors import ClusterwrightError
from steps.stamps import moment, stamp

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


class Answer(NamedTuple):
    """Whether a person may take a decision about an activity now. `refusal` says why not. It is None if they may."""

    verb: str
    refusal: ClusterwrightError | None


def may_now(snapshot: Snapshot, person: str, name: str) -> list[Answer]:
    """Return for every verb whether a person may take that decision about an activity now.

    The decision asks the same rule. So it accepts what is allowed here, and refuses everything else with the same reason.
    """
    case = case_of(snapshot, name, person)
    return [Answer(verb, refusal_of(rule, case)) for verb, rule in VERBS.items()]


def refusal_of(rule: Callable[[LookedUp], object], case: LookedUp) -> ClusterwrightError | None:
    """Return why a rule refuses a case. None if it does not."""
    try:
        rule(case)
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
    to_do = partial(_to_do, lapsed=lapsed)
    waiting = (_to_sign, _to_decide, to_do, _to_order, _to_change)
    rows = (row for of_kind in waiting for row in of_kind(snapshot, me))
    return sorted(rows, key=_place_in_inbox)


def _place_in_inbox(row: InboxRow) -> tuple[bool, datetime | None, str]:
    return row.since is None, row.since, row.activity


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


def _first_role(roles: tuple[str, ...], me: Actor) -> str | None:
    return next((role for role in roles if role in me.roles), None)


def _to_sign(snapshot: Snapshot, me: Actor) -> Iterator[InboxRow]:
    waiting = activities(snapshot, state=State.AWAITING_SIGN_OFF) + _to_sign_again(snapshot)
    gates = [row for row in ready(snapshot) if row.plan.kind is Kind.GATE]
    waiting += [gate for gate in gates if not gate.plan.completed_by]
    for row in waiting:
        role = _first_role(row.plan.policy.roles, me)
        if role is None or (row.separates_duties and me.id in row.hands):
            continue
        if me.id not in LookedUp(snapshot, row, me).approvals:
            since = row.ready_from if row.state is State.READY else row.ended_at
            yield _row(snapshot, me, row, "sign", role, since)


def _to_sign_again(snapshot: Snapshot) -> list[Activity]:
    """Return the activities that need new approvals: those that are stale, and those whose approval has expired."""
    stale = select(snapshot, "stale_since IS NOT NULL AND state = 'done'")
    expired = approved_until(snapshot, snapshot.now)
    return [*stale, *(row for row in expired if not row.stale)]


def approved_until(snapshot: Snapshot, until: datetime) -> list[Activity]:
    """Return the activities that are done and whose approval expires by `until`."""
    return select(snapshot, "state = 'done' AND valid_until <= :until", until=stamp(until))


def _to_decide(snapshot: Snapshot, me: Actor) -> Iterator[InboxRow]:
    for state in (State.FAILED, State.CHECKED_NOT_MET):
        for row in activities(snapshot, state=state):
            role = _first_role((*row.plan.policy.roles, row.plan.role, "owner-pm"), me)
            if role is not None:
                yield _row(snapshot, me, row, "decide", role, row.ended_at)


def _to_do(
    snapshot: Snapshot,
    me: Actor,
    *,
    lapsed: Container[str],
) -> Iterator[InboxRow]:
    for row in ready(snapshot):
        action = "release" if row.id in lapsed else _next_action(snapshot, row)
        wanted: tuple[str, ...] = (row.plan.role,)
        if action == "release":
            wanted = roles_for("release", policy=row.plan.policy.roles)
        if action is not None and _is_for(row, me, wanted):
            role = _first_role(wanted, me) or row.plan.role
            yield _row(snapshot, me, row, action, role, row.ready_from)
    for row in activities(snapshot, state=State.IN_PROGRESS):
        if _is_for(row, me, (row.plan.role,)):
            yield _row(snapshot, me, row, "finish", row.plan.role, row.started_at)


def _next_action(snapshot: Snapshot, row: Activity) -> str | None:
    """Return what a person does next about a ready activity. None if software does it, or if it only needs a sign-off."""
    plan = row.plan
    if plan.completed_by or plan.kind is Kind.GATE:
        return None
    if plan.kind in {Kind.PROCURE, Kind.FIELD}:
        return "start"
    if plan.kind in SOFTWARES_WORK and (plan.playbook is None or plays_nobody(snapshot, row)):
        return "attest"
    if plan.effect in CHANGING and not live_releases(snapshot, row.id, row.attempt):
        return "release"
    if plan.kind is Kind.COMPUTE and lacking_facts(snapshot, row):
        return "fact"
    return None


def _is_for(row: Activity, me: Actor, wanted: tuple[str, ...]) -> bool:
    """Return whether an activity is for a person: its assignee, or anybody with the role in the organisation that has the work."""
    if row.assignee is not None:
        return row.assignee == me.id
    if row.whose and not is_same(me.organisation or "", row.whose):
        return False
    return _first_role(wanted, me) is not None


def _to_order(snapshot: Snapshot, me: Actor) -> Iterator[InboxRow]:
    for name, title, ready_from, role in snapshot.ask(_TO_ORDER, now=stamp(snapshot.now)):
        if role in me.roles:
            blocked_by = _why_not_ordered(snapshot, name)
            yield InboxRow(name, title, "order", role, moment(ready_from), (), blocked_by)


def _why_not_ordered(snapshot: Snapshot, name: str) -> str:
    """Return why an order cannot be placed now. Empty if it can."""
    try:
        refuse_unready_order(snapshot, require_order(snapshot, name))
    except ClusterwrightError as refused:
        return refused.what
    return ""


def _to_change(snapshot: Snapshot, me: Actor) -> Iterator[InboxRow]:
    """Yield the change orders that wait for a decision of this person. The person who asked for one may not decide it."""
    role = _first_role(roles_for("decide_change"), me)
    for change in changes(snapshot) if role is not None else ():
        if role is not None and change.state == "open" and change.asked_by != me.id:
            title = f"{change.id}: {change.reason}"
            yield InboxRow(change.subject, title, "change", role, change.asked_at, ())
