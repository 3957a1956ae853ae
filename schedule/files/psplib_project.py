"""A project of PSPLIB as any other: jobs are activities, a period is a slot of levelling, and nothing has a date."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schedule.cpm.columns import Activities, Links, Tie
from schedule.cpm.shifts import continuous
from schedule.crews.slots import SLOT
from schedule.errors import Place
from schedule.files.project import Demand, Project, Timeline
from schedule.levelling.psplib_file import read_sm


def read_psplib_project(path: Path) -> Project:
    """Return the project of a `.sm` file. Activities are in the order of the levelling problem, named by their jobs."""
    found = read_sm(path)
    problem = found.problem
    number, links = problem.count, problem.links
    nothing = np.zeros(len(links.before), np.int64)
    demands = zip(problem.demands.activity, problem.demands.resource, problem.demands.amount, strict=True)
    return Project(
        Place(str(path)),
        Timeline(None),
        Activities([str(job) for job in found.jobs], problem.duration * SLOT, np.zeros(number, np.int32)),
        [""] * number,
        Links(
            links.before.astype(np.int32),
            links.after.astype(np.int32),
            np.full(len(links.before), Tie.FS, np.uint8),
            nothing,
            nothing.astype(np.int32),
        ),
        (continuous("periods"),),
        np.array([SLOT]),
        0,
        resources=tuple(f"R {resource}" for resource in range(1, len(problem.capacities) + 1)),
        capacities=problem.capacities,
        demands=tuple(Demand(int(row), int(resource), int(amount)) for row, resource, amount in demands),
    )
