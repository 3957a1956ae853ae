"""A network in topological numbering, as both passes read it: activities, and links by successor and by predecessor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import Links
from schedule.cpm.numbering import Numbering, Stretches
from schedule.cpm.shifts import ALWAYS, Indices, Minutes

FROM_START = 1
"""Bit of a link's code: it leaves the predecessor's start. The types of links have the same bits."""
TO_FINISH = 2
"""Bit of a link's code: it ends at the successor's finish."""
LAGGED = 4
"""Bit of a link's code: its lag is not zero."""

OPEN, RUNNING, DONE = 0, 1, 2
"""States of an activity at the data date."""

FREE = 6 * ALWAYS
"""Later than any instant: nothing limits this activity."""
LOWEST = -FREE
"""Earlier than any instant."""


class Wires(NamedTuple):
    """Links in stretches by the activity at one end; `far` is the number of the activity at the other."""

    begin: Indices
    far: Indices
    code: NDArray[np.uint8]
    lag: Minutes
    lag_calendar: Indices
    row: Indices


class Work(NamedTuple):
    """What one solution starts from, by number: columns of shape (activities,)."""

    calendar: Indices
    duration: Minutes
    """What remains to be worked; 0 for what is done."""
    earliest: Minutes
    """No start before it: the start of the project, the data date, a constraint; for what is done its actual finish."""
    started: Minutes
    """The actual start of what has started."""
    state: NDArray[np.uint8]
    override: bool
    """Whether what has started works on, whatever comes before it."""


class Early(NamedTuple):
    """The result of a forward pass. What is done may have a later finish here than in fact: what it should have waited for."""

    start: Minutes
    finish: Minutes
    worked: Minutes
    """Minutes of the activity's calendar before its finish."""
    driver: Indices
    """The position, among the links by successor, of the link that sets the start; -1 if none does."""


class Late(NamedTuple):
    """The result of a backward pass; FREE where nothing limits an activity."""

    start: Minutes
    finish: Minutes
    total_float: Minutes


class LeftCalendarError(Exception):
    """A pass has met an instant outside a calendar. The caller knows the names."""

    def __init__(self, number: int, calendar: int) -> None:
        """Keep the number of the activity, and the index of the calendar."""
        super().__init__(number, calendar)
        self.number = number
        self.calendar = calendar


def wires(links: Links, numbers: Numbering, sorted_links: Stretches, *, far: Indices) -> Wires:
    """Return links in the order of `sorted_links`; `far` is the other end's row, by link."""
    row = sorted_links.row
    lag = links.lag[row]
    code = links.type[row].astype(np.uint8) | np.where(lag != 0, LAGGED, 0).astype(np.uint8)
    return Wires(sorted_links.begin, numbers.number[far[row]], code, lag, links.lag_calendar[row], row)


def counting(wired: Wires, work: Work, *, before: Indices, after: Indices) -> NDArray[np.bool_]:
    """Return which links still count. `before` and `after` are the numbers of their ends.

    A link whose two ends have both happened does not. With progress override, none into what has started does.
    """
    happened, due = _happened(wired.code, work.state[before], work.state[after])
    counts = ~(happened & due)
    if work.override:
        counts &= work.state[after] == OPEN
    return counts


def against_order(wired: Wires, work: Work, *, before: Indices, after: Indices) -> NDArray[np.bool_]:
    """Return the links that work did not wait for: the end at the successor has happened, that at the predecessor not."""
    happened, due = _happened(wired.code, work.state[before], work.state[after])
    return due & ~happened


def _happened(
    code: NDArray[np.uint8], before: NDArray[np.uint8], after: NDArray[np.uint8]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    left = np.where(code & FROM_START, before >= RUNNING, before == DONE)
    reached = np.where(code & TO_FINISH, after == DONE, after >= RUNNING)
    return left, reached
