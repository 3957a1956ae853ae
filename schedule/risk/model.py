"""A network with what is uncertain about it, checked and in the arrays that the samplers read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import Actuals, int_column
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import DONE, FROM_START, LAGGED, Wires, Work, counting
from schedule.errors import InputError
from schedule.risk.drivers import RiskDriver, RiskEvent, Rows, check_drivers, check_events, positions
from schedule.risk.philox import Words, name_keys
from schedule.risk.quantiles import Floats
from schedule.risk.responses import Responding, RiskResponse, check_responses, responding
from schedule.risk.spreads import Estimates, Family, of_spreads, quantiles_of

ALL_WORDS = 2.0**32


class Durations(NamedTuple):
    """How each activity's duration is drawn, by number; drivers and events of number `i` are from `..._begin[i]` on."""

    key: Words
    family: NDArray[np.uint8]
    parameters: Floats
    driver_begin: Indices
    driver: Indices
    event_begin: Indices
    event: Indices
    event_key: Words
    responding: Responding


class Causes(NamedTuple):
    """The drivers, the events after them, and then the responses. Words below `limit` mean that it occurs: once, twice ... from `begin` on."""

    key: Words
    begin: Indices
    limit: Words
    family: NDArray[np.uint8]
    parameters: Floats
    is_on: NDArray[np.bool_]


class Course(NamedTuple):
    """The links by successor that still count, and what the pass starts from, by number."""

    begin: Indices
    far: Indices
    code: NDArray[np.uint8]
    lag: Minutes
    lag_calendar: Indices
    calendar: Indices
    earliest: Minutes
    started: Minutes
    state: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class RiskModel:
    """What a run draws from. Inside, everything is by number."""

    network: CompiledNetwork
    durations: Durations
    causes: Causes
    drivers: tuple[str, ...]
    events: tuple[str, ...]
    responses: tuple[str, ...]
    course: Course

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all causes, in their order."""
        return (*self.drivers, *self.events, *self.responses)

    def without(self, *names: str) -> RiskModel:
        """Return the same model with drivers, events or responses switched off. All other draws stay the same."""
        is_on = self.causes.is_on.copy()
        is_on[positions(self.names, names)] = False
        return replace(self, causes=self.causes._replace(is_on=is_on))

    @property
    def is_continuous(self) -> bool:
        """Whether every calendar that is used is worked around the clock, so that work is elapsed time."""
        lagged = self.course.lag_calendar[(self.course.code & LAGGED) != 0]
        used = np.union1d(self.course.calendar, lagged)
        return all(self.network.calendars[index].is_continuous for index in used)

    @property
    def needs_starts(self) -> bool:
        """Whether a link leaves the start of an activity, so that starts have to be kept."""
        return bool((self.course.code & FROM_START).any())


def risk_model(
    network: CompiledNetwork,
    estimates: Estimates,
    *,
    drivers: Sequence[RiskDriver] = (),
    events: Sequence[RiskEvent] = (),
    responses: Sequence[RiskResponse] = (),
    start: int = 0,
    actuals: Actuals | None = None,
) -> RiskModel:
    """Return the model, or InputError for the first thing that is wrong, by name.

    Args:
        network: the numbered network; its own durations are not used.
        estimates: a row an activity, in minutes of its calendar: of the whole activity, or of what remains if it has begun.
        drivers: multiply the durations of many activities.
        events: add work to activities, after drivers have multiplied and responses have shortened.
        responses: shorten durations that drivers have made too long.
        start: no activity starts before it.
        actuals: what has happened. What is done has no uncertainty, and no driver or event.

    """
    names, number = network.activities.names, len(network.activities)
    if len(estimates) != number:
        raise InputError(f"{number} activities have {len(estimates)} estimates", hint="every column has one row each")
    check_drivers(drivers, number)
    check_events(events, number)
    check_responses(responses, number)
    causes_by_kind = (drivers, events, responses)
    driver_names, event_names, response_names = (tuple(one.name for one in kind) for kind in causes_by_kind)
    _refuse_shared_names(driver_names, event_names, response_names)
    work = network.solve(start=start, actuals=actuals).work
    drawn = quantiles_of(estimates, lambda row: f"activity {names[row]!r}")
    order = network.numbers.order
    family, parameters = drawn.family[order], drawn.parameters[order]
    done = work.state == DONE
    family[done], parameters[done] = Family.FIXED, 0.0
    driver_begin, driver, _ = _by_number([driver.activities for driver in drivers], network, done)
    event_begin, event, at = _by_number([event.activities for event in events], network, done)
    keys = [_keys_of(event, names) for event in events]
    event_key = np.concatenate(keys)[at] if keys else np.zeros(0, np.uint64)
    durations = Durations(
        name_keys("activity", names)[order],
        family,
        parameters,
        driver_begin,
        driver,
        event_begin,
        event + len(drivers),
        event_key,
        responding(responses, driver_names, len(drivers) + len(events), network.numbers.number, done),
    )
    causes, course = _causes(drivers, events, responses), _course(network.into, work)
    return RiskModel(network, durations, causes, driver_names, event_names, response_names, course)


def _refuse_shared_names(drivers: Sequence[str], events: Sequence[str], responses: Sequence[str]) -> None:
    both = set(drivers) & set(events)
    if both:
        raise InputError(f"a driver and an event have the name {min(both)!r}", hint="rename one of them")
    twice = [name for name in responses if name in {*drivers, *events} or responses.count(name) > 1]
    if twice:
        raise InputError(f"a response and another cause have the name {twice[0]!r}", hint="rename one of them")


def _keys_of(event: RiskEvent, names: Sequence[str]) -> NDArray[np.uint64]:
    """Return the keys of an event's draws, by row."""
    rows = _rows(event.activities)
    if event.luck is not None:
        return np.repeat(name_keys("event", [event.luck]), len(rows))
    return name_keys(f"event\0{event.name}", (names[row] for row in rows))


