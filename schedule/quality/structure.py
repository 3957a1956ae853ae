"""Points 1 to 5 and 8 of the DCMA check: links, constraints and durations, which are there before anything is solved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from schedule.cpm.columns import NONE, Tie
from schedule.quality.check import Check, verdict_of
from schedule.quality.shares import Asked, of_activities, of_links
from schedule.quality.subject import Subject

SMALL_SHARE = 0.05
FS_SHARE = 0.9
MOST_DAYS = 44
"""Working days beyond which a float or a duration is high: two months."""

LOGIC = Asked("dcma-01", "Logic", "Activities without a predecessor or without a successor.", SMALL_SHARE)
LEADS = Asked("dcma-02", "Leads", "Links with a negative lag: work begins before what it waits for is done.")
LAGS = Asked("dcma-03", "Lags", "Links with a lag: time that no activity shows.", SMALL_SHARE)
TYPES = Asked("dcma-04", "Link types", "Links that are finish to start. Offenders are the others.", 1 - FS_SHARE)
HARD = Asked("dcma-05", "Hard constraints", "Activities that have to finish by a date of their own.", SMALL_SHARE)
LONG = Asked(
    "dcma-08", "High duration", f"Activities of more than {MOST_DAYS} working days, without milestones.", SMALL_SHARE
)


def structure(it: Subject) -> Iterator[Check]:
    """Yield the checks of links, constraints and durations."""
    links, activities = it.network.links, it.network.activities
    number = len(activities)
    has_before = np.bincount(links.after, minlength=number) > 0
    has_after = np.bincount(links.before, minlength=number) > 0
    yield of_activities(LOGIC, ~(has_before & has_after), among=it.counted)
    yield of_links(LEADS, it, links.lag < 0)
    yield of_links(LAGS, it, links.lag > 0)
    yield _types(it)
    no_later = np.full(number, NONE) if activities.no_later is None else activities.no_later
    yield of_activities(HARD, no_later != NONE, among=it.counted)
    yield of_activities(LONG, activities.duration > MOST_DAYS * it.day, among=it.works)


def _types(it: Subject) -> Check:
    """Return the share of links that are finish to start, which is the other way around than all other shares."""
    found = of_links(TYPES, it, it.network.links.type != Tie.FS)
    at_least = f"at least {FS_SHARE:.0%}".replace("%", " %")
    if found.value is None:
        return replace(found, threshold=at_least)
    value = 1 - found.value
    return replace(found, value=value, verdict=verdict_of(passes=value >= FS_SHARE), threshold=at_least)
