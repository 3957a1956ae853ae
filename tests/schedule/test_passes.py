"""Dates of random networks: as the rules say when they are played minute by minute, and the same with numpy and numba."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from steps.schedule.cpm.compiled import compile_network
from steps.schedule.cpm.engines import Engine, numba_engine, numpy_engine
from tests.schedule.minutes import Player
from tests.schedule.networks import SPAN, Case, Drawn, random_case

NO_NUMBA = "not installed: numba"
COLUMNS = (
    "start",
    "finish",
    "remaining_start",
    "late_start",
    "late_finish",
    "total_float",
    "free_float",
)
EVERYTHING = Drawn(calendars=4)


def differences(case: Case, engine: Engine) -> list[str]:
    """Return where the dates differ from those that are played."""
    solution = compile_network(case.activities, case.links, case.calendars, engine=engine).solve(actuals=case.actuals)
    played = Player(case.activities, case.links, case.calendars, SPAN, case.actuals).play()
    return [
        f"{name}: {getattr(solution, name).tolist()} played {getattr(played, name)}"
        for name in COLUMNS
        if getattr(solution, name).tolist() != getattr(played, name)
    ]


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_dates_are_those_of_the_rules_played_minute_by_minute(first: int) -> None:
    """All link types, lags and leads on any calendar, constraints, progress, retained logic and override."""
    engine = numpy_engine()

    wrong = {seed: differences(random_case(seed, EVERYTHING), engine) for seed in range(first, first + 50)}

    assert {seed: found for seed, found in wrong.items() if found} == {}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 250))
def test_dates_of_2000_networks_are_those_of_the_rules(first: int) -> None:
    """The same, for as many networks as the issue asks for twice."""
    engine = numpy_engine()

    wrong = {seed: differences(random_case(seed, EVERYTHING), engine) for seed in range(first, first + 250)}

    assert {seed: found for seed, found in wrong.items() if found} == {}
