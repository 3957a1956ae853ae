"""The fourteen points beside longpath, which checks them too, on networks of all link types, lags, calendars and progress."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from benchmarks.quality import DAYS
from benchmarks.schedule import layered
from schedule.cpm.columns import NONE, Actuals
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import Minutes
from schedule.quality.assessing import assess
from schedule.quality.check import Check, Verdict
from schedule.quality.subject import Known
from tests.schedule.judges import MONDAY, longpath_project
from tests.schedule.networks import Case

VERDICTS = {"pass": Verdict.PASS, "fail": Verdict.FAIL, "n/a": Verdict.NOT_APPLICABLE}


FLOATS = {6, 7}
INDICES = {12, 13}
"""12 may delay another activity than longpath does, 13 counts on another calendar."""


def hard_case(seed: int, *, types: bool) -> tuple[Case, Minutes]:
    """Return a network that fails most points, a part of it done, and the finishes of its baseline."""
    case = layered(600, seed)
    random = np.random.default_rng(seed)
    number = len(case.activities)
    long = random.random(number) < 0.02
    duration = np.where(long, 50 * DAYS[case.activities.calendar], case.activities.duration)
    activities = replace(case.activities, duration=duration if types else np.maximum(duration, 60))
    leads = random.random(len(case.links)) < 0.03
    links = replace(case.links, type=case.links.type * 0)
    if types:
        links = replace(case.links, lag=np.where(leads, -60, case.links.lag))
    planned = compile_network(activities, links, case.calendars).solve()
    no_later = np.where(random.random(number) < 0.08, planned.finish - 600, NONE)
    today = 20_000
    started = np.where(planned.start < today, planned.start, NONE)
    finished = np.where(planned.finish < today, planned.finish, NONE)
    actuals = Actuals(today, started, finished)
    return Case(replace(activities, no_later=no_later), links, case.calendars, actuals), planned.finish - 480


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("types", "left_out"), [(False, INDICES), (True, INDICES | FLOATS)])
def test_the_points_are_those_of_longpath(seed: int, types: bool, left_out: set[int]) -> None:
    """With leads, milestones and all types of links on several calendars its late dates are others.

    docs/evidence/schedule-judges.md has each of these differences.
    """
    if find_spec("longpath") is None:
        pytest.skip("not installed: longpath")
    case, baseline = hard_case(seed, types=types)
    network = compile_network(case.activities, case.links, case.calendars)
    loaded = np.arange(len(case.activities)) % 3 > 0

    solution = network.solve(actuals=case.actuals)
    ours = assess(network, solution, Known(DAYS, loaded=loaded, baseline=baseline)).checks[:14]
    theirs = judged_by_longpath(case, baseline, loaded)

    for number, (check, judge) in enumerate(zip(ours, theirs, strict=True), 1):
        if number not in left_out:
            assert answer(check) == (judge.denominator, len(judge.rows), VERDICTS[judge.result]), judge.title


def answer(check: Check) -> tuple[int, int, Verdict]:
    """Return among how many was looked, how many offend, and the verdict."""
    return check.of, check.found, check.verdict


def judged_by_longpath(case: Case, baseline: Minutes, loaded: Any) -> list[Any]:
    """Return the points as longpath has them."""
    from longpath import checks, cpm, model

    project, calendars, options = longpath_project(case, "predecessor")
    rows = np.flatnonzero(loaded).tolist()
    project.assignments = [model.Assignment(str(row), "crew") for row in rows]
    finishes = {str(row): (None, MONDAY + timedelta(minutes=minute)) for row, minute in enumerate(baseline.tolist())}
    schedule = model.Schedule("x", "xer", {"1": project}, calendars)
    found: list[Any] = checks.dcma(checks.Ctx(schedule, project, cpm.run(project, calendars, options), finishes))
    return found
