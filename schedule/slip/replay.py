"""One chain of activities, played with the earlier inputs and then with the later ones, one input at a time, in the order of the chain.

What the last finish moves at each step is that input's part. The first value is the earlier finish and the last one the later, so
the parts sum to the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schedule.cpm.columns import NONE
from schedule.cpm.wiring import LOWEST
from schedule.cpm.working_time import WorkingTime
from schedule.slip.causes import SlipCause, SlipPart


class Terms(NamedTuple):
    """What sets the dates of one activity of a chain, beside the instant at which its link leaves the activity before it."""

    calendar: WorkingTime
    duration: int
    """What remains to be worked, in minutes of the calendar."""
    earliest: int
    floor: int
    """What everything outside the chain allows: other links, as in the standing whose chain this is not."""
    started: int
    """The actual start, or NONE."""
    linked: bool
    """Whether the link into the activity is there, and counts."""
    lag: int
    lag_calendar: WorkingTime
    begins: bool = False
    """Whether the work begins at the actual start, whatever the link allows."""


class OnChain(NamedTuple):
    """One activity of a chain: the link that leads into it, the date that the chain goes on from, and what changed."""

    name: str
    to_finish: bool
    """Whether the link ends at the finish."""
    by_start: bool
    """Whether the chain goes on from the start; otherwise from the finish."""
    first: Terms
    steps: tuple[tuple[SlipCause, Terms], ...]
    """All terms after each change, in the order in which changes are made."""
    logic: str
    """The activity to which a change of the link belongs: this one, or the one before it where that is in one network only."""


def parts(places: Sequence[OnChain], root: int, data_date: int | None) -> Iterator[SlipPart]:
    """Return what each change of a chain does to its last date. `root` is the instant at which the first link leaves."""
    played, leaves = [], root
    for place in places:
        leaves = _date(place, place.first, leaves)
        played.append(leaves)
    leaves = root
    for number, place in enumerate(places):
        now = place.first
        for cause, terms in place.steps:
            if terms == now:
                continue
            now = terms
            own = _date(place, terms, leaves) - played[number]
            if not own:
                continue
            last = played[-1]
            played[number] += own
            _carry_on(places, played, number)
            if played[-1] != last:
                name = place.logic if cause in {SlipCause.LOGIC, SlipCause.CREW} else place.name
                yield SlipPart(name, cause, played[-1] - last, own, data_date)
        leaves = played[number]


def _carry_on(places: Sequence[OnChain], played: list[int], number: int) -> None:
    """Move what comes after an activity whose date has moved, until nothing moves any more."""
    for later in range(number + 1, len(places)):
        date = _date(places[later], places[later].first, played[later - 1])
        if date == played[later]:
            return
        played[later] = date


def _date(place: OnChain, terms: Terms, leaves: int) -> int:
    """Return the start or the finish that terms lead to. The rules are those of the passes."""
    allowed, duration, calendar = LOWEST, terms.duration, terms.calendar
    if terms.linked:
        allowed = terms.lag_calendar.later(leaves, terms.lag) if terms.lag else leaves
    if terms.begins:
        if place.by_start:
            return terms.started
        finish = calendar.finish(terms.started, duration)
        return _held_open(calendar, finish, allowed, duration) if place.to_finish else finish
    if place.to_finish and duration and allowed != LOWEST:
        allowed = calendar.begin_of(allowed, duration)
    resumes = max(terms.earliest, terms.floor, allowed)
    if not place.by_start:
        return calendar.finish(resumes, duration)
    if terms.started != NONE:
        return terms.started
    return calendar.next(resumes) if duration else resumes


def _held_open(calendar: WorkingTime, finish: int, allowed: int, duration: int) -> int:
    """Return the finish of work that has begun and that a link into its finish holds until `allowed`."""
    if not duration:
        return max(finish, allowed)
    return calendar.done_by(allowed) if calendar.worked(max(allowed, finish)) > calendar.worked(finish) else finish
