"""The kept forecast in words: go-live, what moved it and what that costs. All views show these lines, so that they agree to the day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from ledger.questions.baseline import Baseline, baseline
from ledger.questions.commitment import Commitment, Contingency, contingency, go_live_commitment
from ledger.questions.kept_forecast import Freshness, KeptForecast, last_forecast
from ledger.questions.site import live_since, site_of
from ledger.questions.snapshot import Snapshot
from steps.stamps import days_between, local_day

MINUTES_OF_DAY = 1440
SURE, HARDLY = 0.99, 0.01
MOST_SHOWN = 3
"""Of steps and of roles; `clusterwright forecast --json` has all."""


def days_words(days: int) -> str:
    """Return a number of days in words, without its sign."""
    return "1 day" if abs(days) == 1 else f"{abs(days)} days"


class WentLive(NamedTuple):
    """When a site went live, and when it was to by commitment, plan, baseline and the last forecast before. None is what there was not."""

    at: datetime
    commitment: datetime | None
    planned: datetime
    baseline: datetime
    forecast: datetime | None


def than(days: int, other: str) -> str:
    """Return by how many days something is later or earlier than something else, in words."""
    return f"{days_words(days)} {'later' if days > 0 else 'earlier'} than {other}"


def than_planned(days: int) -> str:
    """Return by how many days something is later or earlier than planned, in words."""
    return than(days, "planned") if days else "as planned"


def went_live(snapshot: Snapshot) -> WentLive | None:
    """Return when the site went live, beside what was said before. None if it is not live."""
    at, planned, base = live_since(snapshot), site_of(snapshot).plan_finish, baseline(snapshot)
    if at is None or planned is None or base is None:
        return None
    made = go_live_commitment(snapshot)
    return WentLive(at, made and made.commitment, planned, base.finish, last_forecast(snapshot, at))


def _went_live_line(found: WentLive, zone: str) -> str:
    """Return when the site went live and by how many days that is after or before what was said."""
    said = {
        "commitment": found.commitment,
        "plan": found.planned,
        "baseline": found.baseline,
        "last forecast": found.forecast,
    }
    parts = []
    for name, date in said.items():
        if date is not None:
            days = days_between(date, found.at, zone)
            when = f"{days_words(days)} {'after' if days > 0 else 'before'}" if days else "on the day of"
            parts.append(f"{when} the {name} ({local_day(date, zone)})")
    return f"went live on {local_day(found.at, zone)}: {', '.join(parts)}"


def planned_line(planned: datetime, base: Baseline, zone: str) -> str:
    """Return go-live in the working schedule beside the baseline's."""
    days = days_between(base.finish, planned, zone)
    moved = f", {than(days, 'the baseline')}" if days else ""
    return (
        f"working schedule: go-live {local_day(planned, zone)}, baseline {local_day(base.finish, zone)} ({base}){moved}"
    )


def go_live_lines(snapshot: Snapshot, fresh: Freshness | None) -> list[str]:
    """Return the commitment to go-live, the plan and the forecast, how it changed since the last published forecast, why, and what that costs.

    On a site that is live it is when it went live, against commitment, plan, baseline and forecast.
    """
    site, base, live = site_of(snapshot), baseline(snapshot), went_live(snapshot)
    if site.plan_finish is None or base is None:
        return []
    if live is not None:
        return [_went_live_line(live, site.time_zone)]
    lines = [*_commitment_lines(snapshot, fresh), planned_line(site.plan_finish, base, site.time_zone)]
    if fresh is not None:
        return [*lines, forecast_line(fresh), *_since(fresh), *slip_lines(fresh.forecast)]
    if snapshot.as_of is not None:  # of an earlier moment none is kept
        return lines
    return [*lines, "no forecast of this plan is kept: `clusterwright forecast` makes one"]


def _commitment_lines(snapshot: Snapshot, fresh: Freshness | None) -> Iterator[str]:
    """Yield the commitment, how sure it still is, and what is left of the time before it."""
    made = go_live_commitment(snapshot)
    if made is None:
        yield "no commitment yet: `clusterwright plan adopt --recommit --reason '...'` makes one"
        return
    zone, left = site_of(snapshot).time_zone, contingency(snapshot, made, fresh)
    chance = "" if left.chance is None else f", now with a chance of {chance_words(left.chance)}"
    yield f"go-live {commitment_words(made, zone, chance)}; committed on {local_day(made.at, zone)} by {made.by}"
    yield contingency_line(left)


