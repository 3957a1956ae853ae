"""The forecast that a site keeps, so that all views show the same one, at once: made for a revision and the events until one.

It is no part of the record: anybody makes it again from the record. It is for the account that runs the site, as all that
a site keeps is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ledger.questions.log import ForecastRow, forecasts
from ledger.questions.order_value import OrderValue, index_words
from ledger.questions.site import head, live_since, revision
from ledger.questions.snapshot import Snapshot
from steps.amount import counted
from steps.planning.dates.learned import ApprovalTime, Lesson
from steps.planning.odds.enough_samples import enough_samples
from steps.planning.odds.milestone_odds import MilestoneOdds
from steps.planning.odds.response_result import ResponseResult
from steps.stamps import days_between, local_day

FILE = Path(".clusterwright") / "forecast.json"
MATTERS = frozenset(
    (
        *("plan.adopted", "progress.adopted", "activity.started", "activity.finished", "activity.progressed"),
        *("activity.signed", "activity.rejected", "activity.reopened", "activity.attested", "activity.not_applicable"),
        *("activity.resumed", "entry.taken_back", "duplicate.settled", "run.settled", "items.checked"),
        *("order.placed", "order.acknowledged", "order.promised", "tranche.received", "change.decided"),
        *("run.claimed", "waiver.moved", "criterion.waived", "policy.overridden", "rules.raised"),
    )
)
"""Kinds of events that can move a date. Time that passes moves dates too: a forecast says as of when it is."""


Instant = Annotated[datetime, msgspec.Meta(tz=True)]
MOST_USD = 1e15
"""More than a day of any site costs."""


@dataclass(frozen=True, slots=True)
class KeptValue:
    """Crew-hours until the data date: what was to be done, planned for what is done, what it took; and all that is planned."""

    planned_h: float
    earned_h: float
    actual_h: float
    total_h: float
    spi: float | None
    cpi: float | None

    @property
    def words(self) -> str:
        """The hours, with the two indices."""
        done = f"{self.earned_h:,.0f} of {self.total_h:,.0f} crew-hours are done"
        said = f"{done}, {self.planned_h:,.0f} were planned by now, {self.actual_h:,.0f} were worked"
        return said + index_words(self.spi, self.cpi)


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
    as_of: Instant
    planned: Instant
    finish: Instant
    unlimited_finish: Instant
    slip_day_usd: Annotated[float, msgspec.Meta(ge=0, le=MOST_USD)]
    samples: int
    seed: int
    milestones: Annotated[tuple[MilestoneOdds, ...], msgspec.Meta(min_length=1)]
    critical: tuple[str, ...]
    nodes: dict[str, Instant]
    earned: KeptValue
    slip: tuple[KeptSlip, ...] = ()
    """The greatest parts of the slip. None where go-live is as planned, and in what an earlier version kept."""
    ordered: tuple[OrderValue, ...] = ()
    """By currency; none before an order is placed, and in what an earlier version kept."""
    waits: dict[str, str] = field(default_factory=dict)
    """By activity: the placed delivery, not here yet, that drives its date. None in what an earlier version kept."""
    lessons: tuple[Lesson, ...] = ()
    """What finished work teaches, the greatest difference first."""
    lessons_minutes: int = 0
    """By how much later go-live is for that."""
    approvals: tuple[ApprovalTime, ...] = ()
    """Of the roles that have approved, or are waited for longer than planned; the longest median first."""
    responses: tuple[ResponseResult, ...] = ()
    """What the buyer does about late orders, where the site has responses."""
    time_zone: str = "UTC"
    """The site's, in which days are counted."""
    starts: dict[str, Instant] | None = None
    """When each open activity began or is expected to. None in what an earlier version kept."""

    @property
    def days_later(self) -> int:
        """Days of the site's calendar from the planned to the expected finish, negative where it is earlier."""
        return self.days(self.planned, self.finish)

    @property
    def delay_usd(self) -> int:
        """What the delay costs at the site's cost of a day, in whole dollars. Nothing where go-live is not later than planned."""
        late = (self.finish - self.planned) / timedelta(days=1)
        return round(max(0.0, late) * self.slip_day_usd)

    @property
    def document(self) -> dict[str, Any]:
        """The forecast for --json, without the date of every activity."""
        return {
            "as_of": self.as_of,
            "event": self.event,
            "finish": self.finish,
            "unlimited_finish": self.unlimited_finish,
            "planned": self.planned,
            "days_later": self.days_later,
            "samples": self.samples,
            "seed": self.seed,
            "milestones": self.milestones,
            "responses": self.responses,
            "critical": self.critical,
            "earned_value": self.earned,
            "ordered_value": self.ordered,
            "slip": self.slip,
            "learned": {
                "steps": self.lessons,
                "go_live_minutes": self.lessons_minutes,
                "approvals": self.approvals,
            },
        }

    def day(self, instant: datetime) -> date:
        """Return the day of an instant at the site."""
        return local_day(instant, self.time_zone)

    def days(self, before: datetime, after: datetime) -> int:
        """Return by how many days of the site's calendar one instant is after another."""
        return days_between(before, after, self.time_zone)


