"""Writes docs/believable.md: how long each preset takes, beside what is published. `--check` only compares.

It makes the plan of every preset, and of two of them again for each figure that may move go-live, which takes some minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from date_drivers import drivers_section

from steps.catalog.loader import read_catalog, read_roles
from steps.design.design import design_of
from steps.design.preset import preset_names
from steps.design.scenario import under_scenario
from steps.design.site import Site
from steps.planning.dates.buildout_spans import Spans, spans_of
from steps.planning.planner import Hosts, Surroundings, make_plan

HERE = Path(__file__).parent
PAGE = HERE / "believable.md"
CREWS, SHIFTS = (8, 16, 40), (1, 2, 3)
DRIVEN = ("superpod-1su", "h100-10k")
"""Presets of which the page says what moves go-live most: a scalable unit, and ten thousand GPUs."""
SPANS = {
    "total": "total",
    "from_order": "from the order to go-live",
    "after_last_delivery": "last delivery to go-live",
    "after_last_power_on": "last power-on to go-live",
    "to_training": "start to training",
    "first_rack_to_training": "first rack to training",
}
ROLES = {slug: str(role["title"]) for slug, role in read_roles().items()}


@cache
def spans(preset: str, scenario: str = "", crews: int = 0, shifts: int = 1) -> Spans:
    """Return the spans of a preset's plan, under a scenario or with so many crews and shifts of every trade."""
    site = _site(preset, crews, shifts)
    if scenario:
        site = under_scenario(site, scenario, HERE, ROLES)
    return spans_of(make_plan(site, design_of(site), read_catalog(), Surroundings(ROLES, Hosts(), {})))


def _site(preset: str, crews: int = 0, shifts: int = 1) -> Site:
    entry = {
        "name": "believable",
        "time_zone": "America/Chicago",
        "country": "US",
        "currency": "USD",
        "preset": preset,
        "start": "2026-11-23",
        "crews": dict.fromkeys(ROLES, crews) if crews else {},
        "shifts": shifts,
        "people": [{"id": "owner", "roles": ["owner-pm"]}],
    }
    return Site.model_validate(entry)


def bands() -> list[dict[str, Any]]:
    """Return what is published, each with the weeks of our plan and whether they lie inside."""
    found = yaml.safe_load((HERE / "believable.yaml").read_text(encoding="utf-8"))
    for band in found:
        band["ours"] = getattr(spans(band["preset"], band.get("scenario", "")), band["span"])
        band["verdict"] = "inside" if _is_inside(band, band["ours"]) else _why(band)
    return list(found)


def _is_inside(band: dict[str, Any], weeks: float) -> bool:
    return bool(band["low"] <= weeks <= band["high"])


def _why(band: dict[str, Any]) -> str:
    """Return why a preset is outside, and the weeks with what brings it inside."""
    more = band.get("inside_with")
    if more is None:
        return str(band["why"])
    weeks = getattr(spans(band["preset"], **more), band["span"])
    if not _is_inside(band, weeks):
        sys.exit(f"{band['preset']}: {band['span']} is {weeks} weeks with {more}, and not inside")
    ((what, number),) = more.items()
    return f"{band['why']}; with {number} {what} it is {weeks}"


def page() -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Are the dates believable?\n"
    yield (
        "Weeks from one moment of a plan to another, for every preset as it comes: with its own crews, in one shift, started on 23 November "
        "2026. Training begins when the first hall is in service or the first reference run is done. `docs/believable.py` writes this page.\n"
    )
    yield from _table(("preset", *SPANS.values()), ((name, *spans(name)) for name in preset_names()))
    yield "## Beside what is published\n"
    yield "Durations and lead times were not changed to come inside. Where a plan lies outside, the last column says why.\n"
    yield from _table(
        ("preset", "scenario", "span", "published, weeks", "ours", "source", "inside, or why not"),
        (
            (
                band["preset"],
                band.get("scenario", "normal"),
                SPANS[band["span"]],
                f"{band['low']:g} to {band['high']:g}",
                band["ours"],
                band["source"],
                band["verdict"],
            )
            for band in bands()
        ),
    )
    yield "## Crews and shifts\n"
    yield "`clusterwright plan compare --crews 8,16,40 --shifts 1,2,3` for `h100-10k` in a hall in service: weeks to go-live.\n"
    rows = ((crews, *(spans("h100-10k", crews=crews, shifts=shifts).total for shifts in SHIFTS)) for crews in CREWS)
    yield from _table(("crews of each trade", "one shift", "two shifts", "three shifts"), rows)
    yield from drivers_section({preset: _site(preset) for preset in DRIVEN}, read_catalog(), ROLES)


def _table(headers: tuple[str, ...], rows: Any) -> Iterator[str]:
    yield f"| {' | '.join(headers)} |"
    yield f"|{'---|' * len(headers)}"
    for row in rows:
        yield f"| {' | '.join('' if cell is None else str(cell) for cell in row)} |"
    yield ""


if __name__ == "__main__":
    text = "\n".join(page()).rstrip() + "\n"
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == text else f"{PAGE.name} is not what the code says")
    PAGE.write_text(text, encoding="utf-8")