def commitment_words(made: Commitment, zone: str, chance: str = "") -> str:
    """Return the commitment and the target of a milestone. `chance` is said beside the commitment."""
    return (
        f"commitment {local_day(made.commitment, zone)} ({made.percentile}){chance}, "
        f"target {local_day(made.target, zone)} (P50)"
    )


def contingency_line(left: Contingency) -> str:
    """Return what is left of the schedule contingency, who answers for it, and what was drawn since the last published forecast."""
    drawn = "" if left.published is None else f"; {days_words(left.published)} when a forecast was last published"
    if left.left is not None and left.left < 0:
        return f"schedule contingency of {days_words(left.days)} is used up: the working forecast is {days_words(left.left)} after the commitment ({left.owner}){drawn}"
    return f"schedule contingency: {left_words(left.left, left.days)} ({left.owner}){drawn}"


def left_words(left: int | None, days: int) -> str:
    """Return how many days of contingency are left of those there were at the commitment."""
    if left is None:
        return f"{days_words(days)} at the commitment; no forecast says what is left"
    if left > days:
        return f"{days_words(left)} left, {left - days} more than at the commitment"
    return f"{left} of {days_words(days)} left"


def chance_words(share: float) -> str:
    """Return a share of samples as a chance. A few hundred samples say nothing more exact of what is nearly sure or hardly happens."""
    if share < HARDLY:
        return "under 1 %"
    return "over 99 %" if share > SURE else f"{share * 100:.0f} %"


def forecast_line(fresh: Freshness) -> str:
    """Return go-live as it is expected, how sure that is, and what it is as of."""
    found, go_live = fresh.forecast, fresh.forecast.milestones[0]
    sure = f"P50 {found.day(go_live.p50.date)}, P80 {found.day(go_live.p80.date)}"
    return f"go-live forecast {found.day(found.finish)}, {than_planned(found.days_later)}; {sure}; {fresh.words}"


def slip_lines(found: KeptForecast) -> list[str]:
    """Return by how much go-live slipped, the greatest parts of that and its cost; none where it is as planned."""
    if not found.slip:
        return []
    parts = (
        f"{one.id} {one.title} ({one.owner}) {one.words}, {one.minutes / MINUTES_OF_DAY:+z.1f} days"
        for one in found.slip
    )
    slipped = (found.finish - found.planned).total_seconds() / 60 / MINUTES_OF_DAY
    lines = [f"slip {slipped:+z.1f} days, above all: {'; '.join(parts)}; all parts: `clusterwright slip`"]
    if found.delay_usd:
        lines.append(f"the delay costs about ${found.delay_usd:,}")
    return lines


def learned_lines(found: KeptForecast) -> list[str]:
    """Return what finished work and recorded approvals teach, from how many, and what that does to go-live."""
    lines = []
    if found.lessons:
        steps = (
            f"{one.step} takes {one.factor:.2f} times as planned ({one.finished} finished)" for one in found.lessons
        )
        moved = found.lessons_minutes / MINUTES_OF_DAY
        lines.append(f"finished work shows: {'; '.join(islice(steps, MOST_SHOWN))}; go-live {moved:+z.1f} days by it")
    for one in found.approvals[:MOST_SHOWN]:
        of = "1 approval" if one.approvals == 1 else f"{one.approvals} approvals"
        lines.append(
            f"approvals by {one.role} take {one.median_h:.1f} working hours at the median of {of}, "
            f"planned {one.planned_h:.1f}; expected from now on: {one.expected_h:.1f}"
        )
    return lines


def _since(fresh: Freshness) -> Iterator[str]:
    """Yield how go-live moved since the forecast that was published last, if one was."""
    last, found = fresh.published, fresh.forecast
    if last is not None:
        days = found.days(last.finish, found.finish)
        moved = than(days, "the forecast") if days else "the same day as in the forecast"
        yield f"{moved} that {last.by} published on {found.day(last.at)}: {found.day(last.finish)}"
