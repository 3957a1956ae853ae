"""Samples with crews: the draws of unlimited crews, each placed as a minute-by-minute player places it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedule.cpm.wiring import DONE
from schedule.crews.slots import SLOT
from schedule.errors import InputError
from schedule.levelling.problem import Capacity
from schedule.risk.draws import durations_of
from schedule.risk.running import RiskResult, run
from schedule.sampling.running import levelled_samples
from tests.schedule.networks import TYPES, Drawn
from tests.schedule.sampling.player import Player
from tests.schedule.sampling.sites import NEVER_BINDS, SCARCE, WHOLE_SLOTS, Site, random_site

FROM_NOTHING = replace(WHOLE_SLOTS, progress="none")
ALL_TYPES = replace(FROM_NOTHING, types=TYPES)
SEEDS = range(25)


def samples(of: Site, *, number: int = 40, seed: int = 5, threads: int = 1, chains: bool = False) -> RiskResult:
    rows = range(len(of.network.activities))
    return levelled_samples(
        of.model, of.slotted, of.plan.start, rows, seed=seed, samples=number, threads=threads, chains=chains
    )


def unlimited(of: Site, *, number: int = 40, seed: int = 5) -> RiskResult:
    return run(of.model, range(len(of.network.activities)), seed=seed, samples=number)


@pytest.mark.parametrize(
    ("drawn", "is_continuous"),
    [
        pytest.param(FROM_NOTHING, False, id="calendars"),
        pytest.param(WHOLE_SLOTS, False, id="calendars and progress"),
        pytest.param(replace(ALL_TYPES, leads=True), True, id="all types and leads around the clock"),
    ],
)
def test_where_crews_never_bind_finishes_are_those_with_unlimited_crews(drawn: Drawn, is_continuous: bool) -> None:
    """To the minute, for every activity, sample by sample: durations, drivers and events are drawn in whole slots."""
    wrong = []
    for seed in SEEDS:
        one = random_site(seed, drawn, NEVER_BINDS, "whole slots", is_continuous=is_continuous)
        if (samples(one).samples != unlimited(one).samples).any():
            wrong.append(seed)

    assert wrong == []


def test_where_crews_never_bind_the_same_activities_drive() -> None:
    """Lags aside: they come after other links, so that of links that allow the same start another may be the first."""
    wrong = []
    for seed in SEEDS:
        one = random_site(seed, replace(FROM_NOTHING, lags=False), NEVER_BINDS, "whole slots")
        ours, theirs = samples(one, chains=True), unlimited(one)
        if (ours.criticality != theirs.criticality).any():
            wrong.append(seed)

    assert wrong == []


def test_durations_that_are_no_whole_slots_are_rounded_up() -> None:
    """Each activity of a chain adds less than a slot."""
    late = []
    for seed in SEEDS:
        drawn = replace(FROM_NOTHING, constraints=False)
        one = random_site(seed, drawn, NEVER_BINDS, "minutes", is_continuous=True)
        late.append(samples(one).samples - unlimited(one).samples)

    for each in late:
        assert each.min() >= 0
        assert each.max() < SLOT * len(each)
    assert max(each.max() for each in late) > 0


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [FROM_NOTHING, ALL_TYPES], ids=["two types", "all types"])
def test_samples_are_those_of_a_player_that_goes_minute_by_minute(drawn: Drawn) -> None:
    """Calendars, lags, scarce crews, capacities that change, durations that are rounded."""
    wrong = []
    for seed in range(10):
        one = random_site(seed, drawn, SCARCE, "minutes")
        number = one.network.numbers.number
        minutes = durations_of(one.model, 5, 0)[number]
        player = Player(one)
        played = [player.play(minutes[:, sample].tolist()) for sample in range(3)]
        if samples(one, number=3).samples.T.tolist() != played:
            wrong.append(seed)

    assert wrong == []


def test_no_sample_is_earlier_than_with_unlimited_crews() -> None:
    waited = 0
    for seed in SEEDS:
        one = random_site(seed, FROM_NOTHING, SCARCE, "minutes")
        late = samples(one).samples - unlimited(one).samples
        assert late.min() >= 0, seed
        waited += int((late > 20 * SLOT).any())

    assert waited > 10


def test_two_threads_have_the_bits_of_one() -> None:
    """Three groups of samples, the last one not full; finishes and chains."""
    for seed in range(5):
        one = random_site(seed, WHOLE_SLOTS, SCARCE, "minutes")

        single, double = (samples(one, number=300, threads=threads, chains=True) for threads in (1, 2))

        assert (single.samples == double.samples).all()
        assert (single.criticality == double.criticality).all()


def test_a_longer_run_begins_with_the_shorter_one() -> None:
    one = random_site(3, FROM_NOTHING, SCARCE, "minutes")

    short, long = samples(one, number=70), samples(one, number=300)

    assert (long.samples[:, :70] == short.samples).all()


def test_a_horizon_that_is_too_short_is_made_longer_and_changes_nothing() -> None:
    """The levelled plan fits just so, and the samples take up to twice as long; chains are not counted twice."""
    long = random_site(3, FROM_NOTHING, SCARCE, "minutes")
    problem = long.slotted.problem
    just = int(long.plan.start.max()) + 200
    short = replace(problem, calendars=tuple(opened[:just] for opened in problem.calendars))
    cramped = replace(long, slotted=replace(long.slotted, problem=short))

    expected, found = samples(long, chains=True), samples(cramped, chains=True)

    assert expected.samples.max() > just * SLOT
    assert (found.samples == expected.samples).all()
    assert (found.criticality == expected.criticality).all()


def test_what_outlasts_the_calendars_is_named() -> None:
    """The calendars of the network end after two years; of the first resource there is nothing for three."""
    none = (Capacity((0, 105_000), (0, 3)), *NEVER_BINDS[1:])
    one = random_site(3, FROM_NOTHING, NEVER_BINDS, "whole slots")
    capacities = replace(one.slotted, problem=replace(one.slotted.problem, capacities=none))

    with pytest.raises(InputError, match=r"with these crews activity 'A\d' finishes after the end of the calendars"):
        samples(replace(one, slotted=capacities))


def test_starts_of_another_problem_are_refused() -> None:
    one = random_site(3, FROM_NOTHING, SCARCE, "certain")

    with pytest.raises(InputError, match=r"activities of the problem have 1 levelled starts"):
        levelled_samples(one.model, one.slotted, one.plan.start[:1], [0], seed=1, samples=1)


def test_certain_durations_are_dated_as_in_the_levelled_plan() -> None:
    """All that is not done: running work begins with the first slot, since its actual start is before it."""
    for seed in SEEDS:
        one = random_site(seed, WHOLE_SLOTS, SCARCE, "certain")
        open_work = one.model.course.state[one.network.numbers.number] != DONE
        finish = np.zeros(len(open_work), np.int64)
        own = one.slotted.row >= 0
        finish[one.slotted.row[own]] = one.slotted.minutes(one.plan.finish)[own]

        found = samples(one, number=1).samples[:, 0]

        assert (found == finish)[open_work].all(), seed
