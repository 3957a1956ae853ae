"""The charts of a page: what `picture` draws, small."""

from __future__ import annotations

from clusterwright.pictures.canvas import Picture
from clusterwright.pictures.curves import small_s_curve
from clusterwright.pictures.gantt import gantt_picture, phases_picture, rows_picture
from clusterwright.reports.asked import Asked
from clusterwright.reports.page import Chart
from ledger.rules.activity import OVER
from steps.planning.pictures.gantt import Gantt, gantt_of, with_few_bars
from steps.planning.pictures.s_curve import s_curve

CURVE = (3.55, 1.4)
PHASES = (7.5, 1.75)


def curve_chart(asked: Asked) -> Chart:
    """Return the S-curve."""
    found = s_curve(asked.solved, asked.actuals)
    return Chart("Work done, planned and forecast, in crew-hours", small_s_curve(found, zone=asked.zone, size=CURVE))


def phases_chart(asked: Asked) -> Chart:
    """Return the Gantt chart with a row a phase, and the milestones of the kept forecast."""
    return Chart("Phases and go-live", phases_picture(_gantt(asked), zone=asked.zone, size=PHASES))


def whole_gantt(asked: Asked) -> Picture:
    """Return the whole Gantt chart, for behind the page."""
    found = _gantt(asked)
    found = with_few_bars(found) if found.by_step else found
    return gantt_picture(found, site=asked.site.name, zone=asked.zone)


def own_chart(asked: Asked, title: str, most: int) -> Chart | None:
    """Return the Gantt chart of the open work that the page is about; with more than `most` activities a row is a step.

    None where nothing is open.
    """
    is_open = {row.id for row in asked.rows if row.state not in OVER}
    found = gantt_of(asked.solved, (), most_rows=most, only=is_open)
    if not found.rows:
        return None
    few = with_few_bars(found._replace(rows=found.rows[:most]))
    more = f", {most} of {len(found.rows)} steps" if len(found.rows) > most else ""
    size = (7.4, 0.7 + 0.14 * len(few.rows))
    drawn = rows_picture(few, zone=asked.zone, size=size, shows_float=asked.organisation is None)
    return Chart(f"{title}{more}", drawn)


def _gantt(asked: Asked) -> Gantt:
    milestones = asked.kept.milestones if asked.kept else ()
    commitment = asked.top.commitment.commitment if asked.top.commitment else None
    return gantt_of(asked.solved, milestones, commitment=commitment)
