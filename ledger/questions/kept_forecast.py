"""The forecast that a site keeps, so that all views show the same one, at once: made for a revision and the events until one.

It is no part of the record: anybody makes it again from the record. It is for the account that runs the site, as all that
a site keeps is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from ledger.questions.order_value import OrderValue
from ledger.questions.site import head, revision
from ledger.questions.snapshot import Snapshot

FILE = Path(".clusterwright") / "forecast.json"
MATTERS = frozenset(
    (
        *("plan.adopted", "progress.adopted", "activity.started", "activity.finished", "activity.progressed"),
        *("activity.signed", "activity.rejected", "activity.reopened", "activity.attested", "activity.not_applicable"),
        *("activity.resumed", "entry.taken_back", "duplicate.settled", "run.settled", "items.checked"),
        *("order.placed", "order.promised", "tranche.received", "waiver.moved", "criterion.waived"),
    )
)
"""Kinds of events that can move a date. Time that passes moves dates too: a forecast says as of when it is."""


@dataclass(frozen=True, slots=True)
class KeptChance:
    """A date that is kept with a probability, and the interval that holds it with 95 %."""

    date: datetime
    low: datetime
    high: datetime


@dataclass(frozen=True, slots=True)
class KeptMilestone:
    """Go-live, a hall in service or a phase: as planned, as expected now, and how sure that is."""

    milestone: str
    planned: datetime
    expected: datetime
    p50: KeptChance
    p80: KeptChance
    planned_share: float


@dataclass(frozen=True, slots=True)
class KeptValue:
    """Crew-hours until the data date: what was to be done, planned for what is done, what it took; and all that is planned."""

    planned_h: float
    earned_h: float
    actual_h: float
    total_h: float
    spi: float | None
    cpi: float | None


@dataclass(frozen=True, slots=True)
class KeptSlip:
    """By how many minutes one activity, order or delivery made go-live later, who answers for it, and what happened."""

    id: str
    title: str
    owner: str
    words: str
    minutes: int


@dataclass(frozen=True, slots=True)
class KeptForecast:
    """A forecast, and what it was made from; go-live is the first milestone."""

    revision: int
    event: int
    as_of: datetime
    planned: datetime
    finish: datetime
    unlimited_finish: datetime
    slip_day_usd: float
    samples: int
    seed: int
    milestones: tuple[KeptMilestone, ...]
    critical: tuple[str, ...]
    nodes: dict[str, datetime]
    earned: KeptValue
    slip: tuple[KeptSlip, ...] = ()
    """The greatest parts of the slip. None where go-live is as planned, and in what an earlier version kept."""
    ordered: tuple[OrderValue, ...] = ()
    """By currency; none before an order is placed, and in what an earlier version kept."""

    @property
    def days_late(self) -> int:
        """Whole days from the planned to the expected finish, negative where it is earlier."""
        return (self.finish - self.planned).days


class Freshness(NamedTuple):
    """A kept forecast, and how many later events may move its dates."""

    forecast: KeptForecast
    newer: int

    @property
    def words(self) -> str:
        """Return what it is as of, in words."""
        said = f"as of event {self.forecast.event}"
        return said if not self.newer else f"{said}; {self.newer} newer matter: `clusterwright forecast`"


def kept_forecast(snapshot: Snapshot) -> Freshness | None:
    """Return the forecast of the plan in force; None where there is none yet, or only one of another plan or of later events."""
    try:
        found = msgspec.json.decode((snapshot.site_dir / FILE).read_bytes(), type=KeptForecast)
    except (OSError, msgspec.DecodeError):
        return None
    if found.revision != revision(snapshot) or found.event > head(snapshot).seq:
        return None
    later = snapshot.column("SELECT kind FROM event WHERE seq > :seq", seq=found.event)
    return Freshness(found, sum(kind in MATTERS for kind in later))
