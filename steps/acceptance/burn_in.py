"""The clock of a burn-in: hours without a fault, which start again at every fault or reboot.

A gap between readings that is longer than allowed starts the clock again, as a fault does: nobody knows what happened
in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from itertools import pairwise
from typing import NamedTuple

from steps.acceptance.severity import ACTIONS, Action, Severity, worst

RUNNING, CLEAN, STOPPED, NOT_STARTED = "running", "clean", "taken out", "not started"
HUNDREDTH = Decimal("0.01")
MAX_GAP = timedelta(minutes=15)
"""The longest time between two readings; assumption: three scrapes of five minutes."""


class Fault(NamedTuple):
    """Something that went wrong on the item, when, and how bad it is. A reboot is a fault too."""

    at: datetime
    severity: Severity
    what: str


class Restart(NamedTuple):
    """Why and when the clock started again, and the clean hours that were lost."""

    at: datetime
    why: str
    lost_h: Decimal


class BurnIn(NamedTuple):
    """The result of a burn-in so far. Hours are cut after two decimals, so that no burn-in ends a minute early.

    `action` is what the worst fault asks for; None without a fault. `began` is when the clock started last; None without a reading.
    """

    verdict: str
    clean_h: Decimal
    remaining_h: Decimal
    restarts: tuple[Restart, ...]
    action: Action | None
    began: datetime | None

    @property
    def sentence(self) -> str:
        """Return the result in one line."""
        said = f"{self.verdict}: {self.clean_h} h without a fault, {self.remaining_h} h to go"
        if self.restarts:
            said += f", started again {len(self.restarts)} times, last for {self.restarts[-1].why}"
        return said if self.action is None else f"{said}; {self.action.sentence}"


def burn_in(readings: Sequence[datetime], faults: Iterable[Fault], required_h: Decimal) -> BurnIn:
    """Return the result of a burn-in; readings and faults may come in any order.

    The clock runs from the first reading to the last one. A part that has to be replaced ends the burn-in: the new part
    has a burn-in of its own. Without a reading it is `not started`.
    """
    seen = sorted(set(readings))
    if not seen:
        return BurnIn(NOT_STARTED, Decimal(0), required_h, (), None, None)
    first, last = seen[0], seen[-1]
    counted = [fault for fault in faults if first <= fault.at <= last]
    level = worst([fault.severity for fault in counted])
    restarting = [fault for fault in counted if ACTIONS[fault.severity].restarts_clock]
    stops = [(fault.at, fault.what) for fault in restarting]
    events = sorted([*_gaps(seen), *stops])
    began, restarts = first, []
    for at, why in events:
        restarts.append(Restart(at, why, _hours(at - began)))
        began = at
    clean = _hours(last - began)
    out = level is Severity.REPLACE
    verdict = STOPPED if out else CLEAN if clean >= required_h else RUNNING
    return BurnIn(
        verdict,
        Decimal(0) if out else clean,
        required_h if out else max(required_h - clean, Decimal(0)),
        tuple(restarts),
        None if level is None else ACTIONS[level],
        began,
    )


def _gaps(seen: Sequence[datetime]) -> list[tuple[datetime, str]]:
    """Return when each gap that is too long ended, and how long it was."""
    return [
        (after, f"{_hours(after - before)} h without a reading")
        for before, after in pairwise(seen)
        if after - before > MAX_GAP
    ]


def _hours(time: timedelta) -> Decimal:
    return (Decimal(time // timedelta(seconds=1)) / 3600).quantize(HUNDREDTH, ROUND_DOWN)
