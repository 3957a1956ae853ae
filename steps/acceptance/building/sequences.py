"""Sequences of operation: fans and pumps that follow the demand, and free cooling that follows the weather.

What a sequence should do is judged where it was seen to be tried. A fault that was seen is counted; without one, a part of the
sequence that was not tried makes the metric not measured, with what people do to try it while it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.building.trends import Part, Series, listed, mean, parts, read_of, series, shown, stated
from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

CHANGED = Decimal("0.1")
"""The least change of a demand, as a share of its largest value, by which a sequence was tried. An assumption."""

MOVES = Decimal(5)
"""The least change of a speed in percent that answers such a demand. An assumption."""


class Tried(NamedTuple):
    """What was seen of one part of a sequence: faults, and what should be done to try it if it was not seen."""

    faults: tuple[str, ...] = ()
    untried: str = ""


class Machine(NamedTuple):
    """A fan or pump: its speed in percent, and by time whether it runs and whether it should."""

    name: str
    speed: Series
    runs: Mapping[Decimal, bool]
    should: Mapping[Decimal, bool]

    def ran_mostly(self, times: list[Decimal]) -> bool:
        """Return whether it ran at more than half of these times. Points are not read at one moment, and one may lag."""
        return 2 * sum(self.runs.get(at, False) for at in times) > len(times)

    def is_lost(self, at: Decimal) -> bool:
        """Return whether it should run and does not."""
        return self.should.get(at, False) and not self.runs.get(at, True)


class Group(NamedTuple):
    """Machines that serve one demand and hold one value at its set point."""

    name: str
    demand: Series
    held: Series
    set_point: Series
    within: Decimal
    settles_s: Decimal
    machines: tuple[Machine, ...]

    def running(self, at: Decimal) -> int:
        """Return how many machines run."""
        return sum(machine.runs.get(at, False) for machine in self.machines)


def fans(handed: Handed) -> Found:
    """Count what the fans of all groups do against their sequence."""
    return _judged(
        [tried for group in _groups(handed, "fans") for tried in (follows(group), holds(group), stages(group))]
    )


def pumps(handed: Handed) -> Found:
    """Count what the pumps of all groups do against their sequence; the loss of a pump is a part of it."""
    return _judged(
        [
            tried
            for group in _groups(handed, "pumps")
            for tried in (follows(group), holds(group), stages(group), loses(group))
        ]
    )


def _judged(seen: list[Tried]) -> Found:
    faults = [fault for tried in seen for fault in tried.faults]
    untried = [tried.untried for tried in seen if tried.untried]
    if not faults and untried:
        raise NotMeasuredError(f"not tried while it read: {listed(untried)}")
    return Found(Decimal(len(faults)), "; ".join(faults) or f"{len(seen)} parts of sequences were tried")


def _groups(handed: Handed, output: str) -> Iterator[Group]:
    for name, part in parts(read_of(handed, output), "groups").items():
        held = stated(part, "held", name)
        yield Group(
            name=name,
            demand=series(part, "demand", "percent", name),
            held=series(held, "value", held["value"]["unit"], f"{name} held"),
            set_point=series(held, "set_point", held["value"]["unit"], f"{name} held"),
            within=Decimal(stated(held, "within_percent", f"{name} held")),
            settles_s=Decimal(stated(part, "settles_s", name)),
            machines=tuple(_machine(one, unit, f"{name} {one}") for one, unit in parts(part, "units").items()),
        )


def _machine(key: str, unit: Part, name: str) -> Machine:
    speed = series(unit, "speed", "percent", name)
    runs = _truth(unit, "running", name) or {at: value > 0 for at, value in speed.readings.items()}
    return Machine(key, speed, runs, _truth(unit, "commanded", name))


def _truth(part: Part, key: str, name: str) -> dict[Decimal, bool]:
    """Return by time whether a point is set; nothing for a point that the inventory does not state."""
    if part.get(key) is None:
        return {}
    return {at: value != 0 for at, value in series(part, key, "bool", name).readings.items()}


def follows(group: Group) -> Tried:
    """See that the sum of speeds is higher at a high demand than at a low one, and that no machine keeps one speed meanwhile."""
    low, high = _low_and_high(group)
    if not low or not high:
        return Tried(
            untried=f"change the load of {group.name} by a tenth, each time for longer than {shown(group.settles_s)} s"
        )
    faults = []
    rise = mean([_total(group, at) for at in high]) - mean([_total(group, at) for at in low])
    if rise < MOVES:
        faults.append(f"{group.name}: at a high demand the speeds are {shown(rise)} % higher than at a low one")
    for machine in group.machines:
        if not (machine.ran_mostly(low) and machine.ran_mostly(high)):
            continue
        speeds = [value for at, value in machine.speed.readings.items() if machine.runs.get(at)]
        if max(speeds) - min(speeds) < MOVES:
            faults.append(f"{group.name}: {machine.name} keeps {shown(mean(speeds))} % at any demand")
    return Tried(tuple(faults))


def _low_and_high(group: Group) -> tuple[list[Decimal], list[Decimal]]:
    """Return when the demand was settled in the lowest third of its range, and in the highest; nothing if it hardly changed."""
    values = group.demand.values
    least, most = min(values), max(values)
    if most - least < CHANGED * most:
        return [], []
    third = (most - least) / 3
    low = _settled(group, lambda value: value <= least + third)
    high = _settled(group, lambda value: value >= most - third)
    return low, high


def _settled(group: Group, is_there: Callable[[Decimal], bool]) -> list[Decimal]:
    """Return the times at which the demand had been there for as long as the sequence may take to settle."""
    demand = group.demand
    lasting = _lasting(demand, lambda at: is_there(demand.readings[at]))
    return [at for at, lasted_s in lasting if lasted_s >= group.settles_s]


def _total(group: Group, at: Decimal) -> Decimal:
    return sum((one.speed.readings.get(at, Decimal(0)) for one in group.machines if one.runs.get(at)), Decimal(0))


def holds(group: Group) -> Tried:
    """See that the held value is never away from its set point for longer than it may take to settle."""
    for at, away_s in _lasting(group.held, lambda now: _is_away(group, now)):
        if away_s > group.settles_s:
            wrong = f"{shown(group.held.readings[at])}, set to {shown(group.set_point.readings[at])}"
            return Tried((f"{group.name}: {group.held.name} stays at {wrong}",))
    return Tried()


def _is_away(group: Group, at: Decimal) -> bool:
    wanted = group.set_point.readings.get(at)
    return wanted is not None and abs(group.held.readings[at] - wanted) > group.within / 100 * abs(wanted)


def _lasting(one: Series, holds_at: Callable[[Decimal], bool]) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield each time at which something holds, with the seconds since it began to hold."""
    since: Decimal | None = None
    for at in one.readings:
        if not holds_at(at):
            since = None
            continue
        since = at if since is None else since
        yield at, at - since


