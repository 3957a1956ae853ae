"""What the pages of a site are made from, asked once: the questions of every other view, and the schedule that `picture` draws."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from clusterwright.output import day
from clusterwright.reports.stood import Stood, stood
from clusterwright.week_report import Span, began
from flows.runs.releases.lapsed import lapsed_releases
from ledger.evidence.plans import read_plan
from ledger.forecasting import slip_of
from ledger.questions.activities import activities
from ledger.questions.actuals import actuals
from ledger.questions.headlines import Headlines, headlines
from ledger.questions.kept_forecast import KeptForecast, forecast_time
from ledger.questions.people import people
from ledger.questions.site import SiteRow, head, site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from steps.planning.plan import Plan
from steps.planning.record.forecast import Actuals, ForecastSolution, solve_forecast
from steps.planning.record.slip_of_plan import Slipped


@dataclass
class Asked:
    """A site at one moment, and the time until then that is reported. What takes long is worked out when a page needs it."""

    snapshot: Snapshot
    span: Span
    organisation: str | None = None
    phase: str | None = None
    """If one of these is named, the page is about this contractor's work, or this phase, alone."""

    record: str = ""

    @cached_property
    def since(self) -> datetime:
        """When the time that is reported began."""
        return began(self.span, self.snapshot.now, self.zone)

    @cached_property
    def site(self) -> SiteRow:
        """The site and the plan in force."""
        return site_of(self.snapshot)

    @property
    def zone(self) -> str:
        """The site's time zone, in which days are written."""
        return self.site.time_zone

    @cached_property
    def top(self) -> Headlines:
        """What every view begins with."""
        return headlines(self.snapshot, lapsed_releases(self.snapshot))

    @property
    def kept(self) -> KeptForecast | None:
        """The kept forecast."""
        return self.top.fresh.forecast if self.top.fresh else None

    @property
    def finish(self) -> datetime:
        """When go-live is expected: by the kept forecast, else as the plan is solved with what has happened."""
        return self.kept.finish if self.kept else self.solved.forecast.finish

    @cached_property
    def rows(self) -> list[Activity]:
        """Every activity that the page is about."""
        return activities(self.snapshot, phase=self.phase, organisation=self.organisation)

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of these activities."""
        return frozenset(row.id for row in self.rows)

    def is_about(self, name: str) -> bool:
        """Return whether the page is about an activity, or the activity of an order or a delivery."""
        return (self.phase or self.organisation) is None or name.partition("#")[0] in self.ids

    @cached_property
    def names(self) -> dict[str, str]:
        """What people are called, by id."""
        return {one.id: one.name or one.id for one in people(self.snapshot)}

    @cached_property
    def plan(self) -> Plan:
        """The plan in force."""
        return read_plan(self.snapshot)

    @cached_property
    def actuals(self) -> Actuals:
        """What has happened."""
        return actuals(self.snapshot)

    @cached_property
    def solved(self) -> ForecastSolution:
        """The plan solved with what has happened."""
        return solve_forecast(self.plan, self.actuals, forecast_time(self.snapshot))

    @cached_property
    def slipped(self) -> Slipped:
        """Why go-live is later than planned, as `clusterwright slip` says it."""
        return slip_of(self.snapshot, self.solved).slipped

    @cached_property
    def before(self) -> Stood | None:
        """How the site stood at the beginning of the time that is reported."""
        return stood(self.snapshot, self.since)

    def day(self, instant: datetime | None) -> str:
        """Return the day of an instant at the site. A dash for None."""
        return day(instant, self.zone) or "–"

    @property
    def title(self) -> str:
        """What a page is of: the site and the last day of its time."""
        mark = "REHEARSAL: " if self.site.rehearsal else ""
        return f"{mark}{self.site.name}, {self.span} to {self.day(self.snapshot.now)}"

    @property
    def as_of(self) -> str:
        """What the page is as of."""
        seq = head(self.snapshot).seq
        return self.record or f"as of event {seq}, {self.day(self.snapshot.now)}"
