"""A longer horizon, for samples that go on for longer than the levelled plan."""

from __future__ import annotations

from dataclasses import replace

from steps.errors import InputError
from steps.schedule.cpm.compiled import CompiledNetwork
from steps.schedule.cpm.shifts import HINT
from steps.schedule.levelling.problem import Problem
from steps.schedule.slotted import LAG, Slotted, open_slots


def longer(network: CompiledNetwork, slotted: Slotted, horizon: int, left: int) -> tuple[Problem, int]:
    """Return the problem over twice as many slots as `horizon`, or as many as the calendars of its network are known for.

    Raise InputError if that is no longer. `left` is the activity of the problem that did not fit.
    """
    shifts = [calendar for calendar in network.calendars if not calendar.is_continuous]
    if not shifts:
        return slotted.problem, 2 * horizon
    known = min(calendar.known[1] for calendar in shifts) - slotted.first
    slots = min(2 * horizon, known // slotted.slot_minutes)
    if slots <= horizon:
        row = int(slotted.row[left])
        what = "a lag" if row == LAG else f"activity {network.activities.names[row]!r}"
        raise InputError(f"with these crews {what} finishes after the end of the calendars in some samples", hint=HINT)
    opened = tuple(open_slots(calendar, slotted.first, slots, slotted.slot_minutes) for calendar in shifts)
    return replace(slotted.problem, calendars=opened), slots
