"""Dates move the right way when a site changes, with the crews that it has: more of what helps is never later.

Each lever is pulled at every preset, with everything else held as it is.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from steps.catalog.loader import read_roles
from steps.design.design import design_of_preset
from steps.design.preset import preset_names
from steps.planning.odds.plan_odds import odds_of
from tests.steps.test_plan import planned

pytestmark = pytest.mark.long

PRESETS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in preset_names()]
CREWS, SHIFTS, LEADS, GROWTH = (1, 2, 4, 8, 16, 40), (1, 2, 3), (0.8, 1.0, 1.5), (1.0, 1.5, 2.0)
FACILITIES = ("existing", "shell", "greenfield")


MOST_SAMPLED = 1_500
"""So many activities has the largest plan of which samples are drawn here: of larger ones a lever takes minutes."""
NOISE = timedelta(days=2)
"""Other crews are in another order, so that samples differ by more than what the lever does."""


class Live(NamedTuple):
    """Go-live in the working schedule, and its P50. None of a plan that is too large to be sampled here."""

    working: datetime
    p50: datetime | None


@cache
def live(preset: str, **more: Any) -> Live:
    plan = planned(preset, **{key: dict(value) if isinstance(value, tuple) else value for key, value in more.items()})
    if len(plan.activities) > MOST_SAMPLED:
        return Live(plan.finish, None)
    return Live(plan.finish, odds_of(plan, samples=200).milestones[0].p50.date)


def with_crews(preset: str, crews: int) -> Live:
    return live(preset, crews=tuple(dict.fromkeys(read_roles(), crews).items()))


def with_shifts(preset: str, shifts: int) -> Live:
    return live(preset, shifts=shifts)


def with_nodes(preset: str, times: float) -> Live:
    """Return the finish of a site with so many times the servers, and the crews of the smaller one."""
    design = design_of_preset(preset)
    crews = tuple(dict.fromkeys(read_roles(), design.default_crews).items())
    return live(preset, crews=crews, overrides=(("nodes", round(design.figures["nodes"] * times)),))


def with_leads(preset: str, factor: float) -> Live:
    return live(preset, overrides=(("lead_time_factor", factor),))


def in_facility(preset: str, facility: str) -> Live:
    return live(preset, facility=facility)


LEVERS = {
    "more crews": (with_crews, CREWS[::-1]),
    "more shifts": (with_shifts, SHIFTS[::-1]),
    "fewer servers": (with_nodes, GROWTH),
    "shorter leads": (with_leads, LEADS),
    "more of a building": (in_facility, FACILITIES),
}
"""Each with settings from the one that is earliest."""


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("lever", LEVERS)
def test_more_of_what_helps_is_never_later(preset: str, lever: str) -> None:
    pulled, settings = LEVERS[lever]
    if preset == "localhost" and lever == "fewer servers":
        pytest.skip("one machine has no second server")

    dates = [pulled(preset, setting) for setting in settings]  # type: ignore[operator]  # each lever has settings of its own kind

    said = dict(zip(settings, dates, strict=True))
    assert all(early.working <= late.working for early, late in pairwise(dates)), said
    halves = [one.p50 for one in dates if one.p50 is not None]
    assert all(early <= late + NOISE for early, late in pairwise(halves)), said


@pytest.mark.parametrize("lever", LEVERS)
def test_each_lever_moves_a_date(lever: str) -> None:
    pulled, settings = LEVERS[lever]

    dates = [pulled("h100-10k", setting) for setting in settings]  # type: ignore[operator]  # as above

    assert dates[0].working < dates[-1].working
