"""The catalog's steps on many pods as a levelling problem: hours as slots, the site's shifts, some crews of each trade."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np

from schedule.levelling.problem import CONTINUOUS, Demands, Precedence, Problem
from steps.catalog.loader import read_catalog
from steps.design.design import design_of
from steps.design.site import Site
from steps.planning.activity import WORKING
from steps.planning.network.durations import crews_on, duration_of, is_elapsed, lead_of
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Expansion
from steps.planning.network.site_calendars import site_calendar
from steps.planning.plan import PlanLink

NODES_OF_A_POD = 32
YEARS = 12


@dataclass(frozen=True)
class Work:
    """An activity before it has a number."""

    hours: float
    working: bool
    role: str | None = None
    crews: int = 1
    unit: str = "site"


def pods_problem(pods: int, crews: int) -> Problem:
    """Return the problem of the preset h100-10k with so many pods and so many crews of each trade."""
    entry = {
        "name": "bench",
        "preset": "h100-10k",
        "start": "2027-01-04",
        "time_zone": "America/Chicago",
        "country": "US",
        "currency": "USD",
        "overrides": {"nodes": pods * NODES_OF_A_POD},
        "people": [{"id": "owner", "roles": ["owner-pm"]}],
    }
    site = Site.model_validate(entry)
    calendar = site_calendar(site)
    expansion = expand(read_catalog(), design_of(site), calendar.hours_per_day)
    works = _works(expansion, calendar.hours_per_day, crews)
    links = list(_links(expansion, works))
    hours = np.arange(YEARS * 365 * 24 + 1, dtype=np.float64)
    opened = np.diff(calendar.work_at(hours)) > 0.5
    return _problem(works, links, crews, opened)


def _works(expansion: Expansion, day_h: float, crews: int) -> dict[str, Work]:
    works: dict[str, Work] = {}
    for node in expansion.nodes.values():
        if node.applies:
            step = node.entry.step
            working = not is_elapsed(step)
            hours = duration_of(step, node.values, day_h).m
            count = min(crews_on(step, node.values), crews)
            works[node.id] = Work(hours, working, step.crew.role if working else None, count, node.unit.id)
    for order in expansion.orders.values():
        works[order.id] = Work(0.0, working=False)
        for tranche in order.tranches:
            works[tranche.id] = Work(lead_of(order.supply.lead_time, 1).m + tranche.after_first_h, working=False)
    return works


def _links(expansion: Expansion, works: dict[str, Work]) -> list[tuple[str, str, int, bool, bool]]:
    """Return the links: before, after, gap, and which ends are finishes. A lag in working time is an activity of its own."""
    found = []
    for link in expansion.links:
        before, from_finish, to_finish = link.before, link.type[0] == "F", link.type[1] == "F"
        if link.lag_calendar == WORKING and link.lag_h > 0:
            lag = _lag_name(link)
            works[lag] = Work(link.lag_h, working=True)
            found.append((before, lag, 0, from_finish, False))
            found.append((lag, link.after, 0, True, to_finish))
        else:
            found.append((before, link.after, int(np.ceil(link.lag_h)), from_finish, to_finish))
    return found


def _lag_name(link: PlanLink) -> str:
    return f"{link.before}>{link.after}>{link.type}"


def _problem(
    works: dict[str, Work], links: list[tuple[str, str, int, bool, bool]], crews: int, opened: np.ndarray
) -> Problem:
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(works, ()))
    for before, after, *_ in links:
        sorter.add(after, before)
    names = list(sorter.static_order())
    number = {name: index for index, name in enumerate(names)}
    rows = sorted((number[after], number[before], gap, a, b) for before, after, gap, a, b in links)
    table = np.array(rows, np.int64).reshape(-1, 5)
    first = np.searchsorted(table[:, 0], np.arange(len(names) + 1))
    linked = Precedence(first, table[:, 1], table[:, 2], table[:, 3] == 1, table[:, 4] == 1)
    ordered = [works[name] for name in names]
    roles = sorted({work.role for work in ordered if work.role})
    demands = [(i, roles.index(w.role), w.crews) for i, w in enumerate(ordered) if w.role and w.hours > 0]
    units = {unit: index for index, unit in enumerate(sorted({work.unit for work in ordered}))}
    return Problem.of(
        [int(np.ceil(work.hours)) for work in ordered],
        linked,
        Demands.of(len(names), demands),
        [crews] * len(roles),
        calendar=[0 if work.working else CONTINUOUS for work in ordered],
        calendars=[opened],
        group=[units[work.unit] for work in ordered],
    )


STEPS = 195
TRADES = 8


@dataclass(frozen=True)
class Template:
    """The steps that are done on each pod, and the people of each trade, who work on all pods."""

    duration: list[int]
    trade: list[int]
    people: list[int]
    before: list[list[int]]
    """The steps that each step follows."""
    capacities: list[int]
    pods: int


def template(pods: int, seed: int = 7) -> Template:
    """Return a made-up template of 195 steps for 8 trades, with about twice as much work as the longest chain.

    Each step follows up to four of the 20 before it, lasts 1 to 20 slots and needs 1 to 3 people of one trade. The people of
    a trade are as many as it takes to do its work in twice the longest chain.
    """
    rng = np.random.default_rng(seed)
    duration = rng.integers(1, 21, STEPS)
    trade, people = rng.integers(0, TRADES, STEPS), rng.integers(1, 4, STEPS)
    before = [
        sorted(set(rng.integers(max(0, s - 20), s, rng.integers(1, 5)).tolist())) if s else [] for s in range(STEPS)
    ]
    ends = np.zeros(STEPS, np.int64)
    for step in range(STEPS):
        ends[step] = duration[step] + max((ends[b] for b in before[step]), default=0)
    work = np.bincount(trade, weights=duration * people, minlength=TRADES) * pods
    capacities = np.maximum(np.ceil(work / (2 * int(ends.max()))), 3).astype(int)
    return Template(duration.tolist(), trade.tolist(), people.tolist(), before, capacities.tolist(), pods)


def template_problem(pods: int, seed: int = 7) -> Problem:
    """Return the problem of a template on so many pods."""
    made = template(pods, seed)
    count = STEPS * pods
    links = [(pod + b * pods, pod + s * pods, 0) for s in range(STEPS) for b in made.before[s] for pod in range(pods)]
    demands = [(pod + s * pods, made.trade[s], made.people[s]) for s in range(STEPS) for pod in range(pods)]
    return Problem.of(
        np.repeat(made.duration, pods),
        Precedence.of(count, links, finish_to_start=True),
        Demands.of(count, demands),
        made.capacities,
        group=np.tile(np.arange(pods), STEPS),
    )
