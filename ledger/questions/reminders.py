"""Reminders for each person: what waits for them and since when, and what expires or is due soon.

Reminders are not stored. They are worked out from the record whenever somebody asks.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ledger.questions.action_items import ActionItemRow, action_items
from ledger.questions.calendar import UNPLANNED, WorkingWeek, working_weeks
from ledger.questions.case import actor, select
from ledger.questions.decisions_needed import Needed, approved_until, decisions_needed, everybody
from ledger.questions.inbox import inbox
from ledger.questions.ncrs import PunchRow, punch
from ledger.questions.orders import orders
from ledger.questions.people import DelegationRow, delegations, people
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.witnesses import attendances, invitation
from ledger.rules.activity import Activity, State
from ledger.rules.permission import Actor
from ledger.rules.rows import OrderRow
from steps.amount import counted
from steps.planning.activity import WORKING


class Urgency(StrEnum):
    """How urgent a reminder is, the most urgent first."""

    OVERDUE = "overdue"
    DUE = "due"
    WAITING = "waiting"


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


class _Site(NamedTuple):
    """The last day that reminders look ahead to (`until`), and everything in the record that may need one."""

    snapshot: Snapshot
    zone: ZoneInfo
    until: date
    working: WorkingWeek
    punch: list[PunchRow]
    ncrs: dict[str, Needed]
    delegations: list[DelegationRow]
    approvals: list[Activity]
    orders: list[tuple[OrderRow, Activity]]
    promises: list[tuple[OrderRow, Activity]]
    witnessed: list[Activity]
    actions: list[ActionItemRow]
    lapsed: Container[str]

    def day(self, moment: datetime) -> date:
        """Return the day of a moment in the site's time zone."""
        return moment.astimezone(self.zone).date()

    @property
    def today(self) -> date:
        """The day on which reminders are asked for, in the site's time zone."""
        return self.day(self.snapshot.now)

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

    def invite_by(self, row: Activity) -> date:
        """Return the day by which to invite the witnesses: their notice before the planned start, or today if it is not blocked."""
        witness, dates = row.plan.policy.witness, row.plan.dates
        if row.state is not State.BLOCKED or dates is None or witness is None:
            return self.today
        start = max(self.day(dates.early_start), self.today)
        return self.working.before(start, witness.notice_h)


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
    site = _gathered(snapshot, days, lapsed)
    wanted = [one.id for one in people(snapshot) if person in {None, one.id}]
    found = [row for name in wanted for row in _of(actor(snapshot, name), site)]
    if person is None:
        found += _nobodys(snapshot, lapsed)
    return sorted(found, key=_place_in_list)


def _nobodys(snapshot: Snapshot, lapsed: Container[str]) -> Iterator[ReminderRow]:
    """Yield the decisions that nobody may take. They are nobody's, so the person is empty."""
    everyone = everybody(snapshot)
    for one in decisions_needed(snapshot, lapsed):
        if not any(one.role_of(me) for me in everyone):
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


