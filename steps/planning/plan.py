"""The plan: everything the engine, the ledger and the screens need, resolved and frozen.

A plan revision is this document and nothing else: once adopted, an edited site file or a newer
catalog changes nothing. Times are hours on the named calendar, dates are UTC. A link's ends are
activity ids (`054@pod-003`), order ids (`001@site#gpu-server`) or tranche ids (`001@site#gpu-server/2`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Literal

from pydantic import Field

from steps.catalog.moved import Moved
from steps.catalog.schema import Closed
from steps.catalog.terms import LinkType, Mapping, Response, Scope
from steps.design.drift_rule import DriftRule
from steps.evidence_rules import EvidenceRules
from steps.planning.activity import ELAPSED, CalendarId, Dates, Hours, PlanActivity, PlanPart

DAY_H = 24.0
WEEK_DAYS = 7


class Unit(Closed):
    """A node of the site's tree."""

    id: str
    kind: Scope
    parent: str | None
    title: str
    hosts: tuple[str, ...] = Field(default=(), description="inventory names of the unit's nodes")
    unmatched: tuple[str, ...] = Field(default=(), description="planned nodes that no host of the inventory is")
    shared: tuple[str, ...] = Field(
        default=(),
        description="inventory names of management, log-in and storage hosts: the site's and the first pod's",
    )
    design: dict[str, str | float | bool] = Field(
        default_factory=dict, description="design values of the unit's own level"
    )


class PlanLink(PlanPart, frozen=True, kw_only=True):
    """`after` waits for `before`; `bridged` are the activities between them that do not apply."""

    before: str
    after: str
    type: LinkType = LinkType.FS
    lag_h: float = 0.0
    lag_calendar: CalendarId = "working"
    map: Mapping
    reason: str
    bridged: tuple[str, ...] = ()


class PlanTranche(Closed):
    """One delivery of an order; `units` are those it releases."""

    id: str
    number: int
    quantity: Decimal
    units: tuple[str, ...]
    after_first_h: float = Field(default=0.0, description="elapsed hours after the first delivery")
    dates: Dates | None = None


class PlanOrder(Closed):
    """A supply line: what to buy, by when to order it, and when it must be on site."""

    id: str
    step: str
    unit: str
    item: str
    title: str
    quantity: Decimal
    unit_of_measure: str
    supplier: str
    lead: Hours = Field(description="elapsed hours from order to first delivery")
    lead_source: str
    lead_p80_h: float | None = Field(
        default=None, description="elapsed hours in which 80 of 100 first deliveries are there; older plans have none"
    )
    usd: float | None = Field(
        default=None, description="price of all in US dollars; None where the design has no price of its own for it"
    )
    serialised: bool = Field(default=False, description="each piece is an asset with a serial number")
    order_by: datetime | None = Field(
        default=None,
        description="the last day that its lead time's P80 allows; before it can be placed if it is late with that lead time",
    )
    need_by: datetime | None = None
    dates: Dates | None = None
    tranches: tuple[PlanTranche, ...]


class PlanResource(Closed):
    """What work occupies besides its crews, at the site or at a hall, and how much of it there is."""

    id: str = Field(description="its name and its place, as `receiving-docks@site`")
    title: str
    capacity: int


class PlanLevelling(Closed):
    """How the order of crews was found, so that anybody finds it again."""

    unlimited_finish: datetime = Field(description="the finish with unlimited crews")
    method: str = Field(description="what found the schedule")
    schedules: int = Field(description="how many schedules were tried")
    seed: int
    gap: float = Field(
        description="by which share of a lower bound the schedule is longer than it; 0 is proven to be shortest"
    )


class PlanCalendar(Closed):
    """The working time of trades that do not keep the site's; public holidays are resolved to days."""

    working_days: tuple[int, ...] = Field(description="ISO weekdays, Monday is 1")
    working_hours: tuple[float, float] = Field(
        description="site-local hours of the day; an end above 24 is on the next day"
    )
    holidays: tuple[str, ...] = Field(default=(), description="days on which no shift begins")


