"""How sure the dates are: go-live and each milestone with what was promised, what is planned, what is expected, and the odds of the kept forecast."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.baseline import milestone_baselines
from ledger.questions.commitment import Commitment, commitments
from ledger.questions.forecast_words import MINUTES_OF_DAY, go_live_lines
from ledger.questions.kept_forecast import KeptForecast, kept_forecast
from ledger.questions.snapshot import Snapshot
from steps.planning.odds.milestone_odds import MilestoneOdds


class MilestoneDates(NamedTuple):
    """A milestone as the forecast has it, beside its baseline and its commitment. These are None where there is none."""

    kept: MilestoneOdds
    baseline: datetime | None
    commitment: Commitment | None

    @property
    def last(self) -> datetime:
        """The last of its dates."""
        kept = self.kept
        committed = kept.p80.high if self.commitment is None else self.commitment.commitment
        return max(kept.p80.high, kept.expected, kept.planned, committed)

    @property
    def first(self) -> datetime:
        """The first of its dates."""
        kept = self.kept
        return min(kept.p10.low, kept.expected, kept.planned, self.baseline or kept.planned)


class Driver(NamedTuple):
    """Something that moves go-live, or makes it less sure: what, who answers for it, and by how many days. None where nobody can say."""

    kind: str
    what: str
    who: str
    words: str
    days: float | None


class Odds(NamedTuple):
    """What the record says of the dates. Without a kept forecast there are no milestones; `lines` say why and what to do.

    `slip_day_usd` is what a day of delay costs.
    """

    lines: list[str]
    milestones: list[MilestoneDates]
    drivers: list[Driver]
    as_of: datetime | None
    slip_day_usd: float


def odds(snapshot: Snapshot) -> Odds:
    """Return how sure the dates are by the kept forecast. Nothing is worked out again."""
    fresh = kept_forecast(snapshot)
    lines = go_live_lines(snapshot, fresh)
    if fresh is None:
        return Odds(lines, [], [], None, 0.0)
    found, committed, base = fresh.forecast, commitments(snapshot), milestone_baselines(snapshot)
    rows = []
    for one in found.milestones:
        name = one.milestone
        rows.append(MilestoneDates(one, base.get(name), committed.get(name)))
    return Odds(lines, rows, drivers(found), found.as_of, found.slip_day_usd)


def drivers(found: KeptForecast) -> list[Driver]:
    """Return what moved go-live, what finished work and approvals teach, and what the buyer's responses are worth."""
    slip = [
        Driver("slip", one.id, one.owner, f"{one.words}: {one.title}", one.minutes / MINUTES_OF_DAY)
        for one in found.slip
    ]
    lessons = [
        Driver("pace", one.step, "", f"takes {one.factor:.2f} times as planned, {one.finished} finished", None)
        for one in found.lessons
    ]
    if found.lessons:
        moved = found.lessons_minutes / MINUTES_OF_DAY
        lessons.insert(0, Driver("pace", "all finished work", "", "go-live moves by what it teaches", moved))
    approvals = [
        Driver(
            "approval",
            one.role,
            one.role,
            f"{one.median_h:.1f} working hours at the median of {one.approvals}, planned {one.planned_h:.1f}; expected {one.expected_h:.1f}",
            None,
        )
        for one in found.approvals
    ]
    responses = [
        Driver(
            "response",
            one.name,
            "",
            f"{', '.join(one.items)}: used in {one.used_share:.0%} of samples, ${one.usd_mean:,.0f} on average",
            -one.weeks_p80 * 7,
        )
        for one in found.responses
    ]
    return [*slip, *lessons, *responses, *approvals]
