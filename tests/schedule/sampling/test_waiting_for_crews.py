"""What crews do in a sample: who drives, what goes on while something waits, and work that runs already."""

from __future__ import annotations

import numpy as np
import pytest

from schedule.cpm.columns import NONE, Activities, Actuals, Links
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import continuous
from schedule.levelling.problem import Capacity
from schedule.risk.drivers import RiskDriver
from schedule.risk.model import risk_model
from schedule.risk.running import RiskResult
from schedule.risk.spreads import Family, Spread, fixed
from schedule.sampling.running import levelled_samples
from tests.schedule.sampling.sites import Site, site_of

ONE_CREW = (Capacity.constant(1),)


def network(minutes: dict[str, int], links: list[tuple[str, str]]) -> CompiledNetwork:
    """Return activities around the clock and finish-to-start links."""
    names = list(minutes)
    before, after = (np.array([names.index(link[end]) for link in links], np.int32) for end in (0, 1))
    nothing = np.zeros(len(links), np.int32)
    activities = Activities(names, np.array(list(minutes.values())), np.zeros(len(names), np.int32))
    return compile_network(
        activities,
        Links(before, after, nothing.astype(np.uint8), nothing.astype(np.int64), nothing),
        [continuous()],
    )


def drawn(one: Site, late: str, *, order: tuple[str, ...]) -> tuple[dict[str, np.ndarray], RiskResult]:
    """Return finishes by name if an activity takes ten times as long in half of the samples, and the result."""
    names = list(one.network.activities.names)
    minutes = np.array(one.network.activities.duration)
    driver = RiskDriver("late", 0.5, Spread(10, 10, 10, Family.FIXED), np.array([names.index(late)]))
    model = risk_model(one.network, fixed(minutes), drivers=[driver])
    start = np.array([order.index(names[row]) if names[row] in order else 0 for row in one.slotted.row])
    found = levelled_samples(model, one.slotted, start, range(len(names)), seed=1, samples=200, chains=True)
    return dict(zip(names, found.samples, strict=True)), found


def test_the_chain_goes_to_the_activity_that_released_the_crew() -> None:
    """`rack` has the crew first. Where the delivery is late, the end waits for it; elsewhere for the crew's second work."""
    one = site_of(
        network({"rack": 60, "cable": 30, "delivery": 15, "end": 0}, [("cable", "end"), ("delivery", "end")]),
        [(0, 0, 1), (1, 0, 1)],
        ONE_CREW,
        "certain",
    )

    finish, result = drawn(one, "delivery", order=("rack", "cable"))

    late = finish["delivery"] == 150
    assert 60 < late.sum() < 140
    assert set(finish["end"][~late]) == {90}
    assert set(finish["end"][late]) == {150}
    assert result.on_chain is not None
    assert result.on_chain[3].tolist() == [200 - late.sum(), 200 - late.sum(), late.sum(), 200]


def test_the_chain_goes_to_the_first_of_several_that_release_a_crew() -> None:
    """Of two crews the one that racks is free first."""
    one = site_of(
        network({"earth": 120, "rack": 60, "cable": 90, "delivery": 15, "end": 0}, [("cable", "end")]),
        [(0, 0, 1), (1, 0, 1), (2, 0, 1)],
        (Capacity.constant(2),),
        "certain",
    )

    finish, result = drawn(one, "delivery", order=("earth", "rack", "cable"))

    assert set(finish["end"]) == {150}
    assert result.on_chain is not None
    assert result.on_chain[4].tolist() == [0, 200, 200, 0, 200]


def test_a_crew_goes_on_with_other_work_while_a_delivery_is_late() -> None:
    """In the plan the crew racks at 60 and cables after it; where the racks are late, it cables first."""
    one = site_of(
        network({"racks": 60, "cables": 75, "rack": 30, "cable": 30}, [("racks", "rack"), ("cables", "cable")]),
        [(2, 0, 1), (3, 0, 1)],
        ONE_CREW,
        "certain",
    )

    finish, _ = drawn(one, "racks", order=("rack", "cable"))

    late = finish["racks"] == 600
    assert set(zip(finish["rack"][~late].tolist(), finish["cable"][~late].tolist(), strict=True)) == {(90, 120)}
    assert set(zip(finish["rack"][late].tolist(), finish["cable"][late].tolist(), strict=True)) == {(630, 105)}


def test_running_work_goes_on_with_more_crews_than_there_are() -> None:
    """Four activities run with one crew. None waits; what has not begun waits for all, and another crew for nobody."""
    minutes = {"rack": 90, "lift": 90, "earth": 90, "cable": 120, "label": 15, "test": 30}
    running = 4
    begun = Actuals(60, np.array([0] * running + [NONE] * 2), np.full(6, NONE), np.array([30, 30, 30, 60, NONE, NONE]))
    held = [(row, 0, 1) for row in range(running + 1)] + [(5, 1, 1)]
    one = site_of(network(minutes, []), held, ONE_CREW * 2, "certain", actuals=begun)
    driver = RiskDriver("late", 0.5, Spread(2, 2, 2, Family.FIXED), np.array([3]))
    model = risk_model(one.network, fixed(np.array([30, 30, 30, 60, 15, 30])), drivers=[driver], actuals=begun)

    found = levelled_samples(model, one.slotted, one.plan.start, range(6), seed=1, samples=50).samples

    assert {tuple(sample) for sample in found.T.tolist()} == {(90, 90, 90, 120, 135, 90), (90, 90, 90, 180, 195, 90)}


def test_what_is_done_keeps_its_finish() -> None:
    done = Actuals(600, np.array([0, NONE]), np.array([47, NONE]))
    one = site_of(
        network({"rack": 60, "cable": 30}, [("rack", "cable")]),
        [(0, 0, 1), (1, 0, 1)],
        ONE_CREW,
        "certain",
        actuals=done,
    )

    found = levelled_samples(one.model, one.slotted, one.plan.start, [0, 1], seed=1, samples=2).samples

    assert found.tolist() == [[47, 47], [630, 630]]


@pytest.mark.parametrize("crews", [1, 2])
def test_chains_need_not_be_counted(crews: int) -> None:
    one = site_of(network({"rack": 60}, []), [(0, 0, 1)], (Capacity.constant(crews),), "certain")

    assert levelled_samples(one.model, one.slotted, one.plan.start, [0], seed=1, samples=2).on_chain is None
