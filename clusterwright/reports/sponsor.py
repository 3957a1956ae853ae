"""The page that a sponsor is handed: where go-live stands, why, what it costs, and what is to be decided by whom and when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from clusterwright.budget_lines import ESTIMATED_IN, Estimates, estimates
from clusterwright.output import money
from clusterwright.reports.asked import Asked
from clusterwright.reports.charts import curve_chart, phases_chart
from clusterwright.reports.page import Photos, Sheet, Table, Tile, fitted, side_by_side
from clusterwright.reports.photos import photos
from clusterwright.reports.tables import (
    chain_table,
    decisions_table,
    done_table,
    money_table,
    orders_table,
    quality_table,
    slip_table,
)
from ledger.questions.baseline import milestone_baselines
from ledger.questions.forecast_words import chance_words, days_words
from ledger.questions.orders import budget
from steps.planning.dates.milestones import is_hall
from steps.stamps import days_between

MOST_ROWS = 8
MOST_PHOTOS = 5
MOST_HALLS = 2


def sponsor_page(asked: Asked) -> Sheet:
    """Return the page of a site."""
    return fitted(sponsor_sheet(asked), most=MOST_ROWS)


def sponsor_sheet(asked: Asked) -> Sheet:
    """Return what is on the page, with all rows."""
    found = estimates(asked.snapshot.site_dir)
    small = photos(asked.snapshot, asked.since, MOST_PHOTOS)
    bands = [
        side_by_side(_dates(asked), curve_chart(asked), shares=(52, 48)),
        side_by_side(phases_chart(asked)),
        side_by_side(slip_table(asked)),
        side_by_side(decisions_table(asked), chain_table(asked), shares=(56, 44)),
        side_by_side(orders_table(asked), quality_table(asked), shares=(58, 42)),
        side_by_side(done_table(asked), money_table(asked, found), shares=(48, 52)),
    ]
    if small:
        bands.append(side_by_side(Photos(f"Photos of this {asked.span}", small)))
    return Sheet(
        title=asked.title,
        subtitle=f"{asked.site.preset}, plan revision {asked.site.revision}",
        lines=tuple(_lines(asked)),
        tiles=tuple(_tiles(asked, found)),
        bands=tuple(bands),
        foot=f"{asked.as_of}. Marked !: its day has passed. P50 and P80: in 50 and in 80 of 100 cases it is reached by then. The schedule contingency is time, the budget money.",
    )


def _lines(asked: Asked) -> Iterator[str]:
    """Yield what a sponsor has to know first."""
    top, zone = asked.top, asked.zone
    if top.went_live is not None:
        yield f"The site went live on {asked.day(top.went_live.at)}."
        return
    finish = asked.finish
    base = top.baseline.finish if top.baseline else finish
    said = [f"Go-live is expected on {asked.day(finish)}, {_than(days_between(base, finish, zone), 'the baseline')}"]
    if top.commitment is not None:
        said.append(_than(days_between(top.commitment.commitment, finish, zone), "the commitment"))
    yield f"{' and '.join(said)}."
    yield f"{top.late}. Decisions needed: {sum(1 for _ in top.decisions)}."
    if top.fresh and top.fresh.since:
        yield f"The forecast is {top.fresh.words_on_paper}."
    if top.fresh is None:
        yield "No forecast is kept, so there are no odds: `clusterwright forecast` makes one."


def _than(days: int, other: str) -> str:
    if not days:
        return f"on the day of {other}"
    return f"{days_words(days)} {'after' if days > 0 else 'before'} {other}"


def _tiles(asked: Asked, found: Estimates | None) -> Iterator[Tile]:
    top, kept = asked.top, asked.kept
    made, left = top.commitment, top.contingency
    go_live = kept.milestones[0] if kept else None
    if made is not None:
        chance = "" if left is None or left.chance is None else f"chance now {chance_words(left.chance)}"
        yield Tile(f"Commitment ({made.percentile})", asked.day(made.commitment), chance)
        yield Tile("Target (P50)", asked.day(made.target), f"P50 now {asked.day(go_live.p50.date)}" if go_live else "")
    else:
        yield Tile("Commitment", "none yet", "nobody has committed")
    if made is not None and left is not None:
        stands = top.went_live.at if top.went_live else asked.finish
        days = days_between(stands, made.commitment, asked.zone)
        used = "is left" if days >= 0 else "beyond the commitment"
        said = f"{days} of {days_words(left.days)}" if days <= left.days else days_words(days)
        yield Tile("Schedule contingency", said, f"{used}; {left.owner}")
    if kept is not None:
        rate = f"at {money(kept.slip_day_usd)} a day" if kept.slip_day_usd else "no cost of a day is known"
        yield Tile("Cost of the delay", money(kept.delay_usd) if kept.delay_usd else "none", rate)
    yield _committed(asked, found)


def _committed(asked: Asked, found: Estimates | None) -> Tile:
    """Return what is committed in the currency of the design's figures, against its budget; other currencies are named."""
    rows = budget(asked.snapshot)
    usd = sum((row.committed for row in rows if row.currency == ESTIMATED_IN), Decimal(0))
    other = sorted({row.currency for row in rows if row.committed} - {ESTIMATED_IN})
    unpriced = sum(row.unpriced for row in rows)
    if unpriced and not any(row.committed for row in rows):
        return Tile("Committed of budget", "not known", f"{unpriced} placed orders have no value")
    note = "the design has no budget"
    if found and found.budget:
        note = f"{usd / found.budget * 100:.0f} % of {money(float(found.budget))}"
    more = f", and {', '.join(other)}" if other else ""
    return Tile("Committed of budget", money(float(usd)), f"{note}{more}")


def _dates(asked: Asked) -> Table:
    """Return the dates of go-live beside the last report and the baseline."""
    top, kept, before, zone = asked.top, asked.kept, asked.before, asked.zone
    made = top.commitment
    go_live = kept.milestones[0] if kept else None
    then = before.commitment if before else None
    base = top.baseline.finish if top.baseline else None
    found = [
        ("Commitment", made and made.commitment, then and then.commitment),
        ("Target", made and made.target, then and then.target),
        ("Expected (working)", asked.finish, before and before.finish),
        ("P50 now", go_live.p50.date if go_live else None, None),
        ("P80 now", go_live.p80.date if go_live else None, None),
    ]

    def apart(other: datetime | None, date: datetime | None) -> str:
        return "–" if other is None or date is None else f"{days_between(other, date, zone):+d} d"

    rows = [(name, asked.day(now), asked.day(was), apart(was, now), apart(base, now)) for name, now, was in found]
    bases = milestone_baselines(asked.snapshot)
    halls = [one for one in (kept.milestones if kept else ()) if is_hall(one.milestone)]
    rows += [
        (one.milestone, asked.day(one.expected), "–", "–", apart(bases.get(one.milestone), one.expected))
        for one in halls[:MOST_HALLS]
    ]
    return Table(
        f"Go-live: baseline {asked.day(base)}",
        ("", "now", f"{asked.span} ago", "moved", "to baseline"),
        (30, 20, 20, 13, 17),
        tuple(rows),
        right=(3, 4),
        more="" if before else f"the record is younger than a {asked.span}",
    )