def stages(group: Group) -> Tried:
    """See that more machines run at one time than at another. A group of one has none to stage."""
    if len(group.machines) == 1 or len({group.running(at) for at in group.demand.readings}) > 1:
        return Tried()
    return Tried(untried=f"change the load of {group.name} until another machine starts or stops")


def loses(group: Group) -> Tried:
    """See that a machine which should run did not, for longer than it takes to start: what `holds` then judges is its loss."""
    for machine in group.machines:
        lost = _lasting(machine.speed, machine.is_lost)
        if any(lasted_s > group.settles_s for _, lasted_s in lost):
            return Tried()
    return Tried(untried=f"stop one machine of {group.name} that is commanded to run")


def changeovers(handed: Handed) -> Found:
    """Count stretches in which free cooling was off though it was cold enough, or on though it was too warm."""
    faults, untried = [], []
    for name, plant in parts(read_of(handed, "economisers"), "economisers").items():
        outside = series(plant, "outside", "degC", name)
        is_on = _truth(plant, "free_cooling", name)
        if not is_on:
            stated(plant, "free_cooling", name)
        below, above = _limit(plant, "below", name), _limit(plant, "above", name)
        settles_s = Decimal(stated(plant, "settles_s", name))
        is_cold = {at: value < below for at, value in outside.readings.items()}
        is_warm = {at: value > above for at, value in outside.readings.items()}
        cold = _wrong_stretches(outside, settles_s, is_cold, is_on, wanted=True)
        warm = _wrong_stretches(outside, settles_s, is_warm, is_on, wanted=False)
        faults += [f"{name}: free cooling is off at {shown(outside.readings[at])} degC" for at in cold]
        faults += [f"{name}: free cooling is on at {shown(outside.readings[at])} degC" for at in warm]
        if len(set(is_on.values())) < 2:
            untried.append(f"change {name} over, by weather or by the outside temperature that its controller is given")
    return _judged([Tried(tuple(faults)), *(Tried(untried=one) for one in untried)])


def _limit(plant: Part, key: str, name: str) -> Decimal:
    """Return an outside temperature of the sequence: a number of the inventory, or the mean of the set point's readings."""
    found = stated(plant, key, name)
    return series(plant, key, "degC", name).mean if isinstance(found, dict) else Decimal(found)


def _wrong_stretches(
    outside: Series,
    settles_s: Decimal,
    weather: Mapping[Decimal, bool],
    is_on: Mapping[Decimal, bool],
    *,
    wanted: bool,
) -> list[Decimal]:
    """Return the beginning of the fault in each stretch of weather: what should have changed over did not in time."""
    found: list[Decimal] = []
    was_wrong = False
    for at, lasted_s in _lasting(outside, lambda now: weather[now] and is_on.get(now, wanted) != wanted):
        if not lasted_s:
            was_wrong = False
        if lasted_s > settles_s and not was_wrong:
            found.append(at)
            was_wrong = True
    return found


FANS = Tool("fan groups", "fans", "role building_read", (Metric("fan.sequence_failures", "count", fans),))
PUMPS = Tool("pump groups", "pumps", "role building_read", (Metric("pump.sequence_failures", "count", pumps),))
ECONOMISERS = Tool(
    "economisers",
    "economisers",
    "role building_read",
    (Metric("economiser.changeover_failures", "count", changeovers),),
)
