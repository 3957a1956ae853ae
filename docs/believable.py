"""Writes docs/explanation/believable.md: how long each preset takes and how sure that is, beside what is published. `--check` only compares.

It makes the plan of every preset and draws samples of it, and makes two of them again for each figure that may move go-live,
which takes some minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from date_drivers import drivers_section

from ledger.questions.forecast_words import chance_words
from steps.catalog.loader import read_catalog, read_roles
from steps.catalog.terms import Percentile
from steps.design.design import design_of
from steps.design.preset import preset_names
from steps.design.scenario import under_scenario
from steps.design.site import Site
from steps.planning.dates.buildout_spans import Spans, spans_of
from steps.planning.dates.milestones import GO_LIVE, hall_milestone
from steps.planning.odds.commitment import commitment_of
from steps.planning.odds.plan_odds import solved_odds
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan
from steps.planning.record.forecast import ForecastSolution, solve_forecast

HERE = Path(__file__).parent
PAGE = HERE / "explanation" / "believable.md"
CREWS, SHIFTS = (8, 16, 40), (1, 2, 3)
WEEK = timedelta(weeks=1)
USUAL = (0.01, 0.99)
MEMPHIS, DAYS = ("xai-100k", hall_milestone("hall-1"), "memphis-2024"), 122
WHY_MEMPHIS = (
    "The scenario says what sources say of that site; what they do not say is as elsewhere, and above all nobody outside knows how many of the "
    "GPUs were on hand at the start."
)
BUILT = [name for name in preset_names() if name != "localhost"]
"""Presets of which somebody builds something. `localhost` is a machine that runs already: it takes an afternoon, and has no reference class."""
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
ROLES = {slug: role.title for slug, role in read_roles().items()}


@cache
def plan_of(preset: str, scenario: str = "", crews: int = 0, shifts: int = 1) -> Plan:
    """Return the plan of a preset, under a scenario or with so many crews and shifts of every trade."""
    site = _site(preset, crews, shifts)
    if scenario:
        site = under_scenario(site, scenario, HERE, ROLES)
    return make_plan(site, design_of(site), read_catalog(), Surroundings(ROLES, Hosts(), {}))


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


@cache
def spans(preset: str, scenario: str = "", crews: int = 0, shifts: int = 1) -> Spans:
    """Return the spans of that plan."""
    return spans_of(plan_of(preset, scenario, crews, shifts))


def odds(preset: str) -> tuple[str, ...]:
    """Return the weeks of a preset's working schedule, of P10, P50 and P80, the chance of the first, and the reference class."""
    plan, found = plan_of(preset), solved_odds(_forecast(preset))
    live = next(one for one in found.milestones if one.milestone == GO_LIVE)
    said = commitment_of(plan, found, Percentile.P80).reference
    assert said is not None
    dates = (plan.finish, live.p10.date, live.p50.date, live.p80.date, said.go_live)
    working, *others, like = (f"{(date - plan.start) / WEEK:.1f}" for date in dates)
    return preset, working, *others, chance_words(live.planned_share), like


@cache
def _forecast(preset: str, scenario: str = "") -> ForecastSolution:
    plan = plan_of(preset, scenario)
    return solve_forecast(plan, {}, plan.start)


def percentile(preset: str, milestone: str, after: timedelta, scenario: str = "") -> float:
    """Return the share of samples of a preset in which a milestone is reached by so long after the start."""
    plan = plan_of(preset, scenario)
    found = solved_odds(_forecast(preset, scenario), committed={milestone: plan.start + after})
    (share,) = (one.committed_share for one in found.milestones if one.milestone == milestone)
    assert share is not None
    return share


def builds() -> Iterator[tuple[str, ...]]:
    """Yield what is known of each build: months planned and taken, and which percentile of our odds that is, or why it is none."""
    for one in yaml.safe_load((HERE / "builds.yaml").read_text(encoding="utf-8")):
        plan, ratios = plan_of(one["preset"]), [months / one["planned"] for months in one["took"]]
        share = percentile(one["preset"], GO_LIVE, (plan.finish - plan.start) * ratios[0])
        if (USUAL[0] <= share <= USUAL[1]) is ("why" in one):
            sys.exit(f"{one['build']}: {share} of samples; `why` explains what is outside P1 to P99, and nothing else")
        yield (
            f"{one['build']}, from {one['from']}",
            str(one["planned"]),
            _range(f"{months}" for months in one["took"]),
            _range(f"{ratio:.1f}" for ratio in ratios),
            one["preset"],
            _percentile(share),
            one.get("why", ""),
            one["source"],
        )


def _range(cells: Iterable[str]) -> str:
    return " to ".join(dict.fromkeys(cells))


def _percentile(share: float) -> str:
    if share < USUAL[0]:
        return "below P1"
    return "above P99" if share > USUAL[1] else f"P{share * 100:.0f}"


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
        "Weeks from one moment of a plan to another, for every preset as it comes, `localhost` left out, where nothing is built: with its own crews, in one shift, started on 23 November "
        "2026. Training begins when the first hall is in service or the first reference run is done. `docs/believable.py` writes this page.\n"
    )
    yield from _table(("preset", *SPANS.values()), ((name, *spans(name)) for name in BUILT))
    yield "## How sure they are\n"
    yield (
        "Weeks from the start to go-live: of the working schedule, in which all takes its most likely time, of the samples, and of the working "
        "schedule with the overrun of the reference class (figure `reference_overrun`). The chance is that of the working schedule's date or an "
        "earlier one. Sources on large projects have under 5 % (8.5 % keep cost and time, B. Flyvbjerg and D. Gardner, How big things get done, 2023) "
        "to 15 %; none of them is a mark to be met.\n"
    )
    names = ("preset", "working schedule", "P10", "P50", "P80", "chance of the working schedule", "reference class")
    yield from _table(names, map(odds, BUILT))
    memphis = percentile(*MEMPHIS[:2], timedelta(days=DAYS), MEMPHIS[2])
    yield (
        f"xAI's {DAYS} days from the start to training (NVIDIA, 28 October 2024) are {_percentile(memphis)} of the first hall in service of "
        f"`{MEMPHIS[0]}` under `{MEMPHIS[2]}`. {WHY_MEMPHIS if not USUAL[0] <= memphis <= USUAL[1] else ''}\n"
    )
    yield "## Builds whose plans are known\n"
    rows = list(builds())
    yield (
        f"How much longer builds took than was planned, and which percentile the least of that is in the odds of the preset that is nearest in size. n = {len(rows)}: "
        "fewer than ten builds support no rate. No input is changed to a result of this table.\n"
    )
    names = (
        "build",
        "planned, months",
        "took",
        "of the plan",
        "preset",
        "percentile",
        "why it is hardly there",
        "source",
    )
    yield from _table(names, rows)
    yield "## Beside what is published\n"
    yield "Durations and lead times were not changed to come inside. Where a plan is outside, the last column says why.\n"
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
