"""Searches for the shortest schedule of a small problem, and proves that none is shorter: CP-SAT of OR-Tools.

On larger problems, and on those whose work is interrupted, CP-SAT is slower than `level.py` by orders of magnitude, and finds no proof. It is handed
windows of them (`window_proofs.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cp_sat.window_proofs import WindowSearch, in_windows
from schedule.errors import InputError
from schedule.levelling.level import Effort, level
from schedule.levelling.problem import CONTINUOUS, NOT_FIXED, Problem
from schedule.levelling.result import Levelled
from schedule.levelling.tables import free_levels, gaps

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

MOST = 300
"""Activities up to which CP-SAT is asked."""


@dataclass(frozen=True)
class Proof:
    """What CP-SAT found out about a levelled schedule."""

    levelled: Levelled
    """Not later than the one before, and with the bound that is proven."""
    windows: WindowSearch | None
    """None where the whole problem was decided."""


def prove(problem: Problem, found: Levelled) -> Proof:
    """Return a schedule that is not later than `found`, and what is proven of it: as a whole where that is possible, else by window."""
    if problem.count <= MOST and not (problem.calendar != CONTINUOUS).any():
        found = proven(problem, found)
    if found.proven:
        return Proof(found, None)
    windows = in_windows(problem, found)
    return Proof(windows.levelled, windows)


def proven(problem: Problem, found: Levelled, *, work: float = 10.0) -> Levelled:
    """Return a schedule that is not later than `found`, with the bound that CP-SAT proved.

    `work` is CP-SAT's deterministic time, about seconds of one core: equal work leads to equal results. Raise InputError for
    more than 300 activities, and for calendars.
    """
    if problem.count > MOST:
        raise InputError(f"a proof is looked for with up to {MOST} activities; this problem has {problem.count}")
    if (problem.calendar != CONTINUOUS).any():
        raise InputError("a proof is not looked for where calendars interrupt work")
    if found.proven or not problem.count:
        return found
    from ortools.sat.python import cp_model

    model, starts = _model(cp_model.CpModel(), problem, found)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = found.seed
    solver.parameters.max_deterministic_time = work
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return found
    bound = max(found.bound, round(solver.best_objective_bound))
    better = np.array([solver.value(start) for start in starts], np.int64)
    if solver.objective_value >= found.length:
        return replace(found, bound=min(bound, found.length))
    pushed = level(problem, Effort(1, found.seed), candidates=[better])
    return replace(pushed, bound=min(bound, pushed.length), method="CP-SAT", schedules=found.schedules)


def _model(
    model: cp_model.CpModel, problem: Problem, found: Levelled
) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Return the model of a problem, of which the schedule that was found is the hint, and its starts."""
    horizon = found.length
    starts = []
    for a in range(problem.count):
        fixed = int(problem.fixed[a])
        low = int(found.unlevelled[a]) if fixed == NOT_FIXED else fixed
        starts.append(model.new_int_var(low, fixed if fixed != NOT_FIXED else horizon, f"s{a}"))
        model.add_hint(starts[a], int(found.start[a]))
    end = model.new_int_var(found.bound, horizon, "end")
    for a, start in enumerate(starts):
        model.add(end >= start + int(problem.duration[a]))
    _add_links(model, problem, starts)
    _add_capacities(model, problem, starts, horizon)
    model.minimize(end)
    return model, starts


def _add_links(model: cp_model.CpModel, problem: Problem, starts: list[cp_model.IntVar]) -> None:
    link_gaps, _ = gaps(problem)
    links = problem.links
    for before, after, gap in zip(links.before.tolist(), links.after.tolist(), link_gaps.tolist(), strict=True):
        if problem.fixed[after] == NOT_FIXED:
            model.add(starts[after] >= starts[before] + gap)


def _add_capacities(model: cp_model.CpModel, problem: Problem, starts: list[cp_model.IntVar], horizon: int) -> None:
    """Limit each resource to the most that is ever free; what is not free in some slots is held by intervals that stay."""
    levels = free_levels(problem, horizon)
    demands = problem.demands
    for resource, level_of in enumerate(levels):
        most = int(level_of.max(initial=0))
        rows = (demands.resource == resource) & (problem.fixed[demands.activity] == NOT_FIXED)
        intervals, amounts = [], []
        for a, amount in zip(demands.activity[rows].tolist(), demands.amount[rows].tolist(), strict=True):
            intervals.append(model.new_fixed_size_interval_var(starts[a], int(problem.duration[a]), f"i{a}r{resource}"))
            amounts.append(amount)
        changes = np.flatnonzero(np.diff(level_of, prepend=-1)).tolist()
        for begin, end in zip(changes, [*changes[1:], horizon], strict=True):
            if level_of[begin] < most:
                intervals.append(model.new_fixed_size_interval_var(begin, end - begin, f"gap{begin}r{resource}"))
                amounts.append(most - int(level_of[begin]))
        if intervals:
            model.add_cumulative(intervals, amounts, most)
