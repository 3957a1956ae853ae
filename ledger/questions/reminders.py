"""What each person is to be reminded of: what waits for them and since when, and what ends or falls due before long.

Nothing is stored. The answer follows from the record as it is on the day of the question.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ledger.questions.calendar import WorkingDays, working_days
from ledger.questions.case import actor, require_activity, select
from ledger.questions.inbox import approved_until, inbox
from ledger.questions.ncrs import PunchRow, ncrs, punch
from ledger.questions.orders import orders
from ledger.questions.people import DelegationRow, delegations, people
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.witnesses import attendances, invitation
from ledger.rules.activity import Activity, State
from ledger.rules.permission import Actor
from ledger.rules.rows import NcrRow, OrderRow


class Urgency(StrEnum):
    """How pressing a reminder is, the most pressing first."""

    OVERDUE = "overdue"
    DUE = "due"
    WAITING = "waiting"


_ORDER = tuple(Urgency)
_VERBS = {"decide": "why", "change": "change approve", "fact": "show"}
"""The command that takes an action of the inbox, where it is called otherwise."""


class ReminderRow(NamedTuple):
    """One thing of which a person is to be reminded; `due` is its day, `since` is when it began to wait."""

    person: str
    urgency: Urgency
    kind: str
    subject: str
    what: str
    since: datetime | None
    due: date | None
    command: str


class _Site(NamedTuple):
    """When it is asked and how far ahead, and everything of which somebody may be reminded."""

    snapshot: Snapshot
    zone: ZoneInfo
    until: date
    working: WorkingDays
    punch: list[PunchRow]
    undecided: dict[str, tuple[NcrRow, Activity]]
    delegations: list[DelegationRow]
    approvals: list[Activity]
    orders: list[tuple[OrderRow, Activity]]
    witnessed: list[Activity]

    def day(self, moment: datetime) -> date:
        """Return the day of an instant at the site."""
        return moment.astimezone(self.zone).date()

    @property
    def today(self) -> date:
        """The day on which it is asked."""
        return self.day(self.snapshot.now)

    def dated(self, person: str, kind: str, subject: str, what: str, due: date, command: str) -> ReminderRow:
        """Return a reminder of something that has its day."""
        urgency = Urgency.OVERDUE if due < self.today else Urgency.DUE
        return ReminderRow(person, urgency, kind, subject, what, None, due, command)

    def tell_by(self, row: Activity) -> date:
        """Return by when to tell the witnesses: today for what is ready, else the notice before its planned start."""
        witness, dates = row.plan.policy.witness, row.plan.dates
        if row.state is not State.BLOCKED or dates is None or witness is None:
            return self.today
        return self.working.before(max(self.day(dates.early_start), self.today), witness.notice_h)


def reminders(snapshot: Snapshot, *, days: int = 14, person: str | None = None) -> list[ReminderRow]:
    """Return what everybody, or one person, is to be reminded of within so many days, the most urgent first."""
    site = _gathered(snapshot, days)
    wanted = [one.id for one in people(snapshot) if person in {None, one.id}]
    found = [row for name in wanted for row in _of(actor(snapshot, name), site)]
    return sorted(found, key=lambda r: (_ORDER.index(r.urgency), r.due or date.max, r.person, r.kind, r.subject))


def _of(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    yield from _waiting(me, site)
    yield from _punch_items(me, site)
    yield from _delegations(me, site)
    yield from _approvals(me, site)
    yield from _orders(me, site)
    yield from _witness_points(me, site)


def _gathered(snapshot: Snapshot, days: int) -> _Site:
    zone = ZoneInfo(site_of(snapshot).time_zone)
    today = snapshot.now.astimezone(zone).date()
    until = today + timedelta(days=days)
    undecided = [ncr for ncr in ncrs(snapshot, open_only=True) if not ncr.decided]
    due = [o for o in orders(snapshot) if o.placed_at is None and o.order_by is not None]
    due = [o for o in due if o.order_by is not None and o.order_by.astimezone(zone).date() <= until]
    buying = "state <> 'not_applicable' AND id IN (SELECT step || '@' || unit FROM order_line)"
    buyers = {row.id: row for row in select(snapshot, buying)} if due else {}
    witnessed = select(snapshot, "state IN ('open', 'in_progress', 'on_hold') AND plan LIKE '%\"witness\":{%'")
    return _Site(
        snapshot=snapshot,
        zone=zone,
        until=until,
        working=working_days(snapshot),
        punch=punch(snapshot, today),
        undecided={n.id: (n, require_activity(snapshot, n.activity)) for n in undecided},
        delegations=delegations(snapshot),
        approvals=approved_until(snapshot, snapshot.now + timedelta(days=days)),
        orders=[(o, buyers[f"{o.step}@{o.unit}"]) for o in due if f"{o.step}@{o.unit}" in buyers],
        witnessed=[row for row in witnessed if row.plan.policy.witness is not None],
    )


def _waiting(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Return what their inbox holds. Orders have a day, and are reminded of by it."""
    for row in inbox(site.snapshot, me.id):
        if row.action == "order":
            continue
        subject = row.title.partition(":")[0] if row.action == "change" else row.activity
        command = f"clusterwright {_VERBS.get(row.action, row.action)} {subject}"
        what = f"{row.title} (as {row.role})"
        yield ReminderRow(me.id, Urgency.WAITING, row.action, subject, what, row.since, None, command)


