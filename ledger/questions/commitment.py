"""Commitment and target, and the schedule contingency: what is left of the time between working schedule and commitment.

A commitment stays until somebody commits anew and says why (`plan adopt --recommit`). Other revisions and forecasts do not move it.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.kept_forecast import Freshness
from ledger.questions.log import forecasts
from ledger.questions.site import live_since, site_of
from ledger.questions.snapshot import Snapshot, rows_of, table
from steps.catalog.terms import Percentile
from steps.planning.dates.milestones import CONTINGENCY_OWNER, GO_LIVE
from steps.stamps import days_between

_IN_FORCE = """
JOIN plan_revision r USING (revision)
WHERE t.revision = (SELECT max(revision) FROM committed_date) ORDER BY t.rowid"""


@table("committed_date", reason="r.reason", by="r.adopted_by", at="r.adopted_at", revision="t.revision")
class Commitment(NamedTuple):
    """The commitment of a milestone with its percentile, its target (P50), and since when, by whom and why.

    `working` is its date in the working schedule of that day.
    """

    milestone: str
    percentile: Percentile
    working: datetime
    target: datetime
    commitment: datetime
    revision: int
    reason: str
    by: str
    at: datetime


class Contingency(NamedTuple):
    """The time between the working schedule and the commitment of go-live, in days of the site's calendar.

    `days` is what there was when people committed, `left` what is left by the kept forecast, or when the site went
    live, and negative if that is after the commitment. `published` is what was left at the last forecast that was published. None if there was none since.
    `chance` is that of the commitment now. Both `left` and `chance` are None without a kept forecast.
    """

    days: int
    left: int | None
    published: int | None
    chance: float | None
    owner: str = CONTINGENCY_OWNER


def commitments(snapshot: Snapshot) -> dict[str, Commitment]:
    """Return the commitments of go-live, each hall and each phase, by milestone. Empty before anybody commits."""
    return {one.milestone: one for one in rows_of(snapshot, Commitment, _IN_FORCE)}


def contingency(snapshot: Snapshot, commitment: Commitment, fresh: Freshness | None) -> Contingency:
    """Return what is left of the schedule contingency of go-live. The plan does not say: it does not know how the work stands."""
    zone, found = site_of(snapshot).time_zone, None if fresh is None else fresh.forecast
    stands = live_since(snapshot) or (None if found is None else found.finish)

    def until(finish: datetime) -> int:
        return days_between(finish, commitment.commitment, zone)

    since = [one for one in forecasts(snapshot) if one.at > commitment.at]
    return Contingency(
        days=until(commitment.working),
        left=None if stands is None else until(stands),
        published=until(since[0].finish) if since else None,
        chance=None if found is None else found.milestones[0].committed_share,
    )


def go_live_commitment(snapshot: Snapshot) -> Commitment | None:
    """Return the commitment of go-live. None before anybody commits."""
    return commitments(snapshot).get(GO_LIVE)
