"""The causes of one sample of a plan's odds: what a rehearsal with luck plays, and how its go-live compares with the other samples.

Causes are how long each piece of work and each delivery takes, what fails and is done again, and the order in which crews go from
one piece of work to the next. There are no dates among them. The samples are those of `plan_odds`: equal seeds have equal samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np

from schedule.cpm.shifts import Minutes
from schedule.crews.handovers import flow_of
from schedule.crews.levelled_network import CrewedSolution
from schedule.crews.slots import SLOT, Slotted
from schedule.errors import InputError
from schedule.risk.draws import durations_of, occurrences_of
from schedule.risk.model import RiskModel
from schedule.risk.odds import DAY
from schedule.risk.philox import LANES
from schedule.risk.spreads import Family
from schedule.sampling.drawing import in_slots
from schedule.sampling.running import OneSchedule, finishes_of, one_schedule
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import MINUTES, last_row, network_of
from steps.planning.odds.enough_samples import enough_samples
from steps.planning.odds.plan_samples import crewed_samples
from steps.planning.odds.uncertainty import causes_of, titles_of, uncertainty
from steps.planning.plan import Plan
from steps.planning.record.forecast import in_the_plans_order

AGAIN = " again"
"""The end of the name of an event that an activity fails as a whole (`failing_parts`)."""
WORK = "work of "
"""The beginning of the name of a cause that is the work of an activity itself."""
LEAST_DAYS = 0.5
"""What moves go-live by less is not named among the largest causes."""


class Luck(NamedTuple):
    """Which sample is played: its number from 1 on, of how many, and with which seed they are drawn."""

    number: int
    samples: int
    seed: int

    def __str__(self) -> str:
        """Return the sample in words."""
        return f"sample {self.number:,} of {self.samples:,}, seed {self.seed}"


class SampleCauses(NamedTuple):
    """What happens in a sample. Hours are those of the calendar of the work or of the delivery, in whole quarters.

    `tries` has for each activity the hours of each time that it is done: all but the last one fail. `leads` has for each delivery the
    hours from the placing of its order. `crews_from` has for each activity those whose crews it takes over.
    `found` says what else is found at an activity, such as parts that arrive dead; its hours are in the first try.
    """

    tries: Mapping[str, tuple[float, ...]]
    leads: Mapping[str, float]
    crews_from: Mapping[str, tuple[str, ...]]
    found: Mapping[str, tuple[str, ...]]


class LuckCause(NamedTuple):
    """By how many days a cause moves go-live in a sample: later if positive, as the same sample without it shows.

    `title` is what its maker, step or activity is called; empty for a trade, the market and the weather.
    """

    name: str
    title: str
    days: float


class SampledGoLive(NamedTuple):
    """Go-live of a sample, its percentile among all samples (1 to 100), and what moves it most, the greatest first."""

    go_live: datetime
    percentile: int
    largest: tuple[LuckCause, ...]


class PlayedSample(NamedTuple):
    """A sample: what a rehearsal gets, and what it is compared with in the end."""

    luck: Luck
    causes: SampleCauses
    sampled: SampledGoLive


def luck_of(plan: Plan, number: int, *, samples: int | None, seed: int) -> Luck:
    """Return which sample of a plan's odds is played. Without `samples` there are as many as `plan` draws.

    Raise InputError for a number that no sample has.
    """
    samples = samples or enough_samples(len(plan.activities))
    if not 1 <= number <= samples:
        raise InputError(
            f"there is no sample {number:,}: the odds of this plan have {samples:,} samples",
            hint=f"--luck 1 to --luck {samples}; --samples draws more",
        )
    return Luck(number, samples, seed)


def played_sample(plan: Plan, luck: Luck) -> PlayedSample:
    """Return the causes of a sample of an adopted plan. Raise InputError for a plan in which no work waits for crews."""
    crewed = in_the_plans_order(plan, network_of(plan))
    if crewed.slotted is None or crewed.levelled is None:
        raise InputError(
            "no work of this plan waits for crews, and a sample plays with crews",
            hint="plan the site with this version",
        )
    model = uncertainty(plan, crewed.base, crewed.unlimited)
    last = last_row(crewed.base, crewed.solution)
    finishes = crewed_samples(crewed, model, [last], samples=luck.samples, seed=luck.seed)[0]
    sample = _Sample(crewed.slotted, crewed.levelled.start, model, last, luck)
    finish = int(finishes[luck.number - 1])
    origin = WorkCalendar.from_plan(plan).origin
    sampled = SampledGoLive(
        origin + timedelta(minutes=finish),
        ceil(100 * float(np.mean(finishes <= finish))),
        sample.largest(plan),
    )
    return PlayedSample(luck, sample.causes(plan, crewed), sampled)


class _Sample:
    """One sample of a model: its durations, and its schedule."""

    def __init__(self, slotted: Slotted, levelled_start: Minutes, model: RiskModel, target: int, luck: Luck) -> None:
        """Draw the sample and place it. `target` is the row of go-live."""
        self.group, self.lane = divmod(luck.number - 1, LANES)
        self.luck = luck
        self.slotted, self.levelled_start = slotted, levelled_start
        self.model, self.target = model, target
        self.names = model.network.activities.names
        self.minutes = self._minutes(model)

    def _minutes(self, model: RiskModel) -> Minutes:
        """Return the durations of this sample in a model, by number."""
        return durations_of(model, self.luck.seed, self.group)[:, self.lane]

    def _slots(self, *durations: Minutes) -> Minutes:
        return in_slots(self.model, self.slotted, np.stack(durations, axis=1))

    @cached_property
    def schedule(self) -> OneSchedule:
        """The schedule with the crews that there are."""
        return one_schedule(self.model, self.slotted, self.levelled_start, self.target, self._slots(self.minutes)[0])

    def causes(self, plan: Plan, crewed: CrewedSolution) -> SampleCauses:
        """Return what happens in the sample, by the ids of the plan."""
        again, found = self._occurrences()
        deliveries = {one.id for order in plan.orders for one in order.tranches}
        tries: dict[str, tuple[float, ...]] = {}
        leads: dict[str, float] = {}
        for number, row in enumerate(self.model.network.numbers.order.tolist()):
            name, minutes = self.names[row], int(self.minutes[number])
            ends = np.cumsum([minutes - sum(again[name]), *again[name]])
            hours = np.diff(-(-ends // SLOT), prepend=0) * SLOT / MINUTES
            if name in deliveries:
                leads[name] = float(hours[0])
            else:
                tries[name] = tuple(hours.tolist())
        return SampleCauses(tries, leads, self._crews_from(crewed), found)

    def _occurrences(self) -> tuple[Mapping[str, list[int]], dict[str, tuple[str, ...]]]:
        """Return the minutes of each time that an activity is done again, and what else is found at activities."""
        order = self.model.network.numbers.order
        events = self.model.events
        again: defaultdict[str, list[int]] = defaultdict(list)
        others: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        occurred = occurrences_of(self.model, self.luck.seed, self.luck.number - 1)
        for number, event, minutes in zip(*(column.tolist() for column in occurred), strict=True):
            name, cause = self.names[order[number]], events[event - len(self.model.drivers)]
            if minutes and cause == f"{name}{AGAIN}":
                again[name].append(minutes)
            elif minutes:
                others[name, cause].append(minutes)
        found: defaultdict[str, list[str]] = defaultdict(list)
        for (name, cause), each in others.items():
            found[name].append(f"{cause}: {len(each)}, which take {sum(each) / MINUTES:.1f} hours")
        return again, {name: tuple(lines) for name, lines in found.items()}

    def _crews_from(self, crewed: CrewedSolution) -> dict[str, tuple[str, ...]]:
        """Return those from whom each activity takes over crews."""
        schedule, links, place = self.schedule, crewed.base.links, self.slotted.place
        flow = flow_of(schedule.problem, schedule.start, schedule.finish, place[links.before], place[links.after])
        found: defaultdict[str, set[str]] = defaultdict(set)
        row = self.slotted.row
        for one in flow.handovers:
            found[self.names[row[one.after]]].add(self.names[row[one.before]])
        return {name: tuple(sorted(others)) for name, others in found.items()}

    def largest(self, plan: Plan) -> tuple[LuckCause, ...]:
        """Return what moves go-live: each cause of the odds, and the work itself of what drives go-live."""
        without = dict(self._without())
        slots = self._slots(self.minutes, *without.values())
        finishes = finishes_of(self.model, self.slotted, self.levelled_start, self.target, slots)
        days = (finishes[0] - finishes[1:]) / DAY
        title = titles_of(plan) | {f"{WORK}{one.id}": one.title for one in plan.activities}
        moved = zip(without, days.tolist(), strict=True)
        causes = [LuckCause(name, title.get(name, ""), round(by, 1)) for name, by in moved]
        large = [one for one in causes if abs(one.days) >= LEAST_DAYS]
        return tuple(sorted(large, key=lambda one: (-abs(one.days), one.name)))

    def _without(self) -> Iterator[tuple[str, Minutes]]:
        """Yield the durations without each cause that there is, and with the most likely work of each activity that drives go-live."""
        for name, members in causes_of(self.model).items():
            durations = self._minutes(self.model.without(*members))
            if (durations != self.minutes).any():
                yield name, durations
        order = self.model.network.numbers.order
        likely = self.model.network.activities.duration[order].astype(np.float64)
        parameters = self.model.durations.parameters.copy()
        parameters[:, 0] = likely
        certain = self.model.durations._replace(
            family=np.full(len(likely), Family.FIXED, np.uint8), parameters=parameters
        )
        as_likely = self._minutes(replace(self.model, durations=certain))
        drives = self.schedule.drives[self.slotted.place[order]]
        for number in np.flatnonzero(drives & (as_likely != self.minutes)).tolist():
            durations = self.minutes.copy()
            durations[number] = as_likely[number]
            yield f"{WORK}{self.names[order[number]]}", durations