def _witness_points(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Return the witnesses to be told, for the lead of the work, and the time that they were told, for the witnesses."""
    for row in site.witnessed:
        witness, title = row.plan.policy.witness, row.plan.title
        held = invitation(site.snapshot, row)
        if held is None and witness is not None:
            by = site.tell_by(row)
            if row.plan.role in me.roles and row.state is not State.IN_PROGRESS and by <= site.until:
                what, command = (
                    f"{title}: tell {', '.join(witness.roles)}",
                    f"clusterwright witness {row.id} --for DATE",
                )
                yield site.dated(me.id, "notice", row.id, what, by, command)
        elif held is not None:
            come = sorted({a.role for a in attendances(site.snapshot, row) if not a.noted} & me.roles.keys())
            if come and site.snapshot.now <= held.on and site.day(held.on) <= site.until:
                what = f"{title}: come as {', '.join(come)} until {held.on.astimezone(site.zone):%H:%M}"
                command = f"clusterwright witness {row.id} --attended {come[0]}"
                yield site.dated(me.id, "witness", row.id, what, site.day(held.on), command)


def _punch_items(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Return what is theirs to make good; and what nobody has decided on, for those who decide."""
    for item in site.punch:
        said = f"{item.activity}: {item.said}"
        if item.id in site.undecided:
            ncr, row = site.undecided[item.id]
            if me.roles.keys() & {*row.plan.policy.roles, row.plan.role}:
                what, command = f"class {item.ncr_class}, {said}", f"clusterwright ncr disposition {item.id} WHAT"
                yield ReminderRow(me.id, Urgency.WAITING, "ncr", item.id, what, ncr.opened_at, None, command)
        elif item.owner == me.id and item.due is not None and item.due <= site.until:
            close, show = f"clusterwright ncr close {item.id}", f"clusterwright show {item.activity}"
            yield site.dated(me.id, item.kind, item.id, said, item.due, close if item.kind == "ncr" else show)


def _delegations(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Return the roles lent by them or to them that end before long."""
    for lent in site.delegations:
        live = lent.withdrawn_at is None and lent.since <= site.snapshot.now < lent.until
        if live and me.id in {lent.person, lent.to} and site.day(lent.until) <= site.until:
            what = f"{lent.to} acts as {lent.role} for {lent.person} until then"
            yield site.dated(me.id, "delegation", lent.id, what, site.day(lent.until), "clusterwright authority")


def _approvals(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Return the approvals of their roles that end before long. Those that have ended wait in their inbox."""
    for row in site.approvals:
        ends, mine = row.valid_until, me.roles.keys() & set(row.plan.policy.roles)
        if ends is not None and ends > site.snapshot.now and mine:
            what = f"{row.plan.title}: its approval ends"
            yield site.dated(me.id, "approval", row.id, what, site.day(ends), f"clusterwright sign {row.id}")


def _orders(me: Actor, site: _Site) -> Iterator[ReminderRow]:
    """Return the orders that are to be placed before long, for the role that buys them."""
    for order, row in site.orders:
        if row.plan.role in me.roles and order.order_by is not None:
            what, day = f"{order.title}, {order.quantity} {order.unit_of_measure}", site.day(order.order_by)
            yield site.dated(me.id, "order", order.id, what, day, f"clusterwright order '{order.id}'")
