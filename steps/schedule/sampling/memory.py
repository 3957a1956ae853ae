"""Lays a problem out over a horizon: what all samples have in common, and the memory of each thread."""

from __future__ import annotations

import numpy as np

from steps.schedule.levelling.compiled import native, numbers
from steps.schedule.levelling.horizon import finishes
from steps.schedule.levelling.problem import NOT_FIXED, Problem
from steps.schedule.levelling.serial import room_for
from steps.schedule.levelling.tables import lay_out
from steps.schedule.sampling.chains import crews_of
from steps.schedule.sampling.lanes import Memory, Site
from steps.schedule.sampling.placing import NOWHERE, Hours, Placed


def site_for(problem: Problem, horizon: int) -> Site:
    """Return what all samples of a problem have in common, over `horizon` slots."""
    links = problem.links
    tables = lay_out(problem, horizon).forward
    ends = links.from_finish + 2 * links.to_finish
    tables = tables._replace(link_gap=native(links.gap), link_ends=native(ends))
    return Site(tables, _hours(problem, horizon), crews_of(problem, horizon))


def _hours(problem: Problem, horizon: int) -> Hours:
    opened = [np.ones(horizon, np.int64), *(np.asarray(slots[:horizon], np.int64) for slots in problem.calendars)]
    before = [np.concatenate([[0], np.cumsum(slots)]) for slots in opened]
    slot = np.zeros((len(opened), horizon), np.int64)
    for number, slots in enumerate(opened):
        places = np.flatnonzero(slots)
        slot[number, : len(places)] = places
    opens = np.array([slots.sum() for slots in opened], np.int64)
    return Hours(native(opens), native(np.concatenate(before)), native(slot.ravel()))


def memory_for(problem: Problem, site: Site, chains: int) -> Memory:
    """Return the memory of one thread, for the chains of so many targets. What is fixed is in its place, for all samples."""
    count = problem.count
    fixed = problem.fixed != NOT_FIXED
    start = np.where(fixed, problem.fixed, 0)
    finish = np.where(fixed, finishes(problem, start), 0)
    placed = Placed(native(start), native(finish), numbers(count, NOWHERE))
    tables = site.tables._replace(duration=numbers(count, 0))
    return Memory(tables, room_for(tables), placed, numbers(chains * count, 0))
