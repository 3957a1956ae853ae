"""Dates move the right way when a site changes, with the crews that it has: more of what helps is never later.

Each lever is pulled at every preset, with everything else held as it is.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from steps.catalog.loader import read_roles
from steps.design.design import design_of_preset
from steps.design.preset import preset_names
from tests.steps.test_plan import planned

pytestmark = pytest.mark.fleet

PRESETS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in preset_names()]
CREWS, SHIFTS, LEADS, GROWTH = (1, 2, 4, 8, 16, 40), (1, 2, 3), (0.8, 1.0, 1.5), (1.0, 1.5, 2.0)
FACILITIES = ("existing", "shell", "greenfield")


@cache
def finish(preset: str, **more: Any) -> datetime:
    return planned(
        preset, **{key: dict(value) if isinstance(value, tuple) else value for key, value in more.items()}
    ).finish


def with_crews(preset: str, crews: int) -> datetime:
    return finish(preset, crews=tuple(dict.fromkeys(read_roles(), crews).items()))


def with_shifts(preset: str, shifts: int) -> datetime:
    return finish(preset, shifts=shifts)


def with_nodes(preset: str, times: float) -> datetime:
    """Return the finish of a site with so many times the servers, and the crews of the smaller one."""
    design = design_of_preset(preset)
    crews = tuple(dict.fromkeys(read_roles(), design.default_crews).items())
    return finish(preset, crews=crews, overrides=(("nodes", round(design.figures["nodes"] * times)),))


def with_leads(preset: str, factor: float) -> datetime:
    return finish(preset, overrides=(("lead_time_factor", factor),))


def in_facility(preset: str, facility: str) -> datetime:
    return finish(preset, facility=facility)


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

    assert all(early <= late for early, late in pairwise(dates)), dict(zip(settings, dates, strict=True))


@pytest.mark.parametrize("lever", LEVERS)
def test_each_lever_moves_a_date(lever: str) -> None:
    pulled, settings = LEVERS[lever]

    dates = [pulled("h100-10k", setting) for setting in settings]  # type: ignore[operator]  # as above

    assert dates[0] < dates[-1]
