"""Genesis, adopted plans, progress from before, and published forecasts."""

from __future__ import annotations

from datetime import datetime

from ledger.log.payloads.base import Again, Decided, Part, Payload


class Genesis(Payload):
    """The first event: which site, and whether it is a rehearsal."""

    kind = "genesis"
    site_uuid: str
    format: int
    name: str
    time_zone: str
    rehearsal: bool
    owner: str
    owner_key: str | None = None


class PlanAdopted(Decided):
    """A plan revision is in force; the document lies in the evidence store.

    `reopened` and `sign_again` are what the rules drew from what the revision changes. None is version 1,
    which did not say: there the projection asks the rule of that time. `people` are the digests of the documents
    that hold names; in version 1 the names stand in the plan itself.
    """

    kind = "plan.adopted"
    version = 2
    revision: int
    document: str
    reason: str
    baseline: str | None
    activities: int
    digests: dict[str, str]
    reopened: tuple[Again, ...] | None
    sign_again: tuple[Again, ...] | None
    people: dict[str, str] | None


class ForecastPublished(Payload):
    """A finish date that was told to others."""

    kind = "forecast.published"
    finish: datetime
    phases: dict[str, datetime]
    note: str


class BeforeRow(Part):
    """An activity, order or delivery that was done before Clusterwright."""

    subject: str
    state: str
    started: datetime | None
    finished: datetime | None
    by: str
    note: str


class ProgressAdopted(Payload):
    """What was done before Clusterwright, as somebody recorded it."""

    kind = "progress.adopted"
    rows: tuple[BeforeRow, ...]
