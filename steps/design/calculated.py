"""Works out compute steps from a plan and from facts about the facility.

A metric that is among a step's results is computed. Any other is `not measured`, and a person decides. Plans from before 0.2
have no figures; for them, and for criteria of a site's own, only the formulas are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import sqrt
from typing import Any

from steps.design.calculations import electrical, mechanical, network, shared_storage
from steps.design.calculations.calculation import Calculation, Facts, Under, Worker, exact
from steps.formula import evaluate, names
from steps.planning.activity import PlanActivity
from steps.planning.plan import Plan

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

RACK_FEED = "rack.feed_kw"
"""What a rack's feed carries. It is not among the formulas, since they have no square root."""

FEED_FORMULA = ("rack_feed_v, rack_breaker_a", "kW")

WORKERS: dict[str, Worker] = {
    "021": electrical.supplies,
    "036": network.topology,
    "037": network.ports,
    "044": network.pod_cables,
    "071": electrical.server_power,
    "072": electrical.cluster_power,
    "073": electrical.facility_power,
    "085": electrical.rack_circuits,
    "096": mechanical.heat,
    "098": mechanical.containment,
    "114": mechanical.plant,
    "121": shared_storage.shared_storage,
}
"""The calculator of each step."""


class Calculator:
    """Works out the compute steps of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._under = Under(plan)

    def of(self, activity: PlanActivity, facts: Facts) -> Calculation:
        """Return the calculation of an activity; formulas work out criteria that its calculator does not."""
        worker, counted = WORKERS.get(activity.step), self._under.counted
        found = worker(self._under, activity, facts, counted) if worker and counted else Calculation()
        given = {figure.name for figure in found.results}
        if wanted := {c.metric for c in activity.criteria} - given:
            for metric, (value, unit) in calculated(self.plan, activity.unit).items():
                # the design's own figures never decide a step that compares with facts
                if metric in wanted and not (activity.facts and counted):
                    formula, _ = FORMULAS.get(metric, FEED_FORMULA)
                    found.gives(metric, value, unit, formula)
        return found

    def basis(self, activity: PlanActivity) -> dict[str, str]:
        """Return the figures of the design that an activity's result depends on, by name; facts are not among them."""
        found = self.of(activity, {})
        return {f.name: f"{f.value} {f.unit}" for f in (*found.inputs, *found.results)}


def calculated(plan: Plan, unit: str) -> dict[str, tuple[Decimal, str]]:
    """Return every metric that a formula works out at a unit, with its unit of measure."""
    values = design_at(plan, unit)
    found: dict[str, tuple[Decimal, str]] = {}
    for metric, (formula, measure) in FORMULAS.items():
        if names(formula) <= values.keys():  # a figure of a pod has no value at the site
            found[metric] = (_decimal(evaluate(formula, values)), measure)
    if {"rack_feed_v", "rack_breaker_a"} <= values.keys():
        volts, amps = float(values["rack_feed_v"]), float(values["rack_breaker_a"])
        found[RACK_FEED] = (_decimal(sqrt(3) * volts * amps * CONTINUOUS_LOAD / 1000), "kW")
    return found


def design_at(plan: Plan, unit: str) -> Mapping[str, Any]:
    """Return the design values of a unit; its own take the place of the site's."""
    own = next(u.design for u in plan.units if u.id == unit)
    return plan.design | own


def _decimal(value: Any) -> Decimal:
    number = exact(float(value))
    assert isinstance(number, Decimal)
    return number
