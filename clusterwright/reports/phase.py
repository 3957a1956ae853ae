"""The page of one phase: its dates against commitment and baseline, its work, and what in it is late, open or to be decided."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from clusterwright.reports.asked import Asked
from clusterwright.reports.charts import own_chart
from clusterwright.reports.page import Sheet, Tile, fitted, side_by_side
from clusterwright.reports.tables import decisions_table, done_table, orders_table, quality_table, slip_table
from clusterwright.week_report import DONE
from ledger.questions.baseline import milestone_baselines
from ledger.questions.commitment import commitments
from ledger.questions.forecast_words import chance_words
from ledger.rules.activity import State
from steps.stamps import days_between

MOST_ROWS = 14
MOST_BARS = 24


def phase_page(asked: Asked, phase: str) -> Sheet:
    """Return the page of a phase."""
    applies = [row for row in asked.rows if row.state is not State.NOT_APPLICABLE]
    done = sum(row.state in DONE for row in applies)
    past = sum(row.past_planned_finish for row in applies)
    chart = own_chart(asked, "Work that is open", MOST_BARS)
    bands = [side_by_side(chart)] if chart else []
    bands += [
        side_by_side(slip_table(asked)),
        side_by_side(decisions_table(asked)),
        side_by_side(orders_table(asked), quality_table(asked), shares=(58, 42)),
        side_by_side(done_table(asked)),
    ]
    page = Sheet(
        title=f"{asked.title}: {phase.replace('_', ' ')}",
        subtitle=f"{asked.site.preset}, plan revision {asked.site.revision}",
        lines=(f"{done:,} of {len(applies):,} activities are finished, {past:,} are past their planned finish.",),
        tiles=tuple(_tiles(asked, phase)),
        bands=tuple(bands),
        foot=f"{asked.as_of}. Marked !: its day has passed. Days of a slip are those of go-live.",
    )
    return fitted(page, most=MOST_ROWS)


def _tiles(asked: Asked, phase: str) -> Iterator[Tile]:
    made, base = commitments(asked.snapshot).get(phase), milestone_baselines(asked.snapshot).get(phase)
    kept = next((one for one in (asked.kept.milestones if asked.kept else ()) if one.milestone == phase), None)
    chance = kept.committed_share if kept else None
    if made is not None:
        now = "" if chance is None else f"chance now {chance_words(chance)}"
        yield Tile(f"Commitment ({made.percentile})", asked.day(made.commitment), now)
        yield Tile("Target (P50)", asked.day(made.target), f"P50 now {asked.day(kept.p50.date)}" if kept else "")
    if kept is not None:
        yield Tile("Expected", asked.day(kept.expected), _than_baseline(asked, base, kept.expected))
    yield Tile("Baseline", asked.day(base), "")


def _than_baseline(asked: Asked, base: datetime | None, date: datetime) -> str:
    return "" if base is None else f"{days_between(base, date, asked.zone):+d} days on the baseline"
