"""The causes of one sample: they alone lead to its go-live, and what is said of the sample is so."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from clusterwright.planning import plan_of
from schedule.cpm.columns import Links, Tie
from schedule.cpm.compiled import compile_network
from schedule.errors import InputError
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import last_row, network_of
from steps.planning.dates.milestones import GO_LIVE
from steps.planning.odds.enough_samples import enough_samples
from steps.planning.odds.plan_odds import odds_of
from steps.planning.odds.sample_causes import Luck, PlayedSample, SampleCauses, luck_of, played_sample
from steps.planning.plan import Plan
from tests.commands import called
from tests.seldom import seldom

SLOT = timedelta(minutes=15)
PRESETS = [
    "h100-8-servers",
    seldom("superpod-1su"),
    seldom("gb200-nvl72"),
    seldom("superpod-4su"),
    seldom("meta-24k"),
]
NUMBERS = (1, 2, 9, 10, 62, 77, 100, 200, 400, 999)


@cache
def preset_plan(preset: str) -> Plan:
    with TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        assert called(("init", "--preset", preset, "--start", "2026-11-23", site)).returncode == 0
        return plan_of(site)


@cache
def sample(preset: str, number: int) -> PlayedSample:
    plan = preset_plan(preset)
    return played_sample(plan, Luck(number, enough_samples(len(plan.activities)), 1))


def go_live_from(plan: Plan, causes: SampleCauses) -> datetime:
    """Return go-live as it follows from causes alone, by the critical path: durations, and a link for each crew that is taken over."""
    network = network_of(plan)
    names, links = network.activities.names, network.links
    row = {name: number for number, name in enumerate(names)}
    hours = {**{name: sum(tries) for name, tries in causes.tries.items()}, **causes.leads}
    handed = [(row[before], row[after]) for after, others in causes.crews_from.items() for before in others]
    joined = Links(
        np.concatenate([links.before, [before for before, _ in handed]]),
        np.concatenate([links.after, [after for _, after in handed]]),
        np.concatenate([links.type, np.full(len(handed), Tie.FS, np.uint8)]),
        np.concatenate([links.lag, np.zeros(len(handed), np.int64)]),
        np.concatenate([links.lag_calendar, np.zeros(len(handed), np.int32)]),
    )
    activities = replace(network.activities, duration=np.array([round(60 * hours[name]) for name in names]))
    played = compile_network(activities, joined, network.calendars)
    solution = played.solve()
    finish = int(solution.finish[last_row(played, solution)])
    return WorkCalendar.from_plan(plan).origin + timedelta(minutes=finish)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_the_causes_of_a_sample_lead_to_its_go_live(preset: str) -> None:
    """A rehearsal gets no dates: if the causes say less than the sample has, it ends on another day."""
    plan = preset_plan(preset)
    found = {number: sample(preset, number) for number in NUMBERS if number <= enough_samples(len(plan.activities))}

    off = {number: go_live_from(plan, one.causes) - one.sampled.go_live for number, one in found.items()}

    assert {number: by for number, by in off.items() if abs(by) > SLOT} == {}
    assert any(len(tries) > 1 for one in found.values() for tries in one.causes.tries.values()), "something failed"


@pytest.mark.slow
def test_the_percentile_of_a_sample_is_that_of_the_odds_that_are_printed() -> None:
    """`plan` prints P80 of the same samples: the earliest sample of P80 or later goes live then."""
    plan = preset_plan("h100-8-servers")
    (go_live,) = (one for one in odds_of(plan).milestones if one.milestone == GO_LIVE)

    for number in NUMBERS:
        sampled = sample("h100-8-servers", number).sampled
        assert (sampled.go_live <= go_live.p80.date) == (sampled.percentile <= 80), number


@pytest.mark.slow
def test_the_largest_causes_are_those_without_which_go_live_moves_most() -> None:
    """Sample 2 has servers that come late; without that luck of their maker it goes live that much earlier."""
    largest = sample("h100-8-servers", 2).sampled.largest

    days = [abs(one.days) for one in largest]
    by_name = {one.name: one for one in largest}
    assert days == sorted(days, reverse=True)
    assert by_name["lead times of server-maker"].title == "Server and GPU supplier"
    late = sample("h100-8-servers", 2).causes.leads["001@site#gpu-server/1"] / 24
    planned = next(one.lead.m for one in preset_plan("h100-8-servers").orders if one.id == "001@site#gpu-server") / 24
    assert late > planned
    assert by_name["lead times of server-maker"].days <= late - planned + 7, (
        "no more than the delivery is late, and a week"
    )


def test_a_number_that_no_sample_has_is_refused_with_how_many_there_are() -> None:
    plan = preset_plan("h100-8-servers")

    with pytest.raises(InputError, match="there is no sample 1,001: the odds of this plan have 1,000 samples"):
        luck_of(plan, 1001, samples=None, seed=1)
    assert luck_of(plan, 1001, samples=2000, seed=4) == Luck(1001, 2000, 4)
