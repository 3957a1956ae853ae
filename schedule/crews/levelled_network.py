"""A network whose work waits for crews: levelled, and solved again to the minute in the order of crews that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import NONE, Actuals, Bools, Links, Tie
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.floats import held_by_links
from schedule.cpm.reading import SolvedNetwork, latest
from schedule.cpm.shifts import Minutes
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import LOWEST, OPEN
from schedule.crews.handovers import flow_of
from schedule.crews.slots import LAG, SLOT, Needs, Slotted, known_slots, slots_for, slotted
from schedule.errors import InputError
from schedule.levelling.level import Effort, level
from schedule.levelling.problem import NOT_FIXED, Capacity
from schedule.levelling.result import Levelled


class Crews(NamedTuple):
    """The crews that a network's work waits for: names, how many there are, what each activity holds, and its area."""

    names: tuple[str, ...]
    capacities: tuple[Capacity, ...]
    needs: Needs
    group: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CrewedSolution:
    """Dates that the crews can keep, and what they came from."""

    base: CompiledNetwork
    network: CompiledNetwork
    """The same with a link for each handover of a crew, after its own links."""
    solution: Solution
    unlimited: Solution
    """The dates with unlimited crews, of the network without those links."""
    handed: tuple[str, ...]
    """The resource of each handover, by its name."""
    levelled: Levelled | None
    """None where no work waits for crews."""
    slotted: Slotted | None

    @cached_property
    def waits(self) -> Minutes:
        """Return by row how long each activity waits for a crew after its links let it start, in minutes of its calendar."""
        unlimited, network = self.unlimited, self.base
        order, clock, work = network.numbers.order, network.clock, unlimited.work
        early, number = self.solution.early, self.network.numbers.number[order]
        ready = held_by_links(network.into, work, early.start[number], early.finish[number], clock)
        waited = np.where(work.state == OPEN, clock.work(early.start[number], work.calendar) - ready, 0)
        return np.maximum(waited, 0)[network.numbers.number]

    @property
    def placed(self) -> Minutes:
        """Return by row when levelling placed each activity, in whole slots; its start where no work waits for crews."""
        if self.slotted is None or self.levelled is None:
            return self.solution.start
        return self.slotted.minutes(self.levelled.start[self.slotted.place])

    @property
    def crew_links(self) -> Bools:
        """Return by link whether it hands a crew over."""
        return np.arange(len(self.network.links)) >= len(self.network.links) - len(self.handed)

    def crew(self, link: int) -> str | None:
        """Return the resource that a link hands over, None for a link of the network."""
        own = len(self.network.links) - len(self.handed)
        return self.handed[link - own] if link >= own else None


def solve_with_crews(
    network: CompiledNetwork,
    crews: Crews,
    effort: Effort,
    *,
    actuals: Actuals | None = None,
    target: int | None = None,
    planned: Minutes | None = None,
    first: Bools | None = None,
) -> CrewedSolution:
    """Return the dates of a network that its crews can keep, from the data date of `actuals` on.

    `planned` are the starts of an earlier plan, by row: its order of crews is tried first, and kept if no other is shorter.
    Crews serve what is `first`, by row, as if nothing else were there, and the rest around it. All that it waits for is first too.
    """
    unlimited = network.solve(actuals=actuals, target=target)
    if not len(crews.needs.row):
        return CrewedSolution(network, network, unlimited, unlimited, (), None, None)
    stages = [first] if first is not None else []
    if target is not None:
        stages.append(np.arange(len(network.activities)) == target)
    problem, levelled = _with_room(network, unlimited, crews, effort, planned, stages)
    ends = problem.place[network.links.before], problem.place[network.links.after]
    in_shifts = (one for one in network.calendars if not one.is_continuous)
    whole = all(not (np.concatenate([one.start, one.end]) % SLOT).any() for one in in_shifts)
    flow = flow_of(levelled.problem, levelled.start, levelled.finish, *ends, has_whole_slots=whole)
    found = [(problem.row[one.before], problem.row[one.after]) for one in flow.handovers]
    before, after = np.array(found, np.int64).reshape(-1, 2).T
    handed = tuple(crews.names[one.resource] for one in flow.handovers)
    pins = np.full(len(network.activities), NONE)
    pinned = np.array(flow.pinned, np.int64)
    pins[problem.row[pinned]] = problem.minutes(levelled.start[pinned])
    crewed = _in_order(network, before, after, pins)
    held = actuals if actuals is None else replace(actuals, resumes=_later(actuals.resumes, pins))
    solution = crewed.solve(actuals=held, target=target)
    _let_links_drive(crewed, solution, problem.row[pinned])
    return CrewedSolution(network, crewed, solution, unlimited, handed, levelled, problem)