class Freshness(NamedTuple):
    """A kept forecast, how many later events may move its dates, how many days old it is, and the last one that was published.

    Days that pass move dates too: what was to begin has not begun. `differs` is true if it says another go-live than the published
    one, of the same day and before anything moved a date.
    """

    forecast: KeptForecast
    newer: int
    days_old: int
    published: ForecastRow | None = None
    differs: bool = False

    @property
    def document(self) -> dict[str, Any]:
        """The forecast for --json, with how many later events may move its dates, and how many days old it is."""
        return self.forecast.document | {"newer": self.newer, "days_old": self.days_old}

    @property
    def since(self) -> str:
        """Return what happened since that may move its dates, in words. Empty where nothing did."""
        passed = ((self.newer, "event"), (self.days_old, "day"))
        return " and ".join(counted(number, word) for number, word in passed if number > 0)

    @property
    def words(self) -> str:
        """Return what it is as of, in words, and the command that makes it again."""
        again = ", and `clusterwright forecast` makes it again" if self.since else ""
        return f"{self.words_on_paper}{again}"

    @property
    def words_on_paper(self) -> str:
        """Return what it is as of, in words."""
        said = f"as of event {self.forecast.event}, {self.forecast.day(self.forecast.as_of)}"
        if self.differs and self.published is not None:
            said += f"; it is not what was published in event {self.published.seq}: {FILE} was changed, or made with other samples"
        return f"{said}; {self.since} since then may change this forecast" if self.since else said


def kept_forecast(snapshot: Snapshot) -> Freshness | None:
    """Return the forecast of the plan in force; None where there is none yet, or only one of another plan or of later events.

    It is None on a site that is live, too: nothing is left to forecast.
    """
    found = forecast_in_folder(snapshot)
    if found is None or found.revision != revision(snapshot) or live_since(snapshot):
        return None
    later = snapshot.column("SELECT kind FROM event WHERE seq > :seq", seq=found.event)
    newer = sum(kind in MATTERS for kind in later)
    days_old = found.days(found.as_of, snapshot.now)
    published = next(iter(forecasts(snapshot)), None)
    return Freshness(found, newer, days_old, published, published is not None and _differs(snapshot, found, published))


def forecast_time(snapshot: Snapshot) -> datetime:
    """Return the time as of which a schedule is solved that stands beside the kept forecast, so that both have the same dates.

    It is that of the kept forecast if that is of this day or a later one, and nothing was recorded since that may move a date. A site's
    working hours begin and end within a day: solved a few hours later, go-live may be another one.
    """
    fresh = kept_forecast(snapshot)
    if fresh is None or fresh.newer or fresh.days_old > 0:
        return snapshot.now
    return fresh.forecast.as_of


def _differs(snapshot: Snapshot, found: KeptForecast, published: ForecastRow) -> bool:
    """Return whether a kept forecast says another go-live than the published one, although nothing was recorded that moves it."""
    is_of_same_day = found.day(found.as_of) == found.day(published.at)
    if found.finish == published.finish or not is_of_same_day:
        return False
    first, last = sorted((found.event, published.seq))
    between = snapshot.column("SELECT kind FROM event WHERE seq > :first AND seq <= :last", first=first, last=last)
    return MATTERS.isdisjoint(between)


def written(site_dir: Path) -> float:
    """Return when the forecast that a site keeps was written, in seconds. 0 without one."""
    try:
        return (site_dir / FILE).stat().st_mtime
    except OSError:
        return 0.0


def standing_forecast(snapshot: Snapshot, *, samples: int | None, seed: int) -> KeptForecast | None:
    """Return the kept forecast if it is the one that would be made again; None otherwise.

    It is of the plan in force, the last event, this day of the site, as many samples and this seed. Of another day it is made
    again, as time that passes moves dates.
    """
    fresh = kept_forecast(snapshot)
    if fresh is None or fresh.differs:
        return None
    found = fresh.forecast
    is_of_this_head = found.event == head(snapshot).seq
    asked = samples or enough_samples(planned_activities(snapshot))
    is_as_asked = (found.samples, found.seed) == (asked, seed)
    is_whole = found.starts is not None
    return found if is_of_this_head and not fresh.days_old and is_as_asked and is_whole else None


def planned_activities(snapshot: Snapshot) -> int:
    """Return how many activities the plan in force has."""
    (number,) = snapshot.first("SELECT count(*) FROM activity WHERE in_plan")
    return int(number)


def last_forecast(snapshot: Snapshot, before: datetime) -> datetime | None:
    """Return when go-live was to be by the last forecast that was made before a moment, published or kept. None without one."""
    kept = forecast_in_folder(snapshot)
    found = [(one.at, one.finish) for one in forecasts(snapshot)]
    if kept is not None:
        found.append((kept.as_of, kept.finish))
    earlier = [one for one in found if one[0] < before]
    return max(earlier)[1] if earlier else None


def forecast_in_folder(snapshot: Snapshot) -> KeptForecast | None:
    """Return the forecast in the site's folder, also one of an earlier plan. None if there is none that this program reads, or only one of later events."""
    try:
        found = msgspec.json.decode((snapshot.site_dir / FILE).read_bytes(), type=KeptForecast)
        ZoneInfo(found.time_zone)
    except (OSError, ValueError, KeyError):  # a zone that there is not is a KeyError, or a ValueError
        return None
    return found if found.event <= head(snapshot).seq else None
