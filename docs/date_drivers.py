"""The ten figures of the catalog that move go-live most: part of docs/explanation/believable.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from steps.catalog.loader import Catalog, Entry
from steps.catalog.schema import Estimate, Supply
from steps.design.design import design_of
from steps.design.site import Site
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan

MORE = 1.2
"""What a figure is multiplied by. A rate is divided by it."""
SHOWN, TRIED = 10, 16
"""How many figures are listed, and of how many the plan is made again: those that exceed their float most."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Driver(NamedTuple):
    """A lead time or duration of the catalog, what it rests on, and by how many days go-live moves if it is longer by a fifth."""

    name: str
    value: str
    source: str
    days: float


def drivers(site: Site, catalog: Catalog, roles: dict[str, str]) -> list[Driver]:
    """Return the ten lead times and durations that move a site's go-live most if each alone is longer by a fifth, the greatest first."""

    def finish(changed: Catalog) -> Plan:
        return make_plan(site, design_of(site), changed, Surroundings(roles, Hosts(), {}))

    plan = finish(catalog)
    found = []
    for step, item in _candidates(plan):
        changed = _longer(catalog[step], item)
        days = (finish(catalog | {step: changed}).finish - plan.finish) / DAY
        found.append(_driver(catalog[step], item, plan, days))
    return sorted(found, key=lambda one: -one.days)[:SHOWN]


def _candidates(plan: Plan) -> list[tuple[str, str]]:
    """Return the steps, and the steps with an item, whose longer times exceed their float most, over all places together."""
    excess = defaultdict[tuple[str, str], float](float)
    for one in plan.activities:
        if one.dates:
            hours = (one.dates.early_finish - one.dates.early_start) / HOUR
            excess[one.step, ""] += max(0.0, hours * (MORE - 1) - one.dates.total_float_h)
    for order in plan.orders:
        if order.dates:
            excess[order.step, order.item] += max(0.0, order.lead.m * (MORE - 1) - order.dates.total_float_h)
    most = sorted(excess, key=lambda name: -excess[name])[:TRIED]
    return [name for name in most if excess[name]]


def _longer(entry: Entry, item: str) -> Entry:
    """Return an entry whose duration, or whose item's lead time, is longer by a fifth."""
    step = entry.step
    if item:
        supplies = tuple(_later(one) if one.item == item else one for one in step.supplies)
        return replace(entry, step=step.model_copy(update={"supplies": supplies}))
    rate = step.duration.rate and _times(step.duration.rate, 1 / MORE)
    duration = step.duration.model_copy(update={"fixed": _times(step.duration.fixed, MORE), "rate": rate})
    return replace(entry, step=step.model_copy(update={"duration": duration}))


def _later(supply: Supply) -> Supply:
    return supply.model_copy(update={"lead_time": _times(supply.lead_time, MORE)})


def _times(estimate: Estimate, factor: float) -> Estimate:
    given = {name: getattr(estimate, name) for name in ("value", "o", "m", "p")}
    return estimate.model_copy(update={name: value and value * factor for name, value in given.items()})


def _driver(entry: Entry, item: str, plan: Plan, days: float) -> Driver:
    step = entry.step
    if item:
        order = next(one for one in plan.orders if (one.step, one.item) == (step.id, item))
        weeks = [f"{hours / 168:g}" for hours in (order.lead.o, order.lead.m, order.lead.p)]
        return Driver(f"{step.id} {order.title}: lead time", f"{' / '.join(weeks)} weeks", order.lead_source, days)
    times = [one for one in (step.duration.fixed, step.duration.rate) if one is not None]
    value = " and ".join(f"{' / '.join(f'{point:g}' for point in one.points)} {one.unit}" for one in times)
    return Driver(f"{step.id} {step.title}", value, "; ".join(one.source for one in times), days)


def drivers_section(sites: dict[str, Site], catalog: Catalog, roles: dict[str, str]) -> Iterator[str]:
    """Yield the section: a table for each of these presets."""
    yield "## The figures that move go-live most\n"
    yield (
        f"The lead times and durations of the catalog that exceed their float most if they are longer by a fifth ({TRIED} of them) were made "
        f"longer, each alone, and the plan made again with its crews; the first {SHOWN} are listed. What begins with `judgement` or `analogy` "
        "is ours: put your maker's quotation in its place. Values are optimistic, most likely and pessimistic.\n"
    )
    for preset, site in sites.items():
        yield f"### {preset}\n"
        yield "| figure | value | rests on | days later for a fifth more |"
        yield "|---|---|---|---|"
        for one in drivers(site, catalog, roles):
            yield f"| {one.name} | {one.value} | {one.source} | {one.days:.1f} |"
        yield ""
