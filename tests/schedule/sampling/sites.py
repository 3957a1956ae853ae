"""Small random sites: networks with crews that are too few or never bind, and durations in whole slots or in minutes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

import numpy as np

from schedule.cpm.columns import Actuals
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import continuous
from schedule.cpm.wiring import DONE
from schedule.crews.slots import SLOT, Needs, Slotted, slotted
from schedule.levelling.level import Effort, level
from schedule.levelling.problem import Capacity
from schedule.levelling.result import Levelled
from schedule.risk.drivers import RiskDriver, RiskEvent, repeats
from schedule.risk.model import RiskModel, risk_model
from schedule.risk.spreads import Family, Spread, fixed, three_points
from tests.schedule.networks import DAY, WEEKS, Drawn, calendar_of, random_case

SPAN = (-140 * DAY, 700 * DAY)
"""Whole weeks."""
SLOTS = 20_000
RESOURCES = 3
NEVER_BINDS = (Capacity((0, 100_000), (1000, 2)),) * RESOURCES
"""Short only after all calendars have ended: what is never short at all is left out of a problem."""
SCARCE = (Capacity((0, 40, 200), (2, 0, 2)), Capacity.constant(2), Capacity((0, 500), (3, 2)))
WHOLE_SLOTS = Drawn(types=("FS", "SS"), leads=False, calendars=4, grid=SLOT)
"""Networks of which each instant is the beginning of a slot."""


Durations = Literal["certain", "whole slots", "minutes"]


@dataclass(frozen=True)
class Site:
    """What samples are drawn from."""

    model: RiskModel
    slotted: Slotted
    needs: Needs
    capacities: tuple[Capacity, ...]
    plan: Levelled

    @property
    def network(self) -> CompiledNetwork:
        return self.model.network


def random_site(
    seed: int,
    drawn: Drawn,
    capacities: tuple[Capacity, ...],
    durations: Durations,
    *,
    is_continuous: bool = False,
) -> Site:
    """Return one site; the same seed has the same one."""
    random = Random(seed)
    case = random_case(seed, drawn)
    number = len(case.activities)
    calendars = [continuous()] * 4 if is_continuous else [calendar_of(week, SPAN) for week in WEEKS]
    network = compile_network(case.activities, case.links, calendars)
    held = [
        (row, resource, random.randint(1, 2))
        for row in range(number)
        for resource in range(RESOURCES)
        if random.random() < 0.7 and case.activities.duration[row]
    ]
    return site_of(network, held, capacities, durations, actuals=case.actuals)


def site_of(
    network: CompiledNetwork,
    held: list[tuple[int, int, int]],
    capacities: tuple[Capacity, ...],
    durations: Durations,
    *,
    actuals: Actuals | None = None,
) -> Site:
    """Return the site of a network; `held` are triples of a row, a resource and an amount."""
    solution = network.solve(actuals=actuals)
    remaining = np.where(solution.work.state == DONE, 0, solution.work.duration)[network.numbers.number]
    rows = np.arange(len(remaining))
    three = three_points(remaining * 0.7, remaining, remaining * 1.9)
    twice, quarters = Spread(2, 2, 2, Family.FIXED), Spread(75, 75, 75, Family.FIXED)
    model = risk_model(
        network,
        three if durations == "minutes" else fixed(remaining),
        drivers=[] if durations == "certain" else [RiskDriver(f"driver {k}", 0.5, twice, rows[k::3]) for k in range(3)],
        events=[] if durations == "certain" else [RiskEvent("test fails", repeats(0.5, 4), quarters, rows[::2])],
        actuals=actuals,
    )
    needs = Needs(*np.array(held, np.int64).reshape(-1, 3).T)
    problem = slotted(network, solution, needs, capacities, slots=SLOTS)
    return Site(model, problem, needs, capacities, level(problem.problem, Effort(2)))
