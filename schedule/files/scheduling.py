"""The schedule of a project: exact dates, and where they are asked for, dates that its resources can keep, and odds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from schedule.cpm.columns import Tie
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.paths import longest_path
from schedule.cpm.shifts import Minutes
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import TO_FINISH
from schedule.crews.slots import SLOT
from schedule.errors import InputError
from schedule.files.project import Project

if TYPE_CHECKING:
    from schedule.crews.levelled_network import CrewedSolution
    from schedule.risk.odds import Odds
    from schedule.risk.spreads import Estimates


class DrivenBy(NamedTuple):
    """Why an activity of the chain does not start earlier: a link, or a resource that an earlier activity held."""

    before: str
    type: str
    lag: int
    calendar: str
    resource: str | None
    waited: int
    """Minutes of its calendar for which the activity waits for resources, after its links let it start."""


class ChainStep(NamedTuple):
    """One activity of the chain, and what drives it; None for the first."""

    row: int
    by: DrivenBy | None


@dataclass(frozen=True, eq=False)
class Scheduled:
    """The dates of a project."""

    project: Project
    network: CompiledNetwork
    """With a link for each handover of a resource, if it is levelled."""
    solution: Solution
    unlimited: Solution
    crewed: CrewedSolution | None = None

    @property
    def waits(self) -> Minutes:
        """By row, how long each activity waits for resources, in minutes of its calendar."""
        return np.zeros(len(self.network.activities), np.int64) if self.crewed is None else self.crewed.waits

    @property
    def finish(self) -> int:
        """The last finish."""
        return int(self.solution.finish.max())

    @cached_property
    def begins(self) -> int:
        """The first start."""
        return int(self.solution.start.min())

    @cached_property
    def bound(self) -> int:
        """No schedule that keeps links and resources finishes before this minute."""
        earliest = int(self.unlimited.finish.max())
        levelled, slotted = (self.crewed.levelled, self.crewed.slotted) if self.crewed else (None, None)
        if levelled is None or slotted is None or not _is_in_slots(self.network, self.unlimited):
            return earliest
        return max(earliest, int(slotted.minutes(np.array([levelled.bound]))[0]))

    @property
    def gap(self) -> float:
        """By which part the schedule is longer than the bound; 0 if it is proven to be the shortest."""
        least = self.bound - self.begins
        return (self.finish - self.bound) / least if least > 0 else 0.0

    def chain(self) -> Iterator[ChainStep]:
        """Yield the chain that drives the last finish, in the order in which it drives."""
        ends = np.flatnonzero(self.solution.finish == self.finish)
        last = int(ends[np.argmax(self.network.numbers.number[ends])])
        path = longest_path(self.network, self.solution, target=last)
        waits = self.waits
        for row, link in zip(path.activities, (None, *path.links), strict=True):
            yield ChainStep(row, None if link is None else self._link(link, int(waits[row])))

    def _link(self, link: int, waited: int) -> DrivenBy:
        links, names = self.network.links, self.network.activities.names
        calendar = self.network.calendars[int(links.lag_calendar[link])].name
        resource = None if self.crewed is None else self.crewed.crew(link)
        return DrivenBy(
            names[int(links.before[link])],
            Tie(int(links.type[link])).name,
            int(links.lag[link]),
            calendar,
            resource,
            waited,
        )


def schedule(project: Project, *, level: bool = False, seed: int = 1) -> Scheduled:
    """Return the dates of a project, with `level` those that its resources can keep."""
    network = project.compiled()
    unlimited = network.solve(start=project.start, actuals=project.actuals)
    if not level:
        return Scheduled(project, network, unlimited, unlimited)
    if not project.demands:
        hint = "name the resources that activities hold"
        raise InputError("no activity holds a resource: there is nothing to level", hint=hint, place=project.place)
    crewed = _levelled(project, network, seed)
    return Scheduled(project, crewed.network, crewed.solution, crewed.unlimited, crewed)


def odds_of(found: Scheduled, *, samples: int, seed: int, threads: int = 1) -> Odds:
    """Return samples of the last finish. Those of a levelled schedule are levelled, too: each in its order."""
    from schedule.risk.model import risk_model
    from schedule.risk.odds import Odds
    from schedule.risk.running import run

    project, crewed = found.project, found.crewed
    if project.estimates is None:
        hint = "fill in the columns optimistic and pessimistic"
        raise InputError("no activity has three points: nothing is uncertain", hint=hint, place=project.place)
    network = project.compiled()
    remaining = _remaining(network, found.unlimited, project.estimates)
    model = risk_model(network, remaining, start=project.start, actuals=project.actuals)
    ends = _ends(network)
    if crewed is None or crewed.levelled is None or crewed.slotted is None:
        drawn = run(model, ends, seed=seed, samples=samples, threads=threads, chains=False)
    else:
        from schedule.sampling.running import levelled_samples

        starts = crewed.levelled.start
        drawn = levelled_samples(model, crewed.slotted, starts, ends, seed=seed, samples=samples, threads=threads)
    return Odds(drawn.samples.max(axis=0))


def _remaining(network: CompiledNetwork, solution: Solution, estimates: Estimates) -> Estimates:
    """Return the estimates of what remains: points shrink with the work that is left."""
    planned, remains = network.activities.duration, solution.work.duration[network.numbers.number]
    left = remains / np.maximum(planned, 1)
    low, likely, high = (
        np.where(planned > 0, np.round(column * left), remains)
        for column in (estimates.low, estimates.likely, estimates.high)
    )
    return replace(estimates, low=low, likely=likely, high=high)


def _ends(network: CompiledNetwork) -> list[int]:
    """Return the rows that may finish last: no other one finishes after them by a link."""
    links = network.links
    followed = ((links.type == Tie.FS) | (links.type == Tie.FF)) & (links.lag >= 0)
    last = np.setdiff1d(np.arange(len(network.activities)), links.before[followed])
    return [int(row) for row in last]


def _levelled(project: Project, network: CompiledNetwork, seed: int) -> CrewedSolution:
    from schedule.crews.levelled_network import Crews, solve_with_crews
    from schedule.crews.slots import Needs
    from schedule.levelling.level import Effort

    number = len(network.activities)
    held = np.array([(one.row, one.resource, one.amount) for one in project.demands], np.int64)
    crews = Crews(project.resources, project.capacities, Needs(*held.T), np.zeros(number, np.int64))
    effort = Effort(max(20, min(50_000, 6_000_000 // number)), seed)
    return solve_with_crews(network, crews, effort, actuals=project.actuals)


def _is_in_slots(network: CompiledNetwork, solution: Solution) -> bool:
    """Return whether the network and its slots allow the same schedules.

    They do not where slots round up, where a lead is left out, and where a link ends at a finish in shifts: in minutes the end of
    a shift keeps it until the next shift begins, in slots it does not.
    """
    links, work = network.links, solution.work
    columns = [work.duration, work.earliest, links.lag]
    in_shifts = np.array([not calendar.is_continuous for calendar in network.calendars])
    for calendar in (calendar for calendar in network.calendars if not calendar.is_continuous):
        columns += [calendar.start, calendar.end]
    to_finish = (links.type & TO_FINISH != 0) & in_shifts[network.activities.calendar[links.after]]
    has_leads = bool((links.lag < 0).any())
    return not has_leads and not to_finish.any() and all(not bool((column % SLOT).any()) for column in columns)
