"""Turns seconds into a number of schedules, before a search begins.

The number is part of the result. The same number leads to the same schedule on a machine that is slower; it takes longer
there. The clock is an argument, since nothing in this room reads one.
"""

from __future__ import annotations

from collections.abc import Callable

from steps.schedule.levelling.level import Effort, Search
from steps.schedule.levelling.problem import Problem

TRIED = 40
"""Schedules that are made to see how long one takes."""
ROUNDED_TO = 100


def effort_of(problem: Problem, seconds: float, clock: Callable[[], float], *, seed: int = 1) -> Effort:
    """Return the effort that takes about so many seconds of `clock`, of which the trial itself is a part.

    A clock of processor time, such as `time.process_time`, is not disturbed by other programs.
    """
    began = clock()
    search = Search(problem, Effort(TRIED, seed))
    laid_out = clock()
    search.try_rules()
    search.go_on()
    each = (clock() - laid_out) / max(search.made - 1, 1)
    left = seconds - (clock() - began) - (laid_out - began)
    schedules = TRIED if each <= 0 else int(left / each)
    return Effort(max(schedules // ROUNDED_TO * ROUNDED_TO, TRIED), seed)
