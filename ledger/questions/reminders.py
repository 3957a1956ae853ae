"""Reminders for each person: what waits for them and since when, and what expires or is due soon.

Reminders are not stored. They are worked out from the record whenever somebody asks.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ledger.questions.action_items import action_items
from ledger.questions.calendar import UNPLANNED, WorkingWeek, working_weeks
from ledger.questions.case import require_activity, select
from ledger.questions.decisions_needed import Needed, approved_until, decisions_needed, everybody, ncrs_to_decide
from ledger.questions.inbox import inbox
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.lateness import start_of
from ledger.questions.ncrs import PunchRow, punch
from ledger.questions.orders import orders
from ledger.questions.people import delegations
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.witnesses import attendances, invitation
from ledger.rules.activity import Activity, State
from ledger.rules.permission import Actor, roles_for
from ledger.subjects.orders.rules import days_overdue
from steps.amount import counted
from steps.planning.activity import WORKING


class Urgency(StrEnum):
    """How urgent a reminder is, the most urgent first."""

    OVERDUE = "overdue"
    DUE = "due"
    WAITING = "waiting"


_BUYING = "state <> 'not_applicable' AND id IN (SELECT step || '@' || unit FROM order_line)"
_ORDER = tuple(Urgency)
_VERBS = {"decide": "why", "change": "change approve", "fact": "show"}
"""By action of the inbox: the command for it, if the command has another name."""


class ReminderRow(NamedTuple):
    """A reminder for a person, empty where nobody may do it. `due` is the day on which it is due, `since` is when it began to wait. `command` deals with it."""

    person: str
    urgency: Urgency
    kind: str
    subject: str
    what: str
    since: datetime | None
    due: date | None
    command: str


class _Asked(NamedTuple):
    """Who is to be reminded, and until which day. `present` are the people in force. `lapsed` is as for the inbox."""

    snapshot: Snapshot
    zone: ZoneInfo
    until: date
    people: list[Actor]
    present: frozenset[str]
    lapsed: Container[str]

    def day(self, moment: datetime) -> date:
        """Return the day of a moment in the site's time zone."""
        return moment.astimezone(self.zone).date()

    @property
    def today(self) -> date:
        """The day on which reminders are asked for, in the site's time zone."""
        return self.day(self.snapshot.now)

    def is_near(self, moment: datetime | None) -> bool:
        """Return whether something is on a day that reminders look ahead to, or before."""
        return moment is not None and self.day(moment) <= self.until

    def having(self, *roles: str) -> Iterator[str]:
        """Yield the people who have one of some roles."""
        for me in self.people:
            if not me.roles.keys().isdisjoint(roles):
                yield me.id

    def dated(
        self,
        person: str,
        kind: str,
        subject: str,
        what: str,
        due: date,
        command: str,
    ) -> ReminderRow:
        """Return a reminder of something that is due on a day."""
        urgency = Urgency.OVERDUE if due < self.today else Urgency.DUE
        return ReminderRow(person, urgency, kind, subject, what, None, due, command)

    def may_close(self, item: PunchRow) -> bool:
        """Return whether the owner of a non-conformance may close it too. Otherwise a lead does, once it is made good."""
        row = require_activity(self.snapshot, item.activity)
        roles = roles_for("close_ncr", policy=row.plan.policy.roles)
        may = set(self.having(*roles)).difference(row.hands)
        return item.owner in may or item.owner not in self.present

    def owned(
        self,
        owner: str,
        kind: str,
        subject: str,
        what: str,
        due: date,
        command: str,
    ) -> Iterator[ReminderRow]:
        """Yield the reminder of something that somebody owns. The project's owners have it if nobody does, or who has left the site."""
        people = [me.id for me in self.people if me.id == owner]
        if owner not in self.present:
            people = [*self.having("owner-pm")]
            what = f"{what} ({owner} has left)" if owner else f"{what} (nobody owns it)"
        for person in people:
            yield self.dated(person, kind, subject, what, due, command)


def reminders(
    snapshot: Snapshot,
    *,
    days: int = 14,
    person: str | None = None,
    lapsed: Container[str] = (),
) -> list[ReminderRow]:
    """Return the reminders of everybody, or of one person, for the next `days` days. The most urgent come first.

    `lapsed` has the activities whose release does not cover what would run, as for the inbox.
    """
    zone = ZoneInfo(site_of(snapshot).time_zone)
    until = snapshot.now.astimezone(zone).date() + timedelta(days=days)
    people = everybody(snapshot)
    wanted = [one for one in people if person in {None, one.id}]
    asked = _Asked(snapshot, zone, until, wanted, frozenset(one.id for one in people), lapsed)
    found = [row for kind in _KINDS for row in kind(asked)]
    if person is None:
        found += _nobodys(asked)
    return sorted(found, key=_place_in_list)


