"""What a file says of a project: its network, and whatever else the engines and the quality checks take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from schedule.cpm.columns import Activities, Actuals, Links
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import Minutes, ShiftCalendar
from schedule.errors import InputError, Place

if TYPE_CHECKING:
    from schedule.levelling.problem import Capacity
    from schedule.risk.spreads import Estimates


@dataclass(frozen=True)
class Timeline:
    """What minutes are."""

    origin: datetime
    zone: str = "UTC"

    def at(self, minute: int) -> datetime:
        """Return the instant of a minute in the project's zone."""
        return (self.origin + timedelta(minutes=minute)).astimezone(ZoneInfo(self.zone))

    def length(self, minutes: int) -> float:
        """Return a length in hours."""
        return round(minutes / 60, 4)

    def text(self, minute: int) -> str:
        """Return the same for people."""
        return f"{self.at(minute):%Y-%m-%d %H:%M}"


@dataclass(frozen=True)
class Demand:
    """An activity, by its row, holds an amount of a resource while it works."""

    row: int
    resource: int
    amount: int


@dataclass(frozen=True, eq=False)
class Project:
    """A project as its file has it. Columns are by row of the activities; instants are minutes of the timeline."""

    place: Place
    timeline: Timeline
    activities: Activities
    titles: Sequence[str]
    links: Links
    calendars: tuple[ShiftCalendar, ...]
    day: Minutes
    """Working minutes in a day, by calendar."""
    start: int
    """No activity starts before it."""
    actuals: Actuals | None = None
    estimates: Estimates | None = None
    """The three points of durations; None where no activity has them."""
    baseline_finish: Minutes | None = None
    """NONE for an activity without one; None where no activity has one."""
    resources: tuple[str, ...] = ()
    capacities: tuple[Capacity, ...] = ()
    demands: tuple[Demand, ...] = ()

    def compiled(self) -> CompiledNetwork:
        """Return the network ready to be solved. Raise InputError with the file for links that run in a circle."""
        try:
            return compile_network(self.activities, self.links, self.calendars)
        except InputError as error:
            raise InputError(error.what, hint=error.hint, place=self.place) from None
