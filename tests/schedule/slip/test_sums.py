"""What holds for the parts of every slip: they sum to it, they name what is at fault, and float is nobody's fault."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.paths import longest_path
from schedule.slip.causes import SlipCause, summed
from schedule.slip.explain import Slip, explain
from schedule.slip.standing import Standing, between
from tests.schedule.networks import random_case
from tests.schedule.slip.histories import ANYTHING, SIMPLE, as_built, compiled, longer, random_standings

seeds = st.integers(0, 10**9)


def is_exact(slip: Slip) -> bool:
    """Return whether windows, parts and owners each sum to the slip."""
    by_owner = summed(slip.parts, lambda part: part.activity[-1])
    sums = {sum(part.minutes for part in slip.by_window), sum(part.minutes for part in slip.parts)}
    return sums | {sum(by_owner.values())} == {slip.minutes}


@given(seeds)
@settings(max_examples=300, deadline=None)
def test_the_parts_of_a_slip_sum_to_it(seed: int) -> None:
    """To the minute, for every activity, whatever the record and the revisions say."""
    standings = random_standings(seed)

    for target in standings[0].network.activities.names:
        slip = explain(standings, target)

        first, last = (standing.solved() for standing in (standings[0], standings[-1]))
        assert slip.before == first.solution.finish[standings[0].network.activities.names.index(target)]
        assert slip.after == last.solution.finish[standings[-1].network.activities.names.index(target)]
        assert is_exact(slip)


@pytest.mark.long
def test_the_parts_of_the_slips_of_3000_histories_sum_to_them() -> None:
    """The same, for more histories than the slice of every day."""
    for seed in range(3000):
        standings = random_standings(seed)
        for target in standings[0].network.activities.names:
            assert is_exact(explain(standings, target)), (seed, target)


def planned(seed: int) -> tuple[CompiledNetwork, int, str]:
    """Return a simple network, and the row and the name of what finishes last."""
    network = compiled(random_case(seed, SIMPLE))
    row = int(np.argmax(network.solve().finish))
    return network, row, network.activities.names[row]


@given(seeds, st.integers(0, 9000))
@settings(max_examples=150, deadline=None)
def test_what_happens_as_planned_has_no_parts(seed: int, data_date: int) -> None:
    network = compiled(random_case(seed, SIMPLE))
    done = as_built(network, network.solve(), data_date)

    for target in network.activities.names:
        assert explain([Standing(network), done], target).by_window == ()


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_nothing_new_has_no_parts(seed: int) -> None:
    """The same record twice, and of networks of every kind."""
    for standing in random_standings(seed):
        for target in standing.network.activities.names:
            assert explain([standing, replace(standing)], target).by_window == ()


@given(seeds, st.integers(0, 9), st.integers(-900, 900), st.integers(0, 9000), st.integers(0, 4))
@settings(max_examples=300, deadline=None)
def test_one_delay_is_the_fault_of_one_activity_alone(
    seed: int, which: int, change: int, data_date: int, windows: int
) -> None:
    """In full, with the closed hours that it pushes others across; and however many windows are looked at."""
    network, row, target = planned(seed)
    driving = longest_path(network, network.solve(), target=row).activities
    guilty = driving[which % len(driving)]
    built = network.solve(durations=longer(network.activities.duration, guilty, change))
    done = as_built(network, built, data_date)
    instants = [data_date * part // (windows + 1) for part in range(1, windows + 1)]

    slip = explain(between(Standing(network), done, instants), target)

    assert is_exact(slip)
    assert {part.activity for part in slip.by_window} <= {network.activities.names[guilty]}


@given(seeds, st.integers(0, 9), st.integers(1, 3000), st.integers(0, 9000), st.integers(0, 4))
@settings(max_examples=300, deadline=None)
def test_one_late_start_is_the_fault_of_one_activity_alone(
    seed: int, which: int, delay: int, data_date: int, windows: int
) -> None:
    """While it has not started, and after; all others start as soon as their links allow."""
    network, row, target = planned(seed)
    driving = longest_path(network, network.solve(), target=row).activities
    guilty = driving[which % len(driving)]
    late = Standing(network).no_earlier.copy()
    late[guilty] = network.solve().start[guilty] + delay
    held = compile_network(replace(network.activities, no_earlier=late), network.links, network.calendars)
    done = as_built(network, held.solve(), data_date)
    instants = [data_date * part // (windows + 1) for part in range(1, windows + 1)]

    slip = explain(between(Standing(network), done, instants), target)

    assert is_exact(slip)
    causes = {SlipCause.STARTED, SlipCause.NOT_STARTED}
    assert {part.activity for part in slip.by_window} <= {network.activities.names[guilty]}
    assert {part.cause for part in slip.by_window} <= causes


@given(seeds, st.integers(0, 9), st.integers(-900, 900))
@settings(max_examples=200, deadline=None)
def test_one_revised_duration_is_the_only_part(seed: int, which: int, change: int) -> None:
    """On every kind of network: the part is the whole slip, and there is none where float absorbs the change."""
    network = compiled(random_case(seed, ANYTHING))
    row, names = which % len(network.activities), network.activities.names
    revised = Standing(network, durations=longer(network.activities.duration, row, change))

    for target in names:
        slip = explain([Standing(network), revised], target)

        expected = [(names[row], SlipCause.DURATION, slip.minutes)] if slip.minutes else []
        assert [(part.activity, part.cause, part.minutes) for part in slip.parts] == expected