def _nobodys(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield the decisions that none of all people may take. They are nobody's, so the person is empty."""
    for one in decisions_needed(asked.snapshot, asked.lapsed):
        if not any(one.role_of(me) for me in asked.people):
            yield _decision("", one, f"{one.title} (nobody may, as {' or '.join(one.roles)})")


def _decision(person: str, one: Needed, what: str) -> ReminderRow:
    """Return a decision that is waited for."""
    verb = "ncr disposition" if one.kind == "ncr" else _VERBS.get(one.kind, one.kind)
    command = f"clusterwright {verb} {one.subject}{' WHAT' if one.kind == 'ncr' else ''}"
    return ReminderRow(
        person,
        Urgency.WAITING,
        one.kind,
        one.subject,
        what,
        one.since,
        None,
        command,
    )


def _place_in_list(row: ReminderRow) -> tuple[int, date, str, str, str]:
    due = row.due or date.max
    return _ORDER.index(row.urgency), due, row.person, row.kind, row.subject


def _waiting(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield what is in somebody's inbox. Orders are left out, because `_orders` yields them with their days."""
    for me in asked.people:
        for row in inbox(asked.snapshot, me.id, asked.lapsed):
            if row.action == "order":
                continue
            subject = row.title.partition(":")[0] if row.action == "change" else row.activity
            command = f"clusterwright {_VERBS.get(row.action, row.action)} {subject}"
            what = f"{row.title} (as {row.role})"
            yield ReminderRow(
                me.id,
                Urgency.WAITING,
                row.action,
                subject,
                what,
                row.since,
                None,
                command,
            )


def _witness_points(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield for the role that does the work whom to invite, and for the invited witnesses when to come."""
    working = working_weeks(asked.snapshot).get(WORKING, UNPLANNED)
    fresh = kept_forecast(asked.snapshot)
    forecast = fresh.forecast if fresh else None
    planned = select(asked.snapshot, "state IN ('open', 'in_progress', 'on_hold') AND plan LIKE '%\"witness\":{%'")
    for row in planned:
        witness, title = row.plan.policy.witness, row.plan.title
        if witness is None:
            continue
        held = invitation(asked.snapshot, row)
        if held is None:
            by = _invite_by(asked, row, start_of(forecast, row), working, witness.notice_h)
            if row.state is not State.IN_PROGRESS and by <= asked.until:
                what = f"{title}: invite {', '.join(witness.roles)}"
                for person in asked.having(row.plan.role):
                    yield asked.dated(person, "notice", row.id, what, by, f"clusterwright witness {row.id} --for DATE")
            continue
        if held.on >= asked.snapshot.now and asked.is_near(held.on):
            day = asked.day(held.on)
            expected = {a.role for a in attendances(asked.snapshot, row) if not a.noted}
            for me in asked.people:
                come = sorted(expected & me.roles.keys())
                if come:
                    what = f"{title}: come as {', '.join(come)} until {held.on.astimezone(asked.zone):%H:%M}"
                    command = f"clusterwright witness {row.id} --attended {come[0]}"
                    yield asked.dated(me.id, "witness", row.id, what, day, command)


def _invite_by(
    asked: _Asked,
    row: Activity,
    start: datetime | None,
    working: WorkingWeek,
    notice_h: float,
) -> date:
    """Return the day by which to invite the witnesses: their notice before the start, or today if it is not blocked."""
    if row.state is not State.BLOCKED or start is None:
        return asked.today
    return working.before(max(asked.day(start), asked.today), notice_h)


def _punch_items(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield the punch items to those who own them, and the non-conformances without a disposition to those who may decide them."""
    undecided = {one.subject: one for one in ncrs_to_decide(asked.snapshot)}
    for item in punch(asked.snapshot, asked.today):
        if item.id in undecided:
            needed = undecided[item.id]
            for me in asked.people:
                if needed.role_of(me) is not None:
                    yield _decision(me.id, needed, needed.title)
        elif item.due is not None and item.due <= asked.until:
            said, command = f"{item.activity}: {item.said}", f"clusterwright show {item.activity}"
            if item.kind == "ncr":
                close, show = f"clusterwright ncr close {item.id}", f"clusterwright ncr show {item.id}"
                command = close if asked.may_close(item) else show
            yield from asked.owned(
                item.owner,
                item.kind,
                item.id,
                said,
                item.due,
                command,
            )


def _delegations(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield the delegations that end soon to both of their people."""
    for lent in delegations(asked.snapshot):
        live = not lent.is_void and lent.since <= asked.snapshot.now < lent.until
        if live and asked.is_near(lent.until):
            what = f"{lent.to} acts as {lent.role} for {lent.person} until then"
            day = asked.day(lent.until)
            for me in asked.people:
                if me.id in {lent.person, lent.to}:
                    yield asked.dated(me.id, "delegation", lent.id, what, day, "clusterwright authority")


def _approvals(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield the approvals that expire soon to those who may sign them again. Expired ones are in their inbox already."""
    now = asked.snapshot.now
    days = asked.until - asked.today
    for row in approved_until(asked.snapshot, now + days):
        ends = row.valid_until
        if ends is not None and ends > now:
            what = f"{row.plan.title}: its approval ends"
            for person in asked.having(*row.plan.policy.roles):
                yield asked.dated(person, "approval", row.id, what, asked.day(ends), f"clusterwright sign {row.id}")


def _orders(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield to the role that buys the orders that are to be placed soon, and deliveries that should be here or are promised too late."""
    every = orders(asked.snapshot)
    due = [o for o in every if o.placed_at is None and asked.is_near(o.order_by)]
    overdue = [o for o in every if o.days_overdue]
    promised = [o for o in every if o.late_delivery and o.promised_last and not o.days_overdue]
    buyers = {}
    for buyer in select(asked.snapshot, _BUYING) if due or overdue or promised else ():
        buyers[buyer.id] = buyer
    for order in due:
        row, by = buyers.get(f"{order.step}@{order.unit}"), order.order_by
        if row is not None and by is not None and _is_planned(asked, row):
            what = f"{order.title}, {counted(order.quantity, order.unit_of_measure)}"
            command = f"clusterwright order '{order.id}'"
            for person in asked.having(row.plan.role):
                yield asked.dated(person, "order", order.id, what, asked.day(by), command)
    for order in overdue:
        row = buyers.get(f"{order.step}@{order.unit}")
        for one in order.tranches:
            if row is not None and one.promised and days_overdue(one, asked.snapshot.now, order.time_zone):
                what = f"{order.title}: promised for {one.promised}, and not here"
                command = f"clusterwright promise '{one.id}' --on DATE"
                for person in asked.having(row.plan.role):
                    yield asked.dated(person, "delivery", one.id, what, one.promised, command)
    for order in promised:
        row, late = buyers.get(f"{order.step}@{order.unit}"), order.late_delivery
        if row is not None and late is not None and late.need_by is not None:
            need = asked.day(late.need_by)
            what = f"{order.title}: promised for {late.promised}, needed on {need}"
            urgency = Urgency.OVERDUE if need < asked.today else Urgency.WAITING
            command = f"clusterwright expedite '{late.id}'"
            for person in asked.having(row.plan.role):
                yield ReminderRow(person, urgency, "promise", late.id, what, None, need, command)


def _other_products(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield to the role that buys the orders that went out for another product than the plan has."""
    of_others = [one for one in orders(asked.snapshot) if one.product_was]
    buyers = select(asked.snapshot, _BUYING) if of_others else ()
    roles = {buyer.id: buyer.plan.role for buyer in buyers}
    for order in of_others:
        role = roles.get(f"{order.step}@{order.unit}", "")
        what = f"{order.title}: {order.size}"
        command = f"clusterwright why '{order.id}'"
        for person in asked.having(role):
            yield ReminderRow(person, Urgency.WAITING, "product", order.id, what, None, None, command)


def _is_planned(asked: _Asked, row: Activity) -> bool:
    """Return whether the work that places an order is planned to begin by then. A late order's order-by date may be long before it."""
    return row.plan.dates is None or asked.is_near(row.plan.dates.early_start)


def _action_items(asked: _Asked) -> Iterator[ReminderRow]:
    """Yield what people agreed to do."""
    for item in action_items(asked.snapshot):
        if item.due <= asked.until:
            what = f"{item.activity}: {item.text}" if item.activity else item.text
            command = f"clusterwright action close {item.id}"
            yield from asked.owned(item.owner, "action", item.id, what, item.due, command)


_KINDS = (
    _waiting,
    _punch_items,
    _delegations,
    _approvals,
    _orders,
    _other_products,
    _witness_points,
    _action_items,
)
"""What yields the reminders of each kind to all people who are asked for."""
