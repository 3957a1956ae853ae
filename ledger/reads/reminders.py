"""What each person is to be reminded of: what waits for them and since when, and what ends or falls due before long.

Nothing is stored: whoever asks, on whatever day, is answered from the record as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ledger.reads.connected import text_of, words
from ledger.reads.people import PeopleReads
from ledger.reads.record_rows import DelegationRow, NcrRow, PunchRow
from ledger.reads.records import RecordReads
from ledger.reads.rows import ActivityRow, OrderRow
from ledger.reads.site import SiteReads
from ledger.transitions import State


class Urgency(StrEnum):
    """How pressing a reminder is, the most pressing first."""

    OVERDUE = "overdue"
    DUE = "due"
    WAITING = "waiting"


_ORDER = tuple(Urgency)
_VERBS = {"decide": "why", "change": "change approve", "fact": "show"}
"""The command that takes an action of the inbox, where it is called otherwise."""


class ReminderRow(NamedTuple):
    """One thing that a person is to be reminded of; `due` is its day, `since` is when it began to wait."""

    person: str
    urgency: Urgency
    kind: str
    subject: str
    what: str
    since: datetime | None
    due: date | None
    command: str


class _Site(NamedTuple):
    """When it is asked and how far ahead, and everything that somebody may be reminded of."""

    now: datetime
    zone: ZoneInfo
    until: date
    working_days: frozenset[int]
    hours_a_day: float
    holidays: frozenset[str]
    punch: list[PunchRow]
    undecided: dict[str, tuple[NcrRow, ActivityRow]]
    delegations: list[DelegationRow]
    approvals: list[ActivityRow]
    orders: list[tuple[OrderRow, ActivityRow]]
    witnessed: list[ActivityRow]

    def day(self, moment: datetime) -> date:
        """Give the day of an instant at the site."""
        return moment.astimezone(self.zone).date()

    def dated(self, person: str, kind: str, subject: str, what: str, due: date, command: str) -> ReminderRow:
        """Give a reminder of something that has its day."""
        urgency = Urgency.OVERDUE if due < self.day(self.now) else Urgency.DUE
        return ReminderRow(person, urgency, kind, subject, what, None, due, command)

    def tell_by(self, row: ActivityRow) -> date:
        """Give by when the witnesses are to be told: today for what is ready, else the notice before its planned start."""
        today = self.day(self.now)
        if row.state is not State.BLOCKED or row.early_start is None:
            return today
        found, left = max(self.day(row.early_start), today), ceil(row.notice_h / self.hours_a_day)
        while left > 0:
            found -= timedelta(days=1)
            left -= found.isoweekday() in self.working_days and found.isoformat() not in self.holidays
        return found


class ReminderReads(PeopleReads, RecordReads, SiteReads):
    """Questions about what is to be remembered."""

    def reminders(self, now: datetime, *, days: int = 14, person: str | None = None) -> list[ReminderRow]:
        """Give what everybody, or one person, is to be reminded of now or within so many days, the most urgent first."""
        site = self._gathered(now, days)
        found = [
            row
            for one in self.people()
            if person in {None, one.id}
            for row in self._of(one.id, self.roles_of(one.id, now), site)
        ]
        return sorted(found, key=lambda r: (_ORDER.index(r.urgency), r.due or date.max, r.person, r.kind, r.subject))

    def _of(self, person: str, mine: set[str], site: _Site) -> Iterator[ReminderRow]:
        yield from self._waiting(person, site)
        yield from _punch_items(person, mine, site)
        yield from _delegations(person, site)
        yield from _approvals(person, mine, site)
        yield from _orders(person, mine, site)
        yield from self._witness_points(person, mine, site)

    def _gathered(self, now: datetime, days: int) -> _Site:
        zone = ZoneInfo(self.site().time_zone)
        today = now.astimezone(zone).date()
        until = today + timedelta(days=days)
        calendar = self.row("SELECT working_days, working_hours, holidays FROM plan_revision ORDER BY revision DESC")
        working_days, hours, holidays = calendar or ("[1, 2, 3, 4, 5]", "[0, 24]", "[]")
        opens, closes = json.loads(hours)
        open_ncrs = [n for n in self.ncrs(open_only=True) if not n.decided]
        orders = [
            o
            for o in self.orders(now)
            if o.placed_at is None and o.order_by is not None and o.order_by.astimezone(zone).date() <= until
        ]
        buyers = [(o, self.activity(f"{o.step}@{o.unit}", now)) for o in orders]
        return _Site(
            now=now,
            zone=zone,
            until=until,
            working_days=frozenset(json.loads(working_days)),
            hours_a_day=float(closes) - float(opens),
            holidays=frozenset(words(holidays)),
            punch=self.punch(today),
            undecided={n.id: (n, self.require_activity(n.activity, now)) for n in open_ncrs},
            delegations=self.delegations(),
            approvals=self.approved_until(now + timedelta(days=days), now),
            orders=[(o, row) for o, row in buyers if row is not None and row.state is not State.NOT_APPLICABLE],
            witnessed=self._select(
                "witnesses <> '[]' AND state IN ('open', 'in_progress', 'on_hold')", {"now": text_of(now)}, now
            ),
        )

    def _waiting(self, person: str, site: _Site) -> Iterator[ReminderRow]:
        """Give what their inbox holds; orders are reminded of by their day."""
        for row in self.inbox(person, site.now):
            if row.action == "order":
                continue
            subject = row.title.partition(":")[0] if row.action == "change" else row.activity
            command = f"clusterwright {_VERBS.get(row.action, row.action)} {subject}"
            what = f"{row.title} (as {row.role})"
            yield ReminderRow(person, Urgency.WAITING, row.action, subject, what, row.since, None, command)

    def _witness_points(self, person: str, mine: set[str], site: _Site) -> Iterator[ReminderRow]:
        """Give the witnesses to be told, to who leads the work, and the time that they were told, to them."""
        for row in site.witnessed:
            held = self.invitation(row.id)
            if held is None:
                by = site.tell_by(row)
                if row.role in mine and row.state is not State.IN_PROGRESS and by <= site.until:
                    what = f"{row.title}: tell {', '.join(row.witnesses)}"
                    yield site.dated(person, "notice", row.id, what, by, f"clusterwright witness {row.id} --for DATE")
                continue
            come = sorted({a.role for a in self.attendances(row.id) if not a.noted} & mine)
            if come and site.now <= held.on and site.day(held.on) <= site.until:
                what = f"{row.title}: come as {', '.join(come)} until {held.on.astimezone(site.zone):%H:%M}"
                command = f"clusterwright witness {row.id} --attended {come[0]}"
                yield site.dated(person, "witness", row.id, what, site.day(held.on), command)


def _punch_items(person: str, mine: set[str], site: _Site) -> Iterator[ReminderRow]:
    """Give what is theirs to make good, and the non-conformances that nobody has decided on to who decides."""
    for item in site.punch:
        said = f"{item.activity}: {item.said}"
        if item.id in site.undecided:
            ncr, row = site.undecided[item.id]
            if mine & {*row.roles, row.role}:
                what = f"class {item.ncr_class}, {said}"
                command = f"clusterwright ncr disposition {item.id} WHAT"
                yield ReminderRow(person, Urgency.WAITING, "ncr", item.id, what, ncr.opened_at, None, command)
        elif item.owner == person and item.due is not None and item.due <= site.until:
            command = (
                f"clusterwright ncr close {item.id}" if item.kind == "ncr" else f"clusterwright show {item.activity}"
            )
            yield site.dated(person, item.kind, item.id, said, item.due, command)


def _delegations(person: str, site: _Site) -> Iterator[ReminderRow]:
    """Give the roles lent by them or to them that end before long."""
    for lent in site.delegations:
        live = lent.withdrawn_at is None and lent.since <= site.now < lent.until
        if live and person in {lent.person, lent.to} and site.day(lent.until) <= site.until:
            what = f"{lent.to} acts as {lent.role} for {lent.person} until then"
            yield site.dated(person, "delegation", lent.id, what, site.day(lent.until), "clusterwright authority")


def _approvals(person: str, mine: set[str], site: _Site) -> Iterator[ReminderRow]:
    """Give the approvals of their roles that end before long; those that have ended wait in their inbox."""
    for row in site.approvals:
        if row.valid_until is not None and row.valid_until > site.now and mine & set(row.roles):
            what = f"{row.title}: its approval ends"
            yield site.dated(
                person, "approval", row.id, what, site.day(row.valid_until), f"clusterwright sign {row.id}"
            )


def _orders(person: str, mine: set[str], site: _Site) -> Iterator[ReminderRow]:
    """Give the orders that are to be placed before long, to the role that buys them."""
    for order, row in site.orders:
        if row.role in mine and order.order_by is not None:
            what = f"{order.title}, {order.quantity} {order.unit_of_measure}"
            yield site.dated(
                person, "order", order.id, what, site.day(order.order_by), f"clusterwright order '{order.id}'"
            )
