"""What the search of a portal looks through: a script with data alone, as a page that is opened from a file may fetch no other file."""

from __future__ import annotations

import json

from clusterwright.output import in_line
from clusterwright.reports.portal.portal import Portal

PATH = "search.js"


def search_index(portal: Portal) -> str:
    """Return the script. Each activity is its id, and the numbers of its title and its state in a list of texts.

    An activity's page is found by its id. Orders, non-conformances, waivers and change orders have the page they are on.
    """
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(in_line(text), len(texts))

    activities = [(row.id, number(row.plan.title), number(row.state.words)) for row in portal.asked.rows]
    others = [(row.id, number(row.title), number(row.state), "procurement.html") for row in portal.orders]
    others += [
        (row.id, number(f"{row.subject}: {row.said}"), number(row.state), "quality.html") for row in portal.quality
    ]
    others += [(unit.id, number(unit.title), number(unit.kind), portal.paths[unit.id]) for unit in portal.units]
    index = {"texts": list(texts), "activities": activities, "others": others}
    return f"portalIndex = {json.dumps(index, separators=(',', ':'))};\n"
