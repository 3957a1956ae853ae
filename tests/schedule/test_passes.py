"""Dates of random networks: as the rules say when they are played minute by minute."""

from __future__ import annotations

import numpy as np
import pytest

from schedule.cpm.compiled import compile_network
from tests.schedule.minutes import Player
from tests.schedule.networks import SPAN, Case, Drawn, random_case

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


def differences(case: Case) -> list[str]:
    """Return where the dates differ from those that are played."""
    solution = compile_network(case.activities, case.links, case.calendars).solve(actuals=case.actuals)
    played = Player(case.activities, case.links, case.calendars, SPAN, case.actuals).play()
    return [
        f"{name}: {getattr(solution, name).tolist()} played {getattr(played, name)}"
        for name in COLUMNS
        if getattr(solution, name).tolist() != getattr(played, name)
    ]


def wrong_cases(seeds: range) -> dict[int, list[str]]:
    """Return the seeds of networks with other dates than those that are played."""
    found = {seed: differences(random_case(seed, EVERYTHING)) for seed in seeds}
    return {seed: wrong for seed, wrong in found.items() if wrong}


def test_dates_are_those_of_the_rules_played_minute_by_minute() -> None:
    """All link types, lags and leads on any calendar, constraints, progress, retained logic and override."""
    assert wrong_cases(range(8)) == {}


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2200, 300))
def test_dates_of_1200_networks_are_those_of_the_rules(first: int) -> None:
    """The same, for many more."""
    assert wrong_cases(range(first, first + 300)) == {}


def test_a_network_is_solved_again_with_other_durations() -> None:
    """Without being numbered again, and as if it had been compiled with them."""
    case = random_case(3, EVERYTHING)
    longer = case.activities.duration * 2 + 7
    network = compile_network(case.activities, case.links, case.calendars)

    again = network.solve(durations=longer)

    activities = case.activities
    anew = type(activities)(activities.names, longer, activities.calendar, activities.no_earlier, activities.no_later)
    assert again.finish.tolist() == compile_network(anew, case.links, case.calendars).solve().finish.tolist()
    assert network.solve().finish.tolist() != again.finish.tolist()


def test_permuting_activities_and_links_changes_nothing() -> None:
    """Dates and floats belong to activities, not to their place in a file."""
    for seed in range(40):
        case = random_case(seed, Drawn(calendars=4, progress="none"))
        solution = compile_network(case.activities, case.links, case.calendars).solve()
        random = np.random.default_rng(seed)
        old, links = random.permutation(len(case.activities)), random.permutation(len(case.links))
        new = np.argsort(old)
        one, two = case.activities, case.links
        no_earlier = None if one.no_earlier is None else one.no_earlier[old]
        no_later = None if one.no_later is None else one.no_later[old]
        names = [one.names[row] for row in old]
        activities = type(one)(names, one.duration[old], one.calendar[old], no_earlier, no_later)
        before, after = (new[column][links].astype(np.int32) for column in (two.before, two.after))
        shuffled = type(two)(before, after, two.type[links], two.lag[links], two.lag_calendar[links])

        again = compile_network(activities, shuffled, case.calendars).solve()

        for name in COLUMNS:
            assert getattr(again, name).tolist() == getattr(solution, name)[old].tolist(), (seed, name)
