"""Points 12 to 14 of the DCMA check: the critical path test, which solves the network again, and two indices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedule.cpm.columns import NONE
from schedule.cpm.wiring import LeftCalendarError
from schedule.quality.check import Check, Measure, not_applicable, verdict_of
from schedule.quality.dates import NO_BASELINE, NO_DATA_DATE, NOTHING_DUE
from schedule.quality.subject import Subject

ADDED_DAYS = 600
SWALLOWED_DAYS = 6
"""A hundredth of what is added: where calendars differ, a weekend or a holiday takes in a part of the delay."""
LEAST = 0.95

TEST = ("dcma-12", "Critical path test")
TEST_ASKS = f"{ADDED_DAYS} working days are added to the first open activity of the chain that drives the end; the end moves as much."
LENGTH = ("dcma-13", "Critical path length index")
LENGTH_ASKS = (
    "The time from the data date to the end with its float towards the date that has to be kept, over that time."
)
EXECUTION = ("dcma-14", "Baseline execution index")
EXECUTION_ASKS = "What is done, over what the baseline finishes by the data date."
AT_LEAST = f"at least {LEAST:g}"


def indices(it: Subject) -> Iterator[Check]:
    """Yield the critical path test and the indices."""
    yield _critical_path_test(it)
    yield _path_length(it)
    yield _execution(it)


def _critical_path_test(it: Subject) -> Check:
    threshold = f"the end moves by {ADDED_DAYS - SWALLOWED_DAYS} to {ADDED_DAYS + SWALLOWED_DAYS} working days"
    network, work = it.network, it.solution.work
    first = next((row for row in it.chain.activities if it.counted[row]), None)
    if first is None:
        return not_applicable(*TEST, TEST_ASKS, threshold, "everything on the chain is done")
    number = int(network.numbers.number[first])
    longer = work.duration.copy()
    longer[number] += ADDED_DAYS * int(it.day[first])
    name, calendar = network.activities.names[first], network.calendars[int(network.activities.calendar[first])]
    try:
        early = network.forward(work._replace(duration=longer))
        ends = early.finish[network.numbers.number[it.end]]
        moved = int(calendar.work(int(ends)) - calendar.work(int(it.solution.finish[it.end]))) / int(it.day[first])
    except LeftCalendarError as left:
        ended = network.calendars[left.calendar].name
        return not_applicable(*TEST, TEST_ASKS, threshold, f"calendar {ended!r} ends before the end that has moved")
    passes = abs(moved - ADDED_DAYS) <= SWALLOWED_DAYS
    because = f"the end moves by {moved:,.1f} days if {name} takes {ADDED_DAYS} days more"
    rows = np.zeros(0, np.int64) if passes else np.array([first])
    verdict = verdict_of(passes=passes)
    return Check(*TEST, TEST_ASKS, verdict, threshold, moved, Measure.DAYS, 1, because, activities=rows)


def _path_length(it: Subject) -> Check:
    """Return the index in working time of the last activity's calendar."""
    due, source = _due(it)
    calendar = it.network.calendars[int(it.network.activities.calendar[it.end])]
    ends = int(it.solution.finish[it.end])
    if due is None:
        return not_applicable(*LENGTH, LENGTH_ASKS, AT_LEAST, "no date has to be kept, and there is no baseline")
    if it.done[it.end] or ends <= it.begins:
        return not_applicable(*LENGTH, LENGTH_ASKS, AT_LEAST, "the end is reached")
    begin, end, wanted = (int(calendar.work(instant)) for instant in (it.begins, ends, due))
    day = int(it.day[it.end])
    length = end - begin
    value = (length + wanted - end) / length if length else 1.0
    because = f"{length / day:,.1f} days to the end, {(wanted - end) / day:+,.1f} days of float towards {source}"
    verdict = verdict_of(passes=value >= LEAST)
    return Check(*LENGTH, LENGTH_ASKS, verdict, AT_LEAST, value, Measure.INDEX, 1, because)


def _due(it: Subject) -> tuple[int | None, str]:
    """Return the instant that has to be kept, and what asks for it."""
    no_later, baseline = it.network.activities.no_later, it.known.baseline
    if it.known.due is not None:
        return it.known.due, it.known.due_by
    if no_later is not None and no_later[it.end] != NONE:
        return int(no_later[it.end]), "the constraint of the end"
    if baseline is not None and (baseline != NONE).any():
        own = int(baseline[it.end])
        return (int(baseline.max()) if own == NONE else own), "the baseline"
    return None, ""


def _execution(it: Subject) -> Check:
    if it.known.baseline is None or it.due is None:
        because = NO_BASELINE if it.known.baseline is None else NO_DATA_DATE
        return not_applicable(*EXECUTION, EXECUTION_ASKS, AT_LEAST, because)
    due = int(np.count_nonzero(it.due))
    if not due:
        return not_applicable(*EXECUTION, EXECUTION_ASKS, AT_LEAST, NOTHING_DUE)
    done = int(np.count_nonzero(it.done & it.project))
    value = done / due
    because = f"{done:,} done, {due:,} due"
    verdict = verdict_of(passes=value >= LEAST)
    return Check(*EXECUTION, EXECUTION_ASKS, verdict, AT_LEAST, value, Measure.INDEX, due, because)
