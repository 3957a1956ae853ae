"""Points 6, 7 and 9 to 11 of the DCMA check: floats, dates about the data date, resources, and what was missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from schedule.cpm.columns import NONE, Bools
from schedule.quality.check import Check
from schedule.quality.shares import Asked, of_activities
from schedule.quality.structure import MOST_DAYS, SMALL_SHARE
from schedule.quality.subject import Subject

HIGH_FLOAT = Asked(
    "dcma-06", "High float", f"Activities with a total float of more than {MOST_DAYS} working days.", SMALL_SHARE
)
NEGATIVE_FLOAT = Asked("dcma-07", "Negative float", "Activities that are too late for a date that has to be kept.")
INVALID = Asked("dcma-09", "Invalid dates", "Forecast dates before the data date, and actual dates after it.")
RESOURCES = Asked("dcma-10", "Resources", "Activities that take time and have no resource.")
MISSED = Asked(
    "dcma-11", "Missed activities", "What the baseline finishes by the data date, and is late or not done.", SMALL_SHARE
)
NO_BASELINE = "there is no baseline"
NO_DATA_DATE = "nothing is known of progress: there is no data date"
NOTHING_DUE = "the baseline finishes nothing by the data date"


def dates(it: Subject) -> Iterator[Check]:
    """Yield the checks of dates and resources. Offenders of floats are in order: the worst first."""
    floats = it.solution.total_float
    high = of_activities(HIGH_FLOAT, floats > MOST_DAYS * it.day, among=it.counted)
    yield replace(high, activities=high.activities[np.argsort(-floats[high.activities], kind="stable")])
    negative = of_activities(NEGATIVE_FLOAT, floats < 0, among=it.counted)
    yield replace(negative, activities=negative.activities[np.argsort(floats[negative.activities], kind="stable")])
    yield _invalid(it)
    if it.known.loaded is None:
        yield RESOURCES.unanswered("the schedule names no resources")
    else:
        yield of_activities(RESOURCES, ~it.known.loaded, among=it.works)
    yield _missed(it)


def _invalid(it: Subject) -> Check:
    actuals, found = it.solution.actuals, it.solution
    if actuals is None:
        return INVALID.unanswered(NO_DATA_DATE)
    today = actuals.data_date
    happened_later = (actuals.started > today) | (actuals.finished > today)
    begins_before = it.open & (found.start < today)
    ends_before = ~it.done & (found.finish < today)
    return of_activities(INVALID, happened_later | begins_before | ends_before, among=it.project)


def _missed(it: Subject) -> Check:
    if it.known.baseline is None or it.due is None or it.solution.actuals is None:
        return MISSED.unanswered(NO_BASELINE if it.known.baseline is None else NO_DATA_DATE)
    finished = it.solution.actuals.finished
    missed: Bools = (finished == NONE) | (finished > it.known.baseline)
    return of_activities(MISSED, missed, among=it.due, nobody=NOTHING_DUE)