def _of(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    yield from _waiting(me, site)
    yield from _punch_items(me, site)
    yield from _delegations(me, site)
    yield from _approvals(me, site)
    yield from _orders(me, site)
    yield from _late_promises(me, site)
    yield from _witness_points(me, site)
    yield from _action_items(me, site)


def _gathered(snapshot: Snapshot, days: int, lapsed: Container[str]) -> _Site:
    zone = ZoneInfo(site_of(snapshot).time_zone)
    today = snapshot.now.astimezone(zone).date()
    until = today + timedelta(days=days)
    end = datetime.combine(until + timedelta(days=1), time(), zone)
    every = orders(snapshot)
    waiting = [o for o in every if o.placed_at is None]
    promised = [o for o in every if o.late_delivery and o.promised_last]
    due = [o for o in waiting if o.order_by is not None and o.order_by < end]
    buying = "state <> 'not_applicable' AND id IN (SELECT step || '@' || unit FROM order_line)"
    buyers = {}
    for row in select(snapshot, buying) if due or promised else ():
        buyers[row.id] = row
    planned = {name: row for name, row in buyers.items() if _is_planned_by(row, end)}
    witnessed = select(snapshot, "state IN ('open', 'in_progress', 'on_hold') AND plan LIKE '%\"witness\":{%'")
    return _Site(
        snapshot=snapshot,
        zone=zone,
        until=until,
        working=working_weeks(snapshot).get(WORKING, UNPLANNED),
        punch=punch(snapshot, today),
        ncrs={one.subject: one for one in decisions_needed(snapshot) if one.kind == "ncr"},
        delegations=delegations(snapshot),
        approvals=approved_until(snapshot, snapshot.now + timedelta(days=days)),
        orders=_bought(due, planned),
        promises=_bought(promised, buyers),
        witnessed=[row for row in witnessed if row.plan.policy.witness is not None],
        actions=action_items(snapshot),
        lapsed=lapsed,
    )


_Bought = tuple[OrderRow, Activity]
"""An order, and the work that places it."""


def _bought(found: Iterable[OrderRow], buyers: Mapping[str, Activity]) -> list[_Bought]:
    """Return each order with the work that places it, where that applies."""
    pairs = ((order, buyers.get(f"{order.step}@{order.unit}")) for order in found)
    return [(order, row) for order, row in pairs if row is not None]


def _is_planned_by(row: Activity, end: datetime) -> bool:
    """Return whether the work that places an order is planned to begin by then. A late order's order-by date may be long before it."""
    return row.plan.dates is None or row.plan.dates.early_start < end


def _waiting(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield what is in their inbox. Orders are left out, because `_orders` yields them with their days."""
    for row in inbox(site.snapshot, me.id, site.lapsed):
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


def _witness_points(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield for the role that does the work whom to invite, and for the invited witnesses when to come."""
    for row in site.witnessed:
        witness, title = row.plan.policy.witness, row.plan.title
        held = invitation(site.snapshot, row)
        if held is None and witness is not None:
            by, is_mine = site.invite_by(row), row.plan.role in me.roles
            if is_mine and row.state is not State.IN_PROGRESS and by <= site.until:
                what = f"{title}: invite {', '.join(witness.roles)}"
                command = f"clusterwright witness {row.id} --for DATE"
                yield site.dated(me.id, "notice", row.id, what, by, command)
        elif held is not None:
            expected = {a.role for a in attendances(site.snapshot, row) if not a.noted}
            come = sorted(expected & me.roles.keys())
            is_over = held.on < site.snapshot.now
            if come and not is_over and site.day(held.on) <= site.until:
                what = f"{title}: come as {', '.join(come)} until {held.on.astimezone(site.zone):%H:%M}"
                command = f"clusterwright witness {row.id} --attended {come[0]}"
                yield site.dated(
                    me.id,
                    "witness",
                    row.id,
                    what,
                    site.day(held.on),
                    command,
                )


def _punch_items(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield the punch items that they own, and the non-conformances without a disposition that they may decide."""
    for item in site.punch:
        said = f"{item.activity}: {item.said}"
        if item.id in site.ncrs:
            needed = site.ncrs[item.id]
            if needed.role_of(me) is not None:
                yield _decision(me.id, needed, needed.title)
        elif item.owner == me.id and item.due is not None and item.due <= site.until:
            close, show = f"clusterwright ncr close {item.id}", f"clusterwright show {item.activity}"
            yield site.dated(
                me.id,
                item.kind,
                item.id,
                said,
                item.due,
                close if item.kind == "ncr" else show,
            )


def _delegations(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield the delegations by them or to them that end soon."""
    for lent in site.delegations:
        live = lent.withdrawn_at is None and lent.since <= site.snapshot.now < lent.until
        is_mine = me.id in {lent.person, lent.to}
        if live and is_mine and site.day(lent.until) <= site.until:
            what = f"{lent.to} acts as {lent.role} for {lent.person} until then"
            yield site.dated(
                me.id,
                "delegation",
                lent.id,
                what,
                site.day(lent.until),
                "clusterwright authority",
            )


def _approvals(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield the approvals that expire soon and that they may sign again. Expired ones are in their inbox already."""
    for row in site.approvals:
        ends = row.valid_until
        mine = me.roles.keys() & set(row.plan.policy.roles)
        if ends is not None and ends > site.snapshot.now and mine:
            what = f"{row.plan.title}: its approval ends"
            yield site.dated(
                me.id,
                "approval",
                row.id,
                what,
                site.day(ends),
                f"clusterwright sign {row.id}",
            )


def _orders(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield the orders that are to be placed soon, if they have the role that buys them."""
    for order, row in site.orders:
        if row.plan.role in me.roles and order.order_by is not None:
            what, day = f"{order.title}, {counted(order.quantity, order.unit_of_measure)}", site.day(order.order_by)
            yield site.dated(me.id, "order", order.id, what, day, f"clusterwright order '{order.id}'")


def _late_promises(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield the orders whose supplier promised a delivery for after the day on which it is needed, to the role that buys them."""
    for order, row in site.promises:
        late = order.late_delivery
        if row.plan.role in me.roles and late is not None and late.need_by is not None:
            need = site.day(late.need_by)
            what = f"{order.title}: promised for {late.promised}, needed on {need}"
            urgency = Urgency.OVERDUE if need < site.today else Urgency.WAITING
            command = f"clusterwright expedite '{late.id}'"
            yield ReminderRow(me.id, urgency, "promise", late.id, what, None, need, command)


def _action_items(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Yield what they agreed to do."""
    for item in site.actions:
        if item.owner == me.id and item.due <= site.until:
            what = f"{item.activity}: {item.text}" if item.activity else item.text
            yield site.dated(me.id, "action", item.id, what, item.due, f"clusterwright action close {item.id}")
