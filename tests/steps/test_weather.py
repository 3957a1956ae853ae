"""Weather: it slows outdoor work and nothing else, and all of it together."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from schedule.errors import InputError
from schedule.risk.draws import durations_of, multipliers_of
from steps.planning.dates.dating import network_of
from steps.planning.odds.plan_odds import odds_of
from steps.planning.odds.uncertainty import uncertainty
from steps.planning.plan import Plan
from tests.steps.test_crewed_plan import certain
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")


def in_weather(made: Plan, low: float, likely: float, high: float) -> Plan:
    """Return a plan in which nothing is uncertain but the weather."""
    lost = {"weather_lost_low": low, "weather_lost_likely": likely, "weather_lost_high": high}
    return certain(made).model_copy(update={"figures": lost})


@cache
def greenfield() -> Plan:
    return plan("h100-10k", "greenfield", 600)


def durations(made: Plan) -> dict[str, NDArray[np.int64]]:
    """Return the minutes of each activity in 128 samples."""
    network = network_of(made)
    model = uncertainty(made, network, network.solve())
    drawn = durations_of(model, 1, 0)
    return dict(zip(network.activities.names, drawn[network.numbers.number], strict=True))


def test_a_fifth_of_the_days_lost_makes_outdoor_work_a_quarter_longer_and_other_work_no_longer() -> None:
    """What is half outdoors is an eighth longer: four days in five are worked, so five pass for four."""
    outdoors = {one.id: one.outdoors for one in greenfield().activities if one.outdoors}

    dry, wet = (durations(in_weather(greenfield(), lost, lost, lost)) for lost in (0.0, 0.2))

    assert {name.partition("@")[0] for name in outdoors} >= {"H28", "076", "077", "H12", "080", "115", "H65"}
    assert {name for name in dry if (dry[name] != wet[name]).any()} == set(outdoors)
    for name, share in outdoors.items():
        assert wet[name] / dry[name] == pytest.approx(1 + share / 4, abs=0.001), name


def test_all_that_is_outdoors_in_one_quarter_has_the_same_weather_and_the_next_quarter_another() -> None:
    made = in_weather(greenfield(), 0.02, 0.1, 0.3)
    network = network_of(made)
    model = uncertainty(made, network, network.solve())
    multipliers = np.concatenate([multipliers_of(model, 1, group) for group in range(8)], axis=1)
    drawn = dict(zip(model.drivers, multipliers, strict=True))
    quarters: dict[str, list[NDArray[np.float64]]] = {}
    for name, multiplier in drawn.items():
        if not name.startswith("weather"):
            continue
        quarters.setdefault(name.rpartition(" in ")[2], []).append(multiplier)

    assert len(quarters) > 2
    assert max(len(own) for own in quarters.values()) > 1
    for own in quarters.values():
        assert all(np.corrcoef(own[0], other)[0, 1] > 0.99 for other in own)
    firsts = [own[0] for own in quarters.values()]
    assert all(abs(np.corrcoef(firsts[0], other)[0, 1]) < 0.15 for other in firsts[1:])


def test_a_longer_season_of_rain_moves_go_live_of_a_site_that_is_built() -> None:
    dry, wet = (odds_of(in_weather(greenfield(), lost, lost, lost), samples=40).milestones[0] for lost in (0.0, 0.5))

    assert dry.p50.date == dry.p80.date
    assert wet.p50.date > dry.p50.date


def test_a_hall_in_service_has_no_weather() -> None:
    made = plan("superpod-1su")
    stormy = made.model_copy(update={"figures": made.figures | {"weather_lost_likely": 0.5, "weather_lost_high": 0.9}})

    assert not any(one.outdoors for one in made.activities)
    assert odds_of(stormy, samples=40) == odds_of(made, samples=40)


def test_weather_that_takes_every_day_is_refused() -> None:
    made = in_weather(greenfield(), 0.1, 0.5, 1.0)
    network = network_of(made)

    with pytest.raises(InputError, match="weather_lost_high is 1"):
        uncertainty(made, network, network.solve())
