"""What people outside the screens are notified of: what waits, failed, is overdue or is to be ordered, and milestones that moved.

A notice is about what is open now. What was dealt with before anybody was notified of it has no notice any more. `seq` is the
event with which it began, so the same wait keeps its notice, and the next attempt has another one.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from json import dumps
from typing import NamedTuple

from ledger.questions.decisions_needed import KINDS
from ledger.questions.forecast_words import than
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.reminders import ReminderRow, Urgency, reminders
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import grouped
from ledger.rules.subjects import order_of

_BEGAN = """
SELECT a.id, max(coalesce(a.stale_since, 0), coalesce(a.valid_since, 0), coalesce((
  SELECT max(e.seq) FROM event e WHERE e.subject = a.id AND (
    e.kind IN (SELECT value FROM json_each(:kinds)) OR (a.state = 'done' AND e.kind = 'activity.signed'))), 0))
FROM activity a WHERE a.id IN (SELECT value FROM json_each(:names))"""
"""An approval that expired began with the sign-off. Other sign-offs begin nothing: a quorum of two is asked for once."""

_BEGINNINGS = dumps(["activity.attested", "activity.finished", "activity.held", "activity.reopened", "run.settled"])
"""Kinds of events after which an activity waits for a person."""


_PROMISED = """
SELECT max(seq) FROM event
WHERE subject IN (:delivery, :order) AND kind IN ('order.placed', 'order.acknowledged', 'order.promised')"""


class NoticeKind(StrEnum):
    """What a notice is about."""

    SIGN_OFF = "sign-off"
    OVERDUE = "overdue"
    FAILED = "failed"
    MILESTONE = "milestone"
    NCR = "ncr"
    ORDER = "order"
    PROMISE = "promise"

    @property
    def words(self) -> str:
        """The kind as the first words of a sentence."""
        return _WORDS[self]


_WORDS = {
    NoticeKind.SIGN_OFF: "Sign-off requested",
    NoticeKind.OVERDUE: "Overdue",
    NoticeKind.FAILED: "Failed",
    NoticeKind.MILESTONE: "Milestone moved",
    NoticeKind.NCR: "Non-conformance opened",
    NoticeKind.ORDER: "Order to place",
    NoticeKind.PROMISE: "Promised late",
}
_OF_REMINDER = {
    "sign": NoticeKind.SIGN_OFF,
    "decide": NoticeKind.FAILED,
    "ncr": NoticeKind.NCR,
    "order": NoticeKind.ORDER,
    "promise": NoticeKind.PROMISE,
}
"""By kind of a reminder: the notice that there is of it as soon as it begins."""


class Notice(NamedTuple):
    """Something to notify people of. `seq` is the event with which it began, 0 where it began with no event of its own.

    `people` are those who may deal with it. They are none of a milestone, and where nobody may. `command` answers it.
    `said` is the date that is said of a milestone.
    """

    kind: NoticeKind
    subject: str
    seq: int
    what: str
    since: datetime | None
    due: date | None
    people: tuple[str, ...]
    command: str
    said: date | None = None

    @property
    def once(self) -> tuple[str, str, int]:
        """What people are notified of once: the kind, the subject and the event. A day that was moved can go by once more."""
        is_dated = self.kind is NoticeKind.OVERDUE and self.due is not None
        return self.kind.value, f"{self.subject} by {self.due}" if is_dated else self.subject, self.seq


def notices(
    snapshot: Snapshot,
    *,
    overdue_after: timedelta,
    order_days: int,
    lapsed: Container[str] = (),
) -> list[Notice]:
    """Return what people are to be notified of now, except milestones. The most urgent comes first.

    A decision is overdue when it has waited for `overdue_after`. Orders count from `order_days` before their order-by date.
    `lapsed` is as for the inbox.
    """
    rows = reminders(snapshot, days=order_days, lapsed=lapsed)
    found = grouped(((row.kind, row.subject), row) for row in rows)
    names = dumps([subject for _, subject in found])
    events = snapshot.ask(_BEGAN, kinds=_BEGINNINGS, names=names)
    began: dict[str, int] = dict(events)
    made = []
    for (kind, subject), rows in found.items():
        seq = _promised(snapshot, subject) if kind == "promise" else began.get(subject, 0)
        at_once = _OF_REMINDER.get(kind)
        if at_once is not None:
            made.append(_notice(at_once, rows, seq))
        if _is_overdue(rows[0], snapshot.now - overdue_after):
            made.append(_notice(NoticeKind.OVERDUE, rows, seq))
    return made


def _promised(snapshot: Snapshot, delivery: str) -> int:
    """Return the event with the last promise of a delivery, or of its order: each promise is another notice."""
    (seq,) = snapshot.first(_PROMISED, delivery=delivery, order=order_of(delivery))
    return seq or 0


def _is_overdue(row: ReminderRow, waiting_since: datetime) -> bool:
    """Return whether something is past its day, or is a decision that waits since then or longer."""
    if row.urgency is Urgency.OVERDUE:
        return True
    return row.kind in KINDS and row.since is not None and row.since <= waiting_since


def _notice(kind: NoticeKind, rows: list[ReminderRow], seq: int) -> Notice:
    """Return the notice of the reminders that several people have of one thing."""
    first = rows[0]
    people = tuple(row.person for row in rows if row.person)
    return Notice(
        kind,
        first.subject,
        seq,
        first.what,
        first.since,
        first.due,
        people,
        first.command,
    )


def moved_milestones(
    snapshot: Snapshot,
    said: Mapping[str, date],
    *,
    least_days: int,
) -> list[Notice]:
    """Return the milestones whose expected date moved by at least `least_days` since what was `said`, by milestone.

    A milestone of which nothing was said yet is compared with the plan. Empty without a kept forecast.
    """
    fresh = kept_forecast(snapshot)
    if fresh is None:
        return []
    forecast, made = fresh.forecast, []
    for one in forecast.milestones:
        name, is_new = one.milestone, one.milestone not in said
        before = forecast.day(one.planned) if is_new else said[name]
        expected = forecast.day(one.expected)
        days = (expected - before).days
        if abs(days) >= least_days:
            before_words = f"{before} {'as planned' if is_new else 'as last said'}"
            what = f"{name} is expected on {expected}, {than(days, before_words)}"
            notice = Notice(
                NoticeKind.MILESTONE,
                name,
                forecast.event,
                what,
                since=None,
                due=None,
                people=(),
                command="clusterwright forecast",
                said=expected,
            )
            made.append(notice)
    return made
