"""The first page, which is that of the week on as much room as it needs, and the Gantt chart."""

from __future__ import annotations

from clusterwright.reports.charts import own_chart, whole_gantt
from clusterwright.reports.contractor import contractor_sheet
from clusterwright.reports.page import Chart
from clusterwright.reports.portal.leaf import Leaf, blocks_of
from clusterwright.reports.portal.portal import Portal
from clusterwright.reports.sponsor import sponsor_sheet

MOST_ROWS = 40
MOST_BARS = 120


def overview_leaf(portal: Portal) -> Leaf:
    """Return the first page."""
    sheet = sponsor_sheet(portal.asked) if portal.is_owners else contractor_sheet(portal.asked)
    return Leaf("index.html", "Overview", sheet.lines, sheet.tiles, blocks_of(sheet.bands, MOST_ROWS), sheet.foot)


def gantt_leaf(portal: Portal) -> Leaf:
    """Return the page with the Gantt chart: of the whole site, or of a contractor's open work."""
    if not portal.is_owners:
        own = own_chart(portal.asked, "Your work", MOST_BARS)
        lines = () if own else ("Nothing of yours is open.",)
        return Leaf("gantt.html", "Gantt chart", lines, bands=((own,),) if own else ())
    whole = whole_gantt(portal.asked)
    chart = Chart("All work", whole._replace(title=""))
    return Leaf("gantt.html", "Gantt chart", (whole.lead, *whole.reading), bands=((chart,),))