def _with_room(
    network: CompiledNetwork,
    solution: Solution,
    crews: Crews,
    effort: Effort,
    planned: Minutes | None,
    stages: Sequence[Bools],
) -> tuple[Slotted, Levelled]:
    """Level over as many slots as it takes; each further try has twice as many, as far as the calendars are known."""
    slots, most = slots_for(network, solution, crews.needs, crews.capacities), known_slots(network, solution)
    while True:
        slots = min(slots, most)
        problem = slotted(network, solution, crews.needs, crews.capacities, slots=slots, group=crews.group)
        try:
            return problem, _levelled(problem, effort, planned, stages)
        except InputError:
            if slots == most:
                raise
        slots *= 2


def _levelled(slotted: Slotted, effort: Effort, planned: Minutes | None, stages: Sequence[Bools]) -> Levelled:
    """Level what each stage's rows wait for as if nothing else were there, around what earlier stages need, and then the rest.

    How long the schedule is, and how long it must be, is that of the last stage: work that goes on after it does not count.
    """
    problem, candidates = slotted.problem, [] if planned is None else [slotted.slots(planned)]
    fixed, shortest = problem.fixed, None
    for rows in stages:
        stage = problem.links.leading_to((slotted.row != LAG) & rows[slotted.row])
        holds = (problem.fixed != NOT_FIXED) & (np.diff(problem.demands.first) > 0)
        shortest = level(replace(problem, fixed=fixed).only(stage | holds), effort, candidates)
        fixed = np.where(stage & (slotted.row != LAG), shortest.start, fixed)
    levelled = level(replace(problem, fixed=fixed), effort, candidates)
    if shortest is None:
        return levelled
    return replace(
        shortest, start=levelled.start, finish=levelled.finish, unlevelled=levelled.unlevelled, problem=problem
    )


def _in_order(
    network: CompiledNetwork, before: NDArray[np.int64], after: NDArray[np.int64], pins: Minutes
) -> CompiledNetwork:
    """Return the network with links from `before` to `after`, and no start earlier than `pins`, by row."""
    links, more, activities = network.links, len(before), network.activities
    joined = Links(
        np.concatenate([links.before, before]),
        np.concatenate([links.after, after]),
        np.concatenate([links.type, np.full(more, Tie.FS, np.uint8)]),
        np.concatenate([links.lag, np.zeros(more, np.int64)]),
        np.concatenate([links.lag_calendar, np.zeros(more, np.int32)]),  # of no lag: any calendar will do
    )
    if (pins != NONE).any():
        activities = replace(activities, no_earlier=_later(activities.no_earlier, pins))
    return compile_network(activities, joined, network.calendars)


def _let_links_drive(network: CompiledNetwork, solution: Solution, pinned: NDArray[np.int64]) -> None:
    """Let the last of its links drive what waits for its turn with the crews, so that a chain goes on before it."""
    reader = SolvedNetwork(network, solution)
    begins = LOWEST if solution.actuals is None else solution.actuals.data_date
    for number in network.numbers.number[pinned].tolist():
        last = latest(list(reader.counting(number)))
        if last is not None and last.start > begins and solution.early.driver[number] < 0:
            solution.early.driver[number] = last.position


def _later(instants: Minutes | None, others: Minutes) -> Minutes:
    return others if instants is None else np.maximum(instants, others)
