"""Longer horizons, for samples that go on for longer than the levelled plan."""

from __future__ import annotations

from dataclasses import replace

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import HINT
from schedule.crews.slots import LAG, SLOT, Slotted, open_slots
from schedule.errors import InputError
from schedule.levelling.horizon import first_horizon
from schedule.levelling.problem import Problem

AT_FIRST = 4
"""How many times as many slots as the plan's the first samples get. Lead times are long where luck is bad."""


def first_room(network: CompiledNetwork, slotted: Slotted) -> tuple[Problem, int]:
    """Return a problem over as many slots as its samples usually need, and how many those are."""
    slots = first_horizon(slotted.problem)
    return over(network, slotted, AT_FIRST * slots) if slotted.problem.calendars else (slotted.problem, slots)


def longer(network: CompiledNetwork, slotted: Slotted, horizon: int, left: int) -> tuple[Problem, int]:
    """Return the problem over twice as many slots as `horizon`, or as many as the calendars of its network are known for.

    Raise InputError if that is no longer. `left` is the activity of the problem that did not fit.
    """
    problem, slots = over(network, slotted, 2 * horizon)
    if slots <= horizon:
        row = int(slotted.row[left])
        what = "a lag" if row == LAG else f"activity {network.activities.names[row]!r}"
        raise InputError(f"with these crews {what} finishes after the end of the calendars in some samples", hint=HINT)
    return problem, slots


def over(network: CompiledNetwork, slotted: Slotted, slots: int) -> tuple[Problem, int]:
    """Return the problem over so many slots, or as many as the calendars of its network are known for."""
    shifts = [calendar for calendar in network.calendars if not calendar.is_continuous]
    if not shifts:
        return slotted.problem, slots
    known = min(calendar.known[1] for calendar in shifts) - slotted.first
    slots = min(slots, known // SLOT)
    opened = tuple(open_slots(calendar, slotted.first, slots) for calendar in shifts)
    return replace(slotted.problem, calendars=opened), slots
