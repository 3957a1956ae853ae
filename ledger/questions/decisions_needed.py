"""Which decisions the site needs now, and who may take them. Inbox, reminders, reports and screens ask here, and count the same.

A decision is a sign-off, what becomes of work that failed, that is on hold, or that did not conform, a release, or a change order.
Work to start or to finish, orders to place and facts to record are work to do, and no decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from ledger.questions.activities import activities, plays_nobody, ready, ready_since
from ledger.questions.case import actor, approvers, require_activity, select
from ledger.questions.facts import lacking_facts
from ledger.questions.ncrs import ncrs
from ledger.questions.orders import changes
from ledger.questions.people import people
from ledger.questions.records import live_releases
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import NOT_MET, Activity, State
from ledger.rules.permission import Actor, is_same, roles_for
from steps.catalog.terms import CHANGING, SOFTWARES_WORK, Kind
from steps.stamps import stamp

KINDS = {
    "sign": ("sign-off", "sign-offs"),
    "decide": ("failure", "failures"),
    "resume": ("hold", "holds"),
    "release": ("release", "releases"),
    "ncr": ("non-conformance", "non-conformances"),
    "change": ("change order", "change orders"),
}
"""Every kind of decision, with its words for one and for more."""


class Needed(NamedTuple):
    """A decision that is needed. `subject` is an activity, a non-conformance or a change order.

    The people with one of `roles` may take it, except `never`. If `only` is not None, it is this person's alone. If
    `organisation` is not empty, it is for that organisation's people.
    """

    kind: str
    subject: str
    activity: str
    title: str
    roles: tuple[str, ...]
    since: datetime | None
    never: frozenset[str] = frozenset()
    only: str | None = None
    organisation: str = ""
    row: Activity | None = None

    def role_of(self, me: Actor) -> str | None:
        """Return the role in which a person may take it. None if they may not."""
        if me.id in self.never:
            return None
        mine = next((role for role in self.roles if role in me.roles), None)
        if self.only is not None:
            return (mine or self.roles[0]) if self.only == me.id else None
        if self.organisation and not is_same(me.organisation or "", self.organisation):
            return None
        return mine


def decisions_needed(snapshot: Snapshot, lapsed: Container[str] = ()) -> list[Needed]:
    """Return the decisions that are needed now.

    `lapsed` has the activities whose release does not cover what would run. The ledger does not know the files of a run.
    """
    return [
        *_sign_offs(snapshot),
        *_of_state(snapshot, "decide", sorted(NOT_MET, reverse=True)),  # what failed comes first
        *_of_state(snapshot, "resume", (State.ON_HOLD,)),
        *_releases(snapshot, lapsed),
        *ncrs_to_decide(snapshot),
        *_changes(snapshot),
    ]


def everybody(snapshot: Snapshot) -> list[Actor]:
    """Return the people in force, with the roles that they have now."""
    return [actor(snapshot, one.id) for one in people(snapshot)]


def decisions_words(needed: Iterable[Needed]) -> str:
    """Return how many decisions are needed, of which kinds, in words."""
    counts = Counter(one.kind for one in needed)
    total = counts.total()
    if not total:
        return "decisions needed: 0"
    parts = [
        f"{counts[kind]} {one if counts[kind] == 1 else more}" for kind, (one, more) in KINDS.items() if counts[kind]
    ]
    return f"decisions needed: {total} ({', '.join(parts)}); `clusterwright reminders` says whose"


def _sign_offs(snapshot: Snapshot) -> Iterator[Needed]:
    waiting = activities(snapshot, state=State.AWAITING_SIGN_OFF) + _to_sign_again(snapshot)
    gates = [row for row in ready(snapshot) if row.plan.kind is Kind.GATE]
    waiting += [gate for gate in gates if not gate.plan.completed_by]
    for row in waiting:
        since = ready_since(snapshot, row) if row.state is State.READY else row.ended_at
        never = {*approvers(snapshot, row), *(row.hands if row.separates_duties else ())}
        needed = _of(row, "sign", row.plan.policy.roles, since)
        yield needed._replace(never=frozenset(never))


def _to_sign_again(snapshot: Snapshot) -> list[Activity]:
    """Return the activities that need new approvals: those that are stale, and those whose approval has expired."""
    stale = select(snapshot, "stale_since IS NOT NULL AND state = 'done' AND in_plan")
    expired = approved_until(snapshot, snapshot.now)
    return [*stale, *(row for row in expired if not row.stale)]


def approved_until(snapshot: Snapshot, until: datetime) -> list[Activity]:
    """Return the activities that are done and whose approval expires by `until`."""
    return select(snapshot, "state = 'done' AND in_plan AND valid_until <= :until", until=stamp(until))


def _of_state(snapshot: Snapshot, kind: str, states: Iterable[State]) -> Iterator[Needed]:
    for state in states:
        for row in activities(snapshot, state=state):
            roles = (*row.plan.policy.roles, row.plan.role, "owner-pm")
            yield _of(row, kind, roles, row.ended_at)


def _releases(snapshot: Snapshot, lapsed: Container[str]) -> Iterator[Needed]:
    for row in ready(snapshot):
        if row.id in lapsed or next_action(snapshot, row) == "release":
            roles = roles_for("release", policy=row.plan.policy.roles)
            needed = _of(row, "release", roles, ready_since(snapshot, row))
            yield needed._replace(only=row.assignee, organisation=row.whose)


def next_action(snapshot: Snapshot, row: Activity) -> str | None:
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


def ncrs_to_decide(snapshot: Snapshot) -> Iterator[Needed]:
    """Yield the open non-conformances that have no disposition."""
    for found in ncrs(snapshot, open_only=True):
        if not found.decided:
            row = require_activity(snapshot, found.activity)
            title = f"class {found.ncr_class}, {row.id}: {found.reason}"
            roles = (*row.plan.policy.roles, row.plan.role)
            needed = _of(row, "ncr", roles, found.opened_at)
            yield needed._replace(subject=found.id, title=title)


def _changes(snapshot: Snapshot) -> Iterator[Needed]:
    """Yield the change orders that nobody decided. The person who asked for one may not decide it."""
    for change in changes(snapshot):
        if change.state == "open":
            title, roles = f"{change.id}: {change.reason}", roles_for("decide_change")
            never = frozenset({change.asked_by})
            yield Needed("change", change.id, change.subject, title, roles, change.asked_at, never)


def _of(
    row: Activity,
    kind: str,
    roles: tuple[str, ...],
    since: datetime | None,
) -> Needed:
    """Return a decision about an activity."""
    title = row.plan.title
    return Needed(kind, row.id, row.id, title, roles, since, row=row)
