"""In which order runs begin that want the same hosts, or the same things of which a site has one.

What has the least float comes first. Among those with the same float it is what has waited longest, and then the id decides. What waits reserves all
that it wants: nothing that comes later in the order begins on any of it, and what runs there comes to its end. So the first in
the order always begins, and what wants nothing that is reserved or in use begins at once.

What is first on one of its hosts keeps that place. What arrives later and wants that host too comes after it, even if its float is less:
it counts with the float of the first. There is one order for all hosts, so no two wait for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.rules.activity import Activity

_A_MOMENT = timedelta(microseconds=1)


class Waiting(NamedTuple):
    """The place in the order of an activity that is to run. `wants` are the hosts and shared things that it would use.

    `since` is when it took this place. Nothing of a place changes while the activity waits.
    """

    float_h: float
    since: datetime
    activity: str
    wants: frozenset[str]


def wants(hosts: Iterable[str], shares: Iterable[str]) -> frozenset[str]:
    """Return what a run uses: hosts by their names, and things of which a site has one. Empty where there is no host."""
    touched = frozenset(hosts)
    return touched and touched.union(f"the {thing}" for thing in shares)


def float_of(row: Activity) -> float:
    """Return an activity's total float in the plan in force, in hours. Without dates nothing comes before anything."""
    return row.plan.dates.total_float_h if row.plan.dates else 0.0


def arrived(new: Waiting, waiting: Collection[Waiting]) -> Waiting:
    """Return the place of an activity that arrives now, among those that wait already.

    It is later than each of them, and after those that are first on something that it wants too.
    """
    since, floats, seen = [new.since], [new.float_h], set[str]()
    for other in sorted(waiting):
        since.append(other.since + _A_MOMENT)
        if new.wants & (other.wants - seen):
            floats.append(other.float_h)
        seen |= other.wants
    return new._replace(since=max(since), float_h=max(floats))


def beginning(
    mine: Collection[Waiting],
    others: Iterable[Waiting],
    in_use: Collection[str],
) -> list[Waiting]:
    """Return which of `mine` may begin now, the first in the order first. `others` wait too, and others let them begin.

    What an activity wants is reserved for it while it waits, and in use once it begins.
    """
    own = {place.activity for place in mine}
    line = [*mine, *(other for other in others if other.activity not in own)]
    used, begins = set(in_use), []
    for place in sorted(line):
        if place.activity in own and used.isdisjoint(place.wants):
            begins.append(place)
        used |= place.wants
    return begins
