"""Steps 036, 037 and 044: the fabric's shape, its ports and switches, and the cables of a pod.

The thresholds of the catalog come from the formulas that lay a fabric out. The values here are counted on the cables as they
are drawn. If the two differ, the criterion is not met.
"""

from __future__ import annotations

import csv
import io

from steps.design.cables import CableSchedule
from steps.design.calculations.calculation import Calculation, Facts, Sheet, Under
from steps.design.calculations.wiring import CABLE_MM, FIBRE_MM, TRAY_MM2
from steps.design.design import Counted
from steps.design.feasible import fabric_findings
from steps.planning.activity import PlanActivity

COUNTED = "counted on the cable schedule"


def topology(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 036: the connections between servers, leaves, spines and cores."""
    calculation = _begun(counted)
    wiring = under.wiring
    if wiring is None:
        return calculation
    levels = sum(wiring.switches(level) > 0 for level in ("leaf", "spine", "core"))
    if counted.choices["topology"] == "dragonfly":
        levels = 2 if wiring.links("global") else 1
    gives = calculation.gives
    gives("fabric.tiers", levels, "count", f"{COUNTED}: tiers of switches that have cables")
    gives(
        "fabric.oversubscription",
        wiring.oversubscription(),
        "ratio",
        f"{COUNTED}: ports down over ports up, the worst switch",
    )
    gives("fabric.rails_per_node", wiring.rails(), "count", f"{COUNTED}: rails of the server with the fewest")
    gives(
        "fabric.leaves_with_mixed_rails",
        wiring.leaves_with_mixed_rails(),
        "count",
        f"{COUNTED}: leaves with more than one rail",
    )
    gives("fabric.pods", len(counted.fabric.pods), "count", "servers over servers a pod")
    gives("fabric.digest", wiring.digest(), "choice", "SHA-256 over both ends, length and type of every cable")
    calculation.sheets.append(_rail_map(wiring.cables))
    return calculation


def ports(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 037: switches, ports and cables of every tier."""
    calculation = _begun(counted)
    wiring = under.wiring
    if wiring is None:
        return calculation
    gives, shape = calculation.gives, wiring.cables.shape
    radices = {"leaf": shape.radix, "spine": shape.upper_radix, "core": shape.upper_radix}
    for level, radix in radices.items():
        switches, used = wiring.switches(level), wiring.ports_in_use(level)
        gives(f"design.{level}_switches", switches, "count", f"{COUNTED}: {level} switches with a cable")
        gives(f"ports.{level}_in_use", used, "count", COUNTED)
        gives(
            f"ports.{level}_spare", switches * radix - used, "count", f"ports of {radix}-port switches without a cable"
        )
    over = sum(wiring.ports_over(level, radix) for level, radix in radices.items())
    gives("design.ports_over_radix", over, "count", f"{COUNTED}: cables on ports that the switch does not have")
    gives("design.ports_used_twice", wiring.ports_twice(), "count", f"{COUNTED}: cables on a port that is taken")
    gives("design.server_links", wiring.links("node-leaf"), "count", f"{COUNTED}: cables from servers to leaf switches")
    gives("design.leaf_spine_links", wiring.links("leaf-spine", "local"), "count", COUNTED)
    gives("design.spine_core_links", wiring.links("spine-core", "global"), "count", COUNTED)
    gives("fabric.digest", wiring.digest(), "choice", "SHA-256 over both ends, length and type of every cable")
    calculation.sheets.append(_schedule(wiring.cables, None, "cable-schedule.csv"))
    return calculation


def pod_cables(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 044: every cable of a pod, its length and the trays over its rows."""
    calculation = _begun(counted)
    calculation.takes_figures(
        counted,
        "copper_m",
        "active_copper_m",
        "multimode_m",
        "single_mode_m",
        "cable_rise_m",
        "row_pitch_m",
        "rack_pitch_m",
    )
    calculation.takes("tray.cross_section_mm2", TRAY_MM2, "mm**2", "assumption: tray of 600 by 100 mm over a row")
    calculation.takes("tray.copper_mm", CABLE_MM["copper"], "mm", "assumption: passive copper, outer diameter")
    calculation.takes(
        "tray.active_copper_mm", CABLE_MM["active-copper"], "mm", "assumption: active copper, outer diameter"
    )
    calculation.takes("tray.fibre_mm", FIBRE_MM, "mm", "assumption: multi-fibre patch cable, outer diameter")
    wiring = under.wiring
    if wiring is None:
        return calculation
    pod = _pod_number(under, activity.unit)
    mine = wiring.of_pod(pod)
    gives = calculation.gives
    gives(
        "schedule.cables",
        sum(len(at) for _, at in mine),
        "count",
        "lines of the pod's schedule: those of its servers and of its leaf switches",
    )
    gives("schedule.lengths_over_reach", wiring.over_reach(pod), "count", "cables longer than the reach of every type")
    gives(
        "tray.fill_max_percent",
        wiring.tray_fill(pod),
        "percent",
        "cables side by side in the fullest stretch of tray over the pod's rows",
    )
    longest = [float(run.length_m[at].max()) for run, at in mine]
    gives("schedule.longest_m", max(longest, default=0.0), "m", "along rows and aisles, with the rise to the tray")
    gives("schedule.digest", wiring.digest(pod), "choice", "SHA-256 over both ends, length and type of every cable")
    calculation.sheets.append(_schedule(wiring.cables, pod, f"cable-schedule-{activity.unit}.csv"))
    return calculation


def _begun(counted: Counted) -> Calculation:
    calculation = Calculation()
    calculation.takes_figures(
        counted,
        "nodes",
        "rails",
        "radix",
        "spine_radix",
        "nodes_per_pod",
        "leaf_oversubscription",
        "spine_oversubscription",
        "planes",
        "fabric_manager_ports",
        "tiers",
    )
    calculation.takes_choices(counted, "fabric", "topology", "rail_optimised")
    calculation.findings += fabric_findings(counted.figures, counted.choices, counted.fabric)
    return calculation


def _pod_number(under: Under, unit: str) -> int:
    pods = [u.id for u in under.plan.units if u.kind == "pod"]
    return pods.index(unit)


def _schedule(cables: CableSchedule, pod: int | None, name: str) -> Sheet:
    def write() -> str:
        text = io.StringIO()
        cables.write(text, pod)
        return text.getvalue()

    return Sheet("cable-schedule", name, write)


def _rail_map(cables: CableSchedule) -> Sheet:
    """Return the sheet of rails: the leaf switch of each rail of each pod, and the number of its servers."""

    def write() -> str:
        servers: dict[tuple[str, int, str], list[str]] = {}
        for _, tier, rail, server, _, _, leaf, *_ in cables.rows():
            if tier == "node-leaf":
                pod, _, _ = str(server).rpartition("-")
                key = (pod, int(rail), str(leaf))
                servers.setdefault(key, []).append(str(server))
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(("pod", "rail", "leaf", "servers", "first server"))
        for key, names in sorted(servers.items()):
            lines.writerow((*key, len(names), names[0]))
        return text.getvalue()

    return Sheet("rail-map", "rail-map.csv", write)
