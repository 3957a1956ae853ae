"""The kept forecast in words: go-live, what moved it and what that costs. All views show these lines, so that they agree to the day."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ledger.questions.kept_forecast import Freshness, KeptForecast
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from steps.stamps import local_day

MINUTES_OF_DAY = 1440
MOST_SHOWN = 3
"""Of steps and of roles; `clusterwright forecast --json` has all."""


def days_words(days: int) -> str:
    """Return a number of days in words, without its sign."""
    return "1 day" if abs(days) == 1 else f"{abs(days)} days"


def in_days(days: int) -> str:
    """Return how late something is, in words."""
    if days == 0:
        return "as planned"
    return f"{days_words(days)} {'late' if days > 0 else 'early'}"


def go_live_lines(snapshot: Snapshot, fresh: Freshness | None) -> list[str]:
    """Return go-live as planned and as forecast, how it changed since the last published forecast, why, and what that costs."""
    site = site_of(snapshot)
    if site.plan_finish is None:
        return []
    planned = f"go-live planned {local_day(site.plan_finish, site.time_zone)}"
    if fresh is not None:
        return [planned, forecast_line(fresh), *_since(fresh), *slip_lines(fresh.forecast)]
    if snapshot.as_of is not None:  # of an earlier moment none is kept
        return [planned]
    return [planned, "no forecast of this plan is kept: `clusterwright forecast` makes one"]


def forecast_line(fresh: Freshness) -> str:
    """Return go-live as it is expected, how sure that is, and what it is as of."""
    found, go_live = fresh.forecast, fresh.forecast.milestones[0]
    sure = f"P50 {found.day(go_live.p50.date)}, P80 {found.day(go_live.p80.date)}"
    return f"go-live forecast {found.day(found.finish)}, {in_days(found.days_late)}; {sure}; {fresh.words}"


def slip_lines(found: KeptForecast) -> list[str]:
    """Return by how much go-live slipped, the greatest parts of that and its cost; none where it is as planned."""
    if not found.slip:
        return []
    parts = (f"{one.title} ({one.owner}) {one.words}, {one.minutes / MINUTES_OF_DAY:+.1f} days" for one in found.slip)
    slipped = (found.finish - found.planned).total_seconds() / 60 / MINUTES_OF_DAY
    lines = [f"slip {slipped:+.1f} days, above all: {'; '.join(parts)}; all parts: `clusterwright slip`"]
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
        lines.append(f"finished work shows: {'; '.join(islice(steps, MOST_SHOWN))}; go-live {moved:+.1f} days by it")
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
        moved = f"{days_words(days)} {'later' if days > 0 else 'earlier'} than" if days else "the same day as in"
        yield f"{moved} the forecast that {last.by} published on {found.day(last.at)}: {found.day(last.finish)}"
