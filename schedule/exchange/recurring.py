"""The days of a recurring exception of Microsoft Project: every third day, each second Tuesday, the first Monday of May."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

YEARLY, YEARLY_BY_PLACE, MONTHLY, MONTHLY_BY_PLACE, WEEKLY = 2, 3, 4, 5, 6
LAST = 4
"""The place of the last day of its kind in a month; 0 is the first."""
DAY, WEEKDAY, WEEKEND = 0, 1, 2
"""What `item` means besides Sunday (3) to Saturday (9)."""
MOST = 20_000
"""The most days of an exception."""


class Recurring(NamedTuple):
    """A rule. `days` has a bit a weekday, from Sunday; `month` is from 0, `place` from 0."""

    type: int
    first: date
    last: date
    period: int = 1
    days: int = 0
    item: int = 0
    place: int = 0
    month: int = 0
    day: int = 1
    occurrences: int | None = None


def days_of(rule: Recurring) -> list[date]:
    """Return the days, in order."""
    span = (rule.last - rule.first).days + 1
    all_days = (rule.first + timedelta(days=number) for number in range(max(0, min(span, MOST))))
    return list(islice((day for day in all_days if _fits(rule, day)), rule.occurrences))


def _fits(rule: Recurring, day: date) -> bool:
    period = max(1, rule.period)
    months = (day.year - rule.first.year) * 12 + day.month - rule.first.month
    if rule.type == YEARLY:
        return (day.month - 1, day.day) == (rule.month, rule.day)
    if rule.type == YEARLY_BY_PLACE:
        return day.month - 1 == rule.month and _is_at(rule, day)
    if rule.type == MONTHLY:
        return months % period == 0 and day.day == rule.day
    if rule.type == MONTHLY_BY_PLACE:
        return months % period == 0 and _is_at(rule, day)
    if rule.type == WEEKLY:
        sunday = rule.first - timedelta(days=rule.first.isoweekday() % 7)
        weeks = (day - sunday).days // 7
        return weeks % period == 0 and bool(rule.days >> day.isoweekday() % 7 & 1)
    return (day - rule.first).days % period == 0


def _is_at(rule: Recurring, day: date) -> bool:
    """Return whether a day is the n-th of its kind in its month."""
    of_kind = _of_kind(rule.item, day.replace(day=1))
    place = len(of_kind) - 1 if rule.place >= LAST else rule.place
    return 0 <= place < len(of_kind) and of_kind[place] == day


@lru_cache(maxsize=512)
def _of_kind(item: int, first: date) -> Sequence[date]:
    """Return the days of a kind in a month that begins with a day. A rule asks for each of its days."""
    days = (first.replace(day=number) for number in range(1, monthrange(first.year, first.month)[1] + 1))
    return [one for one in days if _is_kind(item, one)]


def _is_kind(item: int, day: date) -> bool:
    if item == DAY:
        return True
    if item in {WEEKDAY, WEEKEND}:
        return (day.isoweekday() >= 6) == (item == WEEKEND)
    return day.isoweekday() % 7 == item - 3
