"""Drag: by how much each activity on the driving path makes a target later.

The term and its use are Stephen Devaux's ("Total Project Control", 1999). Here it is not estimated from floats: the network is solved
again without the activity's duration, so calendars, all link types and parallel paths count as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.paths import longest_path
from schedule.cpm.shifts import Minutes
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import DONE, LeftCalendarError

DAY = 1440
"""Minutes; what costs by the day costs by the calendar day."""


class Drag(NamedTuple):
    """One activity of the driving path. Minutes are elapsed minutes of the target's finish.

    They can be negative where a link ends at the activity's finish: work ends with a shift, and a milestone does not.
    """

    row: int
    minutes: int
    """By which the target would be earlier if the activity took no time."""
    of_a_day: int
    """By which it would be earlier if the activity took a day less."""

    def cost(self, per_day: float) -> float:
        """Return what the activity's drag costs if each day until the target costs `per_day`."""
        return self.minutes / DAY * per_day

    def worth_of_a_day(self, per_day: float) -> float:
        """Return what a day less on this activity is worth: more should not be paid for it."""
        return self.of_a_day / DAY * per_day


def drags(network: CompiledNetwork, solution: Solution, target: int, *, day: Minutes) -> list[Drag]:
    """Return the drag of each activity that drives a target and takes time, the greatest first; of equals in driving order.

    Args:
        network: what was solved.
        solution: of what runs, what remains counts; what is done has no drag.
        target: a row.
        day: the minutes by row that a day is in each activity's own calendar.

    """
    found = []
    for row in longest_path(network, solution, target=target).activities:
        duration = int(solution.work.duration[network.numbers.number[row]])
        if duration and solution.work.state[network.numbers.number[row]] != DONE:
            shorter = max(duration - int(day[row]), 0)
            none, less = _earlier(network, solution, target, row, (0, shorter))
            found.append(Drag(row, none, less))
    return sorted(found, key=lambda drag: -drag.minutes)


def _earlier(
    network: CompiledNetwork, solution: Solution, target: int, row: int, durations: Sequence[int]
) -> list[int]:
    """Return by how much the target would be earlier with each of these durations of one activity."""
    number, last = network.numbers.number[row], network.numbers.number[target]
    work, earlier = solution.work, []
    for duration in durations:
        changed = work.duration.copy()
        changed[number] = duration
        try:
            early = network.forward(work._replace(duration=changed))
        except LeftCalendarError as left:
            raise network.left(left) from None
        earlier.append(int(solution.early.finish[last] - early.finish[last]))
    return earlier
