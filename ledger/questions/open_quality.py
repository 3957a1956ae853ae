"""What is open beside the work itself, and what was: non-conformances, change orders, waivers and action items in one list."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Literal, NamedTuple

from ledger.questions.action_items import action_items
from ledger.questions.ncrs import is_open_waiver, ncrs
from ledger.questions.orders import changes
from ledger.questions.records import waivers
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import words
from ledger.rules.permission import roles_for
from steps.stamps import local_day

Kind = Literal["ncr", "change", "waiver", "action"]

_ACTIVITIES = """
SELECT id, role, attempt, json_extract(plan, '$.title'), json_extract(plan, '$.policy.roles') FROM activity
WHERE id IN (SELECT activity FROM ncr UNION SELECT activity FROM waiver)"""
_READINGS = "SELECT ncr, group_concat(DISTINCT metric) FROM measurement WHERE ncr IS NOT NULL GROUP BY ncr"
_LAST = "9999"


class QualityRow(NamedTuple):
    """A non-conformance, a change order, a waiver or an action item.

    `subject` is its activity, or the order or delivery of a change. It is empty of an action item that is about none. `state` is open, decided, approved, refused, waived or closed.
    `deciders` are the roles that may decide about it. `inspections` counts how often the work was inspected again.
    """

    id: str
    kind: Kind
    subject: str
    title: str
    state: str
    is_open: bool
    said: str
    decided: str
    owner: str
    opened: datetime
    closed: datetime | None = None
    ncr_class: str = ""
    deciders: tuple[str, ...] = ()
    due: date | None = None
    is_overdue: bool = False
    inspections: int | None = None


def quality(snapshot: Snapshot) -> list[QualityRow]:
    """Return all of it: what is open first, then by class and due day."""
    today = local_day(snapshot.now, site_of(snapshot).time_zone)
    found = [*_ncrs(snapshot, today), *_changes(snapshot), *_waivers(snapshot, today)]
    return sorted([*found, *_actions(snapshot, today)], key=_place)


def _place(row: QualityRow) -> tuple[bool, str, str, str]:
    return not row.is_open, row.ncr_class or "C", str(row.due or _LAST), row.id


class _Of(NamedTuple):
    """What is known of the activity that a non-conformance or a waiver is about."""

    role: str = ""
    attempt: int = 0
    title: str = ""
    policy: tuple[str, ...] = ()


def _activities(snapshot: Snapshot) -> dict[str, _Of]:
    found = snapshot.ask(_ACTIVITIES)
    known = {}
    for name, role, attempt, title, roles in found:
        known[name] = _Of(role, attempt, title, words(roles or "[]"))
    return known


def _ncrs(snapshot: Snapshot, today: date) -> Iterator[QualityRow]:
    known, readings = _activities(snapshot), dict(snapshot.ask(_READINGS))
    for one in ncrs(snapshot):
        of = known.get(one.activity, _Of())
        is_open = one.closed_at is None
        yield QualityRow(
            id=one.id,
            kind="ncr",
            subject=one.activity,
            title=of.title,
            state="closed" if not is_open else "decided" if one.decided else "open",
            is_open=is_open,
            ncr_class=one.ncr_class,
            said=one.reason
            or (f"not met: {readings[one.id]}" if one.id in readings else f"not met in a run: {of.title}"),
            decided=one.decided or one.disposition,
            owner=one.owner,
            deciders=roles_for("disposition_ncr", policy=of.policy, crew=of.role),
            due=one.due,
            is_overdue=is_open and one.due is not None and one.due < today,
            opened=one.opened_at,
            closed=one.closed_at,
            inspections=one.inspections,
        )


def _changes(snapshot: Snapshot) -> Iterator[QualityRow]:
    for one in changes(snapshot):
        asked = [f"quantity {one.quantity}"] if one.quantity is not None else []
        asked += [f"value {one.value:,} {one.currency}".rstrip()] if one.value is not None else []
        yield QualityRow(
            id=one.id,
            kind="change",
            subject=one.subject,
            title="change of an order",
            state=one.state,
            is_open=one.state == "open",
            said=f"{', '.join(asked)}: {one.reason}",
            decided=one.comment,
            owner=one.decided_by or one.asked_by,
            deciders=roles_for("decide_change"),
            opened=one.asked_at,
            closed=one.decided_at,
        )


def _waivers(snapshot: Snapshot, today: date) -> Iterator[QualityRow]:
    """Yield the waivers. One counts in the attempt for which it was decided, until its criterion is met."""
    known = _activities(snapshot)
    for one in waivers(snapshot):
        of = known.get(one.activity, _Of())
        is_open = is_open_waiver(snapshot, one, of.attempt)
        yield QualityRow(
            id=one.id,
            kind="waiver",
            subject=one.activity,
            title=of.title,
            state="waived" if is_open else "closed",
            is_open=is_open,
            said=f"{one.metric}: {one.reason}",
            decided=f"waived by {one.by}",
            owner=one.by,
            deciders=roles_for("move_waiver", policy=of.policy, crew=of.role),
            due=one.due,
            is_overdue=is_open and one.due < today,
            opened=one.at,
        )


def _actions(snapshot: Snapshot, today: date) -> Iterator[QualityRow]:
    for one in action_items(snapshot, open_only=False):
        is_open = one.closed_at is None
        yield QualityRow(
            id=one.id,
            kind="action",
            subject=one.activity,
            title="action item",
            state="open" if is_open else "closed",
            is_open=is_open,
            said=one.text,
            decided=one.note,
            owner=one.owner,
            due=one.due,
            is_overdue=is_open and one.due < today,
            opened=one.agreed_at,
            closed=one.closed_at,
        )
