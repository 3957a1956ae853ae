"""Figures that follow from the design: the metrics of compute steps, worked out.

A metric that stands here is computed; one that does not is `not measured`, and a person settles it.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import sqrt
from typing import Any

from steps.formula import evaluate, names
from steps.schedule.plan import Plan

CONTINUOUS_LOAD = 0.8
"""Share of a breaker that a continuous load may use (NFPA 70, 215.2)."""

FORMULAS: dict[str, tuple[str, str]] = {
    "power.node_kw": ("node_kw", "kW"),
    "power.it_mw": ("it_mw", "MW"),
    "power.facility_mw": ("facility_mw", "MW"),
    "chassis.node_kw": ("node_kw", "kW"),
    "fabric.tiers": ("tiers", "count"),
    "fabric.leaf": ("leaf", "count"),
    "fabric.spine": ("spine", "count"),
    "fabric.core": ("core", "count"),
    "fabric.rails_per_node": ("rails", "count"),
    "fabric.node_leaf_links": ("node_leaf_links", "count"),
    "fabric.leaf_spine_links": ("leaf_spine_links", "count"),
    "fabric.oversubscription": ("node_leaf_links / max(1, leaf_spine_links, node_leaf_links)", "ratio"),
    "cable.schedule_rows": ("nodes_in_pod * rails + leaf_spine_links_in_pod", "count"),
    "cooling.heat_kw": ("it_mw * 1000", "kW"),
    "storage.capacity_pb": ("storage_pb", "PB"),
    "storage.read_gb_s": ("storage_gb_s", "GB/s"),
}


def calculated(plan: Plan, unit: str) -> dict[str, tuple[Decimal, str]]:
    """Give every metric that can be worked out at a unit, with its unit of measure."""
    values = design_at(plan, unit)
    found: dict[str, tuple[Decimal, str]] = {}
    for metric, (formula, measure) in FORMULAS.items():
        if names(formula) <= values.keys():  # a pod's figure has no value at the site
            found[metric] = (_decimal(evaluate(formula, values)), measure)
    feed_kw = sqrt(3) * float(values["rack_feed_v"]) * float(values["rack_breaker_a"]) * CONTINUOUS_LOAD / 1000
    found["rack.feed_kw"] = (_decimal(feed_kw), "kW")
    return found


def design_at(plan: Plan, unit: str) -> Mapping[str, Any]:
    """Give the design values that hold at a unit, its own over the site's."""
    own = next(u.design for u in plan.units if u.id == unit)
    return plan.design | own


def _decimal(value: Any) -> Decimal:
    return Decimal(str(round(float(value), 6)))
