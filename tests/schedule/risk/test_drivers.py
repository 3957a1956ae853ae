"""Drivers and events: how often, how much, on what, and what switching one off does to the others."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from schedule.cpm.columns import Activities, Actuals
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import continuous
from schedule.errors import InputError
from schedule.risk.drivers import RiskDriver, RiskEvent, dead_on_arrival, more_dead_than, repeats
from schedule.risk.model import RiskModel, risk_model
from schedule.risk.running import run
from schedule.risk.spreads import Family, Spread, fixed, of_spreads
from schedule.risk.tornado import tornado
from tests.schedule.risk.models import no_links

SAMPLES = 20_000
ALWAYS_DOUBLE = Spread(2, 2, 2, Family.FIXED)
CERTAIN = fixed(np.array([1000, 500]))


def pair(names: tuple[str, str] = ("deliver", "install")) -> CompiledNetwork:
    """Return two activities without a link, so that each finish is a duration."""
    activities = Activities(list(names), np.array([1000, 500]), np.zeros(2, np.int32))
    return compile_network(activities, no_links(), [continuous()])


def durations(model: RiskModel, samples: int = SAMPLES) -> np.ndarray:
    return run(model, [0, 1], seed=11, samples=samples, chains=False).samples


def test_a_driver_multiplies_all_its_activities_in_the_same_samples() -> None:
    driver = RiskDriver("supplier", 0.25, ALWAYS_DOUBLE, np.array([0, 1]))

    first, second = durations(risk_model(pair(), CERTAIN, drivers=[driver]))

    assert set(first) == {1000, 2000}
    assert ((first == 2000) == (second == 1000)).all()
    assert (first == 2000).mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / SAMPLES))


def test_a_shared_driver_correlates_and_two_drivers_do_not() -> None:
    spread = Spread(0.5, 1, 2)
    shared = [RiskDriver("weather", 1, spread, np.array([0, 1]))]
    apart = [RiskDriver("weather", 1, spread, np.array([0])), RiskDriver("crew", 1, spread, np.array([1]))]

    together, separate = (
        np.corrcoef(durations(risk_model(pair(), CERTAIN, drivers=drivers)))[0, 1] for drivers in (shared, apart)
    )

    assert together > 0.999
    assert abs(separate) < 4 / np.sqrt(SAMPLES)


def test_drivers_that_meet_multiply_each_other() -> None:
    drivers = [
        RiskDriver("a", 1, ALWAYS_DOUBLE, np.array([0])),
        RiskDriver("b", 1, Spread(1.5, 1.5, 1.5), np.array([0])),
    ]

    first, second = durations(risk_model(pair(), CERTAIN, drivers=drivers), 10)

    assert set(first) == {3000}
    assert set(second) == {500}


def test_an_event_repeats_as_often_as_its_chances_say() -> None:
    """Geometric with a cap: 0.4 fail once or more, 0.16 twice or more, never a fourth time. No driver multiplies it."""
    event = RiskEvent("factory test", repeats(0.4, 3), Spread(10, 10, 10), np.array([0, 1]))
    doubled = RiskDriver("supplier", 1, ALWAYS_DOUBLE, np.array([0]))

    first, second = durations(risk_model(pair(), CERTAIN, drivers=[doubled], events=[event]))

    failures = (first - 2000) // 10
    for count, chance in ((1, 0.4), (2, 0.16), (3, 0.064), (4, 0.0)):
        assert (failures >= count).mean() == pytest.approx(chance, abs=4 * np.sqrt(chance / SAMPLES) + 1e-9)
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(SAMPLES)


def test_each_occurrence_has_a_duration_of_its_own() -> None:
    """Two draws of 0 to 100 have the variance of a sum: half of that of one draw doubled."""
    event = RiskEvent("burn-in again", (1, 1), Spread(0, 50, 100), np.array([0]))

    extra = durations(risk_model(pair(), CERTAIN, events=[event]))[0] - 1000

    assert extra.var() == pytest.approx(2 * 100**2 / 24, rel=0.05)


def test_chances_of_dead_parts_are_binomial() -> None:
    chances = dead_on_arrival(0.02, 72, 5)

    exactly_one = comb(72, 1) * 0.02 * 0.98**71
    assert chances[0] == pytest.approx(1 - 0.98**72)
    assert chances[1] == pytest.approx(1 - 0.98**72 - exactly_one)
    assert len(chances) == 5


@pytest.mark.parametrize("spares", [0, 1, 4])
def test_more_dead_parts_than_spares_is_the_tail_of_the_same_binomial(spares: int) -> None:
    assert more_dead_than(0.02, 72, spares) == pytest.approx(dead_on_arrival(0.02, 72, 5)[spares])


def test_the_shelf_of_a_large_site_is_half_empty_half_of_the_time() -> None:
    """A hundred thousand parts: their binomial coefficients are no floating-point numbers."""
    assert more_dead_than(0.02, 100_000, 2_000) == pytest.approx(0.5, abs=0.01)
    assert more_dead_than(0.02, 100_000, 2_200) < 1e-4


@pytest.mark.parametrize(("share", "spares", "chance"), [(0.0, 0, 0.0), (1.0, 71, 1.0), (1.0, 72, 0.0), (0.5, 99, 0.0)])
def test_no_part_or_every_part_is_dead(share: float, spares: int, chance: float) -> None:
    assert more_dead_than(share, 72, spares) == chance


def test_switching_one_off_leaves_all_other_draws_as_they_are() -> None:
    """Also where the names or the number of other activities, drivers and events change."""
    spread = of_spreads([Spread(800, 1000, 1600), Spread(400, 500, 900)])
    supplier = RiskDriver("supplier", 0.5, Spread(1.1, 1.2, 1.5), np.array([0, 1]))
    weather = RiskDriver("weather", 0.5, Spread(1.1, 1.2, 1.5), np.array([0]))
    event = RiskEvent("test", (0.5,), Spread(10, 20, 30), np.array([0]))
    network = pair()
    everything = risk_model(network, spread, drivers=[supplier, weather], events=[event])

    off = durations(everything.without("weather", "test"), 500)
    never = durations(risk_model(network, spread, drivers=[supplier]), 500)
    other = durations(risk_model(pair(("order", "install")), spread, drivers=[supplier]), 500)

    assert (off == never).all()
    assert (other[1] == never[1]).all()
    assert not (other[0] == never[0]).all()


def test_what_is_done_has_no_risk_and_what_runs_has_that_of_the_rest() -> None:
    none = int(np.iinfo(np.int64).min)
    actuals = Actuals(300, np.array([0, 100]), np.array([250, none]))
    driver = RiskDriver("supplier", 1, ALWAYS_DOUBLE, np.array([0, 1]))
    event = RiskEvent("test", (1,), Spread(7, 7, 7), np.array([0, 1]))

    first, second = durations(
        risk_model(pair(), fixed(np.array([1000, 200])), drivers=[driver], events=[event], actuals=actuals), 5
    )

    assert set(first) == {250}
    assert set(second) == {300 + 2 * 200 + 7}


def test_the_tornado_says_what_each_cause_does() -> None:
    """The largest first; one that applies to what drives nothing has no bar length."""
    drivers = [
        RiskDriver("small", 1, Spread(1.1, 1.1, 1.1), np.array([0])),
        RiskDriver("large", 1, Spread(1.5, 1.5, 1.5), np.array([0])),
        RiskDriver("elsewhere", 1, ALWAYS_DOUBLE, np.array([1])),
    ]
    event = RiskEvent("test", (1,), Spread(40, 40, 40), np.array([0]))

    bars = tornado(risk_model(pair(), CERTAIN, drivers=drivers, events=[event]), 0, seed=1, samples=200)

    assert [(bar.name, bar.mean, bar.at_level, bar.standard_error) for bar in bars] == [
        ("large", 550, 550, 0),
        ("small", 150, 150, 0),
        ("test", 40, 40, 0),
        ("elsewhere", 0, 0, 0),
    ]


def test_a_driver_that_applies_to_nothing_and_one_that_names_an_activity_twice() -> None:
    drivers = [
        RiskDriver("nothing", 1, ALWAYS_DOUBLE, np.array([], np.int64)),
        RiskDriver("twice", 1, ALWAYS_DOUBLE, np.array([1, 1])),
    ]

    first, second = durations(risk_model(pair(), CERTAIN, drivers=drivers), 5)

    assert (set(first), set(second)) == ({1000}, {1000})


ONE = np.array([0])


@pytest.mark.parametrize(
    ("drivers", "events", "message"),
    [
        ([RiskDriver("a", 1.2, ALWAYS_DOUBLE, ONE)], [], "driver 'a' has the probability 1.2"),
        ([RiskDriver("a", float("nan"), ALWAYS_DOUBLE, ONE)], [], "driver 'a' has the probability nan"),
        ([RiskDriver("a", 1, ALWAYS_DOUBLE, np.array([2]))], [], "driver 'a' names activity 2; there are 2"),
        ([RiskDriver("a", 1, ALWAYS_DOUBLE, ONE)] * 2, [], "two drivers have the name 'a'"),
        ([RiskDriver("a", 1, Spread(2, 1, 3), ONE)], [], "multiplier of driver 'a' has points out of order: 2, 1, 3"),
        ([], [RiskEvent("e", (), ALWAYS_DOUBLE, ONE)], "event 'e' has 0 chances"),
        ([], [RiskEvent("e", (0.2, 0.3), ALWAYS_DOUBLE, ONE)], "event 'e' has chances that rise"),
        ([], [RiskEvent("e", (-0.2,), ALWAYS_DOUBLE, ONE)], "event 'e' has the probability -0.2"),
        ([], [RiskEvent("e", (0.2,), Spread(3, 2, 1), ONE)], "extra work of event 'e' has points out of order"),
        (
            [RiskDriver("a", 1, ALWAYS_DOUBLE, ONE)],
            [RiskEvent("a", (1,), ALWAYS_DOUBLE, ONE)],
            "a driver and an event have the name 'a'",
        ),
    ],
)
def test_bad_drivers_and_events_are_refused_by_name(
    drivers: list[RiskDriver], events: list[RiskEvent], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        risk_model(pair(), CERTAIN, drivers=drivers, events=events)

    assert message in str(refused.value)


def test_an_unknown_driver_is_refused_with_those_that_exist() -> None:
    model = risk_model(pair(), CERTAIN, drivers=[RiskDriver("weather", 1, ALWAYS_DOUBLE, ONE)])

    with pytest.raises(InputError, match="there is no driver, event or response 'wether'\n  there are: weather"):
        model.without("wether")


def test_estimates_of_another_network_are_refused() -> None:
    with pytest.raises(InputError, match="2 activities have 1 estimates"):
        risk_model(pair(), fixed(np.array([1])))
