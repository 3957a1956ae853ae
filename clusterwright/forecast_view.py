"""A kept forecast for eyes, and what moved between two of them."""

from __future__ import annotations

from datetime import timedelta

from clusterwright.output import Document, day
from ledger.questions.forecast_words import days_words
from ledger.questions.kept_forecast import KeptForecast, KeptValue
from ledger.questions.order_value import OrderValue


def forecast_document(found: KeptForecast) -> Document:
    """Return a forecast as JSON, without the date of every activity."""
    return {
        "as_of": found.as_of,
        "event": found.event,
        "finish": found.finish,
        "unlimited_finish": found.unlimited_finish,
        "planned": found.planned,
        "days_later": found.days_later,
        "samples": found.samples,
        "seed": found.seed,
        "milestones": found.milestones,
        "responses": found.responses,
        "critical": found.critical,
        "earned_value": found.earned,
        "ordered_value": found.ordered,
        "slip": found.slip,
        "learned": {"steps": found.lessons, "go_live_minutes": found.lessons_minutes, "approvals": found.approvals},
    }


def value_line(earned: KeptValue) -> str:
    """Return the earned value in words, with its two indices."""
    done = f"{earned.earned_h:,.0f} of {earned.total_h:,.0f} crew-hours are done"
    said = f"{done}, {earned.planned_h:,.0f} were planned by now, {earned.actual_h:,.0f} were worked"
    return said + _indices(earned.spi, earned.cpi)


def ordered_line(ordered: OrderValue) -> str:
    """Return the earned value of placed orders in words, with its two indices."""
    currency = ordered.currency
    if not ordered.total:
        return f"no value is recorded of {ordered.unpriced} placed orders"
    came = f"{currency} {ordered.received:,.0f} of {ordered.total:,.0f} ordered are received"
    said = f"{came}, {ordered.planned:,.0f} were planned by now, {ordered.actual:,.0f} is what they cost"
    without = f"; {ordered.unpriced} placed orders have no value" if ordered.unpriced else ""
    return said + _indices(ordered.spi, ordered.cpi) + without


def _indices(spi: float | None, cpi: float | None) -> str:
    known = [f"{name} {value:.2f}" for name, value in (("SPI", spi), ("CPI", cpi)) if value is not None]
    return f": {', '.join(known)}" if known else ""


def moved_lines(before: KeptForecast | None, after: KeptForecast, zone: str) -> list[str]:
    """Return what moved from one forecast to the next, as lines; nothing to compare with is the plan."""
    now = after.milestones[0]
    dates = [("go-live", before.finish if before else after.planned, after.finish)]
    if before is not None:
        was = before.milestones[0]
        dates += [("P50", was.p50.date, now.p50.date), ("P80", was.p80.date, now.p80.date)]
    lines = [
        f"{name} {day(old, zone)} -> {day(new, zone)}, {days_words(days)} {'later' if days > 0 else 'earlier'}"
        for name, old, new in dates
        if (days := after.days(old, new))
    ]
    cost = (after.finish - dates[0][1]) / timedelta(days=1) * after.slip_day_usd
    if cost > 0:
        lines.append(f"this delay costs about ${cost:,.0f}")
    return lines or [f"go-live stays on {day(after.finish, zone)}"]
