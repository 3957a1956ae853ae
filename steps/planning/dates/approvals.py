"""The time between finished work and its approval. It is no work: no crew is held, and no rate of work is learned from it.

What comes after an activity waits for its approval too. So the expected time is a lag on the links that leave the activity's finish.
The catalog states it by role, in working hours of the site; finished work shows what it really is at a site.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from schedule.cpm.columns import NONE
from schedule.cpm.shifts import Minutes, ShiftCalendar
from schedule.risk.quantiles import Floats
from steps.catalog.terms import SOFTWARES_WORK, Kind, LinkType
from steps.planning.activity import ELAPSED, PlanActivity
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.learned import ApprovalTime
from steps.planning.plan import Plan, PlanLink

MINUTES = 60
"""In an hour."""
LEAST_H = 0.25
"""An approval that was recorded with the finish itself counts as a quarter of an hour."""
PLANNED_COUNTS = 3.0
"""As many approvals as the planned time counts for. So one very late signature moves the expected time by a quarter of its logarithm.
Source: assumption."""
LEAVES_FINISH = frozenset({LinkType.FS, LinkType.FF})


class Approving(NamedTuple):
    """What is known of approvals: the expected hours by role, and when each approved activity was finished and approved."""

    hours: Mapping[str, float]
    done: Mapping[str, tuple[int, int]] = MappingProxyType({})
    """Minutes since the plan's origin."""


def approver_of(activity: PlanActivity, hours: Mapping[str, float]) -> str | None:
    """Return the role whose approval sets the time; None where nobody approves, as after a run, or where approving is the work.

    Any role of the policy may approve. With a quorum of two it is the second fastest role that sets the time.
    """
    policy = activity.policy
    by_software = activity.kind in SOFTWARES_WORK or activity.kind is Kind.COMPUTE
    if activity.kind is Kind.GATE or not activity.applicable or (by_software and policy.needed == "by-hand"):
        return None
    fastest_first = sorted((hours.get(role, 0.0), role) for role in policy.roles)
    return fastest_first[min(policy.quorum, len(fastest_first)) - 1][1]


def approval_hours(activity: PlanActivity, hours: Mapping[str, float]) -> float:
    """Return the working hours from the finish of an activity to its approval; 0 where nobody approves."""
    role = approver_of(activity, hours)
    return 0.0 if role is None else hours.get(role, 0.0)


def waits_of(
    plan: Plan,
    links: Sequence[PlanLink],
    index: Mapping[str, int],
    calendars: Sequence[ShiftCalendar],
    approving: Approving,
) -> Minutes:
    """Return by how many minutes of its lag's calendar each link waits for the approval of its predecessor."""
    expected, finished, approved = _by_row(plan, index, approving)
    number = {one.name: place for place, one in enumerate(calendars)}
    before = np.array([index[link.before] for link in links], np.int64)
    leaves_finish = np.array([link.type in LEAVES_FINISH for link in links], bool)
    calendar = np.array([number[link.lag_calendar] for link in links], np.int64)
    hours = np.where(leaves_finish, expected[before], 0.0)
    hours[calendar == number[ELAPSED]] *= elapsed_per_working_hour(plan)
    waits = np.rint(hours * MINUTES).astype(np.int64)
    is_approved = leaves_finish & (approved[before] != NONE)
    for one in np.unique(calendar[is_approved]):
        rows = np.flatnonzero(is_approved & (calendar == one))
        work = calendars[one].work
        waits[rows] = work(approved[before[rows]]) - work(finished[before[rows]])
    return np.asarray(waits)


def _by_row(plan: Plan, index: Mapping[str, int], approving: Approving) -> tuple[Floats, Minutes, Minutes]:
    """Return the expected hours of each row, and the minutes at which it was finished and approved, NONE if it was not."""
    expected = np.zeros(len(index))
    finished, approved = np.full(len(index), NONE), np.full(len(index), NONE)
    known: dict[tuple[int, Kind], float] = {}  # thousands of activities have few policies
    for activity in plan.activities:
        row = index.get(activity.id)
        if row is None:
            continue
        policy = id(activity.policy), activity.kind
        if policy not in known:
            known[policy] = approval_hours(activity, approving.hours)
        expected[row] = known[policy]
        if activity.id in approving.done:
            finished[row], approved[row] = approving.done[activity.id]
    return expected, finished, approved


def elapsed_per_working_hour(plan: Plan) -> float:
    """Return how many hours pass in a working hour on average, for lags that run around the clock."""
    site = WorkCalendar.from_plan(plan)
    return 7 * 24 / (len(site.working_days) * site.hours_per_day)


def approval_times(plan: Plan, waits: Iterable[tuple[str, float]]) -> dict[str, ApprovalTime]:
    """Return what recorded waits say of the approvals of each role: pairs of a role and working hours from finish to approval.

    The expected time is between the planned one and the median of what was recorded, on a scale of logarithms. It is nearer to the
    median the more was recorded.
    """
    by_role: dict[str, list[float]] = {}
    for role, hours in waits:
        by_role.setdefault(role, []).append(hours)
    return {role: _learned(role, plan.approvals.get(role, 0.0), found) for role, found in sorted(by_role.items())}


def _learned(role: str, planned: float, found: Sequence[float]) -> ApprovalTime:
    middle, number = median(found), len(found)
    expected = exp(
        (PLANNED_COUNTS * log(max(planned, LEAST_H)) + number * log(max(middle, LEAST_H))) / (PLANNED_COUNTS + number)
    )
    return ApprovalTime(role, planned, middle, number, expected)
