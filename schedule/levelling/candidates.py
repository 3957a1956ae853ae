"""Schedules found earlier: whether one keeps the problem as it is now.

A schedule that was found with fewer crews keeps the limits of more crews. As a candidate it makes sure that more crews are
never later.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.horizon import finishes, worked
from schedule.levelling.problem import NOT_FIXED, Problem
from schedule.levelling.tables import free_levels, take


def keeps(problem: Problem, start: NDArray[np.int64], horizon: int) -> bool:
    """Return whether the starts keep releases, fixed starts, calendars, links and capacities within the horizon."""
    free = problem.fixed == NOT_FIXED
    finish = finishes(problem, start)
    if len(start) != problem.count or finish.max(initial=0) > horizon or (start < 0).any():
        return False
    if (start < problem.release)[free].any() or (start != problem.fixed)[~free].any():
        return False
    return (
        bool(worked(problem, start)[free].all())
        and _links_kept(problem, start, finish)
        and _room(problem, start, horizon)
    )


def _links_kept(problem: Problem, start: NDArray[np.int64], finish: NDArray[np.int64]) -> bool:
    links = problem.links
    after = links.after
    earlier = np.where(links.from_finish, finish[links.before], start[links.before])
    later = np.where(links.to_finish, finish[after], start[after])
    return bool(((later >= earlier + links.gap) | (problem.fixed[after] != NOT_FIXED)).all())


def _room(problem: Problem, start: NDArray[np.int64], horizon: int) -> bool:
    levels = free_levels(problem, horizon)
    take(levels, problem, problem.fixed == NOT_FIXED, start)
    return bool((levels >= 0).all())