class Person(Closed):
    """Someone who may act: an id, roles, and the account or key that proves it."""

    id: str
    name: str
    roles: tuple[str, ...]
    organisation: str = ""
    account: str | None = Field(default=None, description="operating-system account")
    ssh_key: str | None = None


class Plan(Closed):
    """A whole plan, ready to be adopted."""

    format: Literal[1] = 1
    site: str
    preset: str
    time_zone: str
    country: str
    currency: str
    scenario: str = Field(default="", description="under which it was made; empty for the site file as it is")
    facility: str
    start: datetime
    finish: datetime
    working_days: tuple[int, ...] = Field(description="ISO weekdays, Monday is 1")
    working_hours: tuple[float, float] = Field(
        description="site-local hours of the day; an end above 24 is on the next day"
    )
    holidays: tuple[str, ...] = Field(default=(), description="days on which no shift begins")
    calendars: dict[str, PlanCalendar] = Field(
        default_factory=dict, description="of trades that do not keep the site's; older plans have none"
    )
    units: tuple[Unit, ...]
    activities: tuple[PlanActivity, ...]
    links: tuple[PlanLink, ...]
    orders: tuple[PlanOrder, ...]
    host_sets: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="inventory names by the patterns of plays; older plans have none"
    )
    people: tuple[Person, ...]
    engine_key: str | None = Field(
        default=None, description="the public key with which the engine signs; older plans have none"
    )
    roles: dict[str, str]
    approvals: dict[str, float] = Field(
        default_factory=dict,
        description="working hours from finished work to its approval, by the role that approves; older plans have none",
    )
    crews: dict[str, int] = Field(
        default_factory=dict, description="how many crews the site has, by role; older plans are not levelled"
    )
    resources: tuple[PlanResource, ...] = Field(
        default=(), description="what activities occupy besides their crews; older plans have none"
    )
    levelling: PlanLevelling | None = Field(default=None, description="None where nothing waits for crews")
    design: dict[str, str | float | bool] = Field(description="the site's design values")
    figures: dict[str, float] = Field(
        default_factory=dict, description="the figures that the design is worked out from; older plans have none"
    )
    choices: dict[str, str | bool] = Field(default_factory=dict, description="the design's choices by name")
    responses: dict[Response, tuple[str, ...]] = Field(
        default_factory=dict,
        description="what the buyer does about late orders, and of which items; nothing if empty, as in older plans",
    )
    slip_day_usd: float = Field(default=0.0, description="cost of a day of delay; older plans do not know")
    digests: dict[str, str] = Field(description="SHA-256 of site, catalog, playbooks; version")
    moved: Moved = Field(
        default=Moved(), description="what its release states otherwise than the one before; older plans do not say"
    )
    findings: tuple[str, ...] = ()
    evidence: EvidenceRules = Field(
        default=EvidenceRules(), description="what people may attach; older plans have none"
    )
    drift: DriftRule | None = Field(default=None, description="when the engine looks for drift; None for never")

    def nodes(self) -> Iterator[tuple[str, Dates | None]]:
        """Yield all that has dates by id: activities, orders and deliveries."""
        for activity in self.activities:
            yield activity.id, activity.dates
        for order in self.orders:
            yield order.id, order.dates
            for tranche in order.tranches:
                yield tranche.id, tranche.dates

    def hours_a_day(self, calendar: str) -> float:
        """Return the hours of a day on a calendar of this plan, by its name."""
        if calendar == ELAPSED:
            return DAY_H
        opens, closes = self.calendars.get(calendar, self).working_hours
        return closes - opens

    def days_a_week(self, calendar: str) -> int:
        """Return the days of a week on a calendar of this plan, by its name."""
        if calendar == ELAPSED:
            return WEEK_DAYS
        return len(self.calendars.get(calendar, self).working_days)
