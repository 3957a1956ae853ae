"""Turns seconds into a number of schedules, before a search begins.

The number is part of the result. The same number leads to the same schedule on a machine that is slower; it takes longer
there. The clock is an argument, since nothing in this room reads one.
"""

from __future__ import annotations

from collections.abc import Callable

from schedule.levelling.level import Effort, Search
from schedule.levelling.problem import Problem

FEWEST = 40
"""Schedules that are always made: about what the rules need."""
TRIAL = 20
"""A trial ends when it took this part of the seconds, a twentieth."""


def effort_of(problem: Problem, seconds: float, clock: Callable[[], float], *, seed: int = 1) -> Effort:
    """Return the effort with which trial and search together take about so many seconds of `clock`.

    The trial makes more and more schedules. A clock of processor time, such as `time.process_time`, is not disturbed by other
    programs.
    """
    began = clock()
    schedules, took, each = FEWEST, 0.0, 0.0
    while True:
        before = clock()
        search = Search(problem, Effort(schedules, seed))
        search.try_rules()
        search.go_on()
        trial = clock() - before
        each = (trial - took) / (schedules if took == 0.0 else schedules - schedules // 4)
        took = trial
        if took * TRIAL >= seconds or search.best.length <= search.bound:
            break
        schedules *= 4
    left = seconds - (clock() - began) - took
    more = int(left / each) if each > 0 else 0
    return Effort(max(schedules + more, FEWEST), seed)