def _rows(activities: Rows) -> Minutes:
    """Return rows in order, each once."""
    return np.unique(int_column(activities))


def _by_number(
    applies: Sequence[Rows], network: CompiledNetwork, done: NDArray[np.bool_]
) -> tuple[Indices, Indices, NDArray[np.intp]]:
    """Return for each number what applies to it, in stretches, and the place of each in the rows of all, one after another."""
    rows = [_rows(own) for own in applies]
    numbers = np.concatenate([network.numbers.number[own] for own in rows]) if rows else np.zeros(0, np.int32)
    which = np.repeat(np.arange(len(rows), dtype=np.int32), [len(own) for own in rows])
    kept = np.flatnonzero(~done[numbers])
    order = kept[np.argsort(numbers[kept], kind="stable")]
    begin = np.zeros(len(network.activities) + 1, np.int32)
    np.cumsum(np.bincount(numbers[order], minlength=len(network.activities)), out=begin[1:])
    return begin, which[order], order


def _causes(drivers: Sequence[RiskDriver], events: Sequence[RiskEvent], responses: Sequence[RiskResponse]) -> Causes:
    chances = [(driver.probability,) for driver in drivers] + [tuple(event.chances) for event in events]
    chances += [(1.0,) for _ in responses]
    lengths = [len(own) for own in chances]
    names = [f"multiplier of driver {driver.name!r}" for driver in drivers]
    names += [f"extra work of event {event.name!r}" for event in events]
    names += [f"what comes instead by response {one.name!r}" for one in responses]
    spreads = [driver.multiplier for driver in drivers] + [event.extra for event in events]
    spreads += [one.instead for one in responses]
    family, parameters = quantiles_of(of_spreads(spreads), names.__getitem__)
    flat = np.array([chance for own in chances for chance in own], np.float64)
    return Causes(
        np.concatenate(
            [
                name_keys("driver", (driver.luck or driver.name for driver in drivers)),
                np.zeros(len(events), np.uint64),
                name_keys("response", (one.name for one in responses)),
            ]
        ),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        np.round(flat * ALL_WORDS).astype(np.uint64),
        family,
        parameters,
        np.ones(len(chances), np.bool_),
    )


def _course(into: Wires, work: Work) -> Course:
    degree = np.diff(into.begin)
    near = np.repeat(np.arange(len(degree), dtype=np.int32), degree)
    kept = np.flatnonzero(counting(into, work, before=into.far, after=near))
    begin = np.zeros(len(into.begin), np.int32)
    np.cumsum(np.bincount(near[kept], minlength=len(degree)), out=begin[1:])
    links = (into.far[kept], into.code[kept], into.lag[kept], into.lag_calendar[kept])
    return Course(begin, *links, work.calendar, work.earliest, work.started, work.state)
