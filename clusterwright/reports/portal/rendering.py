"""Pages as HTML. Text from people, files and hosts is escaped and in one line; ids of activities and units in it become links."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from urllib.parse import quote

from markupsafe import Markup, escape

from clusterwright.output import in_line
from clusterwright.reports.html import environment
from clusterwright.reports.portal.leaf import Leaf
from clusterwright.reports.portal.portal import UNITS, Portal
from ledger.rules.activity import State

NAVIGATION = {
    "index.html": "Overview",
    "gantt.html": "Gantt",
    "floor.html": "Floor",
    UNITS: "Work",
    "procurement.html": "Procurement",
    "quality.html": "Quality",
    "record.html": "Record",
}
STYLE, SCRIPT = "portal.css", "portal.js"
NAMED = re.compile(r"(?<![\w@-])([A-Z]?\d{2,3}@[a-z0-9][a-z0-9-]*)(#[\w.-]+(?:/\d+)?)?")
"""An activity, an order or a delivery in a text."""

IS_DAY = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?( !)?")
LINK, STATE, DAY = Markup('<a href="{}{}">{}</a>'), Markup('<b class="{}">{}</b>'), Markup("<time>{}</time>")
"""What is put into them is escaped."""

LOOK_OF = {f"{state.glyph} {state.words}": state.colour for state in State}


def renderer(portal: Portal) -> Callable[[Leaf], str]:
    """Return what makes the HTML of a page."""
    made = environment()
    made.globals |= {
        "site": portal.asked.site.name,
        "whose": portal.asked.organisation,
        "heading": portal.heading,
        "is_rehearsal": portal.asked.site.rehearsal,
        "navigation": NAVIGATION,
    }
    template = made.get_template("portal.html")
    paths = portal.paths

    def rendered(leaf: Leaf) -> str:
        root = "../" * leaf.path.count("/")

        def link(name: str, text: str) -> Markup:
            return LINK.format(root, quote(paths[name]), text) if name in paths else escape(text)

        def linked(cell: str) -> Markup:
            text = in_line(cell)
            if text in LOOK_OF:
                return STATE.format(LOOK_OF[text], text)
            if IS_DAY.fullmatch(text):
                return DAY.format(text)
            if text in paths:
                return link(text, text)
            parts, end = [], 0
            for found in NAMED.finditer(text):
                parts += [escape(text[end : found.start()]), link(found[1], found[0])]
                end = found.end()
            return Markup("").join([*parts, escape(text[end:])])

        section = leaf.path if leaf.path in NAVIGATION else UNITS
        return template.render(
            leaf=leaf, root=root, section=section, linked=linked, href=lambda unit: f"{root}{quote(paths[unit])}"
        )

    return rendered


def shared_files() -> dict[str, str]:
    """Return the style sheet and the script that all pages share."""
    templates = files("clusterwright") / "templates"
    return {name: (templates / name).read_text(encoding="utf-8") for name in (STYLE, SCRIPT)}
