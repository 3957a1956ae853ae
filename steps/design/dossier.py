"""The dossier of a design: the result of each calculator, the bill, the findings; and all of it as JSON.

The keys of the JSON are a contract (docs/reference/design.md): keys are added, never renamed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from steps.design import addressing, checkpoints, cooling, feasible, power, reliability, scale, staging, storage
from steps.design.addressing import AddressPlan, address_plan
from steps.design.bill import Line, bill_of, charges_of, priced
from steps.design.cable_lists import CableLists
from steps.design.cables import CableSchedule
from steps.design.checkpoints import Checkpoints, checkpoints_of
from steps.design.cooling import Cooling, cooling_of
from steps.design.design import Design
from steps.design.economics import Economics, economics_of
from steps.design.findings import Finding, sorted_findings
from steps.design.floor_load import Load, load_of
from steps.design.floor_load import findings as load_findings
from steps.design.recovery import Recovery, recoveries_of
from steps.design.reliability import Reliability, reliability_of
from steps.design.service_cables import ServiceCables
from steps.design.training import Training, training_of


@dataclass(frozen=True)
class Dossier:
    """A design and what follows from it; a section that does not apply is None."""

    design: Design
    cables: CableSchedule | None
    service_cables: ServiceCables | None
    cooling: Cooling
    reliability: Reliability | None
    checkpoints: Checkpoints | None
    recovery: tuple[Recovery, ...]
    training: Training | None
    economics: Economics
    addresses: AddressPlan
    load: Load
    bill: tuple[Line, ...]
    findings: tuple[Finding, ...]

    @property
    def buildable(self) -> bool:
        """Return whether no finding is an error."""
        return all(finding.severity != "error" for finding in self.findings)


def dossier_of(design: Design) -> Dossier:
    """Return the results of every calculator for a design."""
    f, choices, counted, values = design.figures, design.choices, design.counted, design.site.values
    watts, fabric, files = counted.power, counted.fabric, counted.storage
    lists = counted.cable_lists
    heat = cooling_of(f, choices, watts)
    rates = reliability_of(f, links=fabric.links, drives=files.drives)
    bill = bill_of(design, lists, rates)
    saved = checkpoints_of(f, choices, mtbf_h=rates.mtbf_h if rates else None, write_gb_s=files.write_gb_s)
    run = training_of(f, effective_share=saved.effective_share if saved else 1.0)
    money = economics_of(
        f,
        choices,
        equipment=priced(bill),
        it_mw=watts.it_mw,
        annual_electricity=watts.annual_cost,
        run_days=run.days_with_interruptions if run and isfinite(run.days_with_interruptions) else 0.0,
        lost_gpu_hours_day=saved.lost_gpu_hours_day if saved else 0.0,
    )
    racks = int(values["racks"])
    plan = address_plan(f, choices, fabric, racks=racks, storage_servers=files.servers)
    load = load_of(design)
    return Dossier(
        design=design,
        cables=counted.cables,
        service_cables=counted.service_cables,
        cooling=heat,
        reliability=rates,
        checkpoints=saved,
        recovery=recoveries_of(f, rates, saved),
        training=run,
        economics=money,
        addresses=plan,
        load=load,
        bill=(*bill, *charges_of(money)),
        findings=_findings(design, lists, heat, rates, saved, plan, load),
    )


def _findings(
    design: Design,
    lists: CableLists | None,
    heat: Cooling,
    rates: Reliability | None,
    saved: Checkpoints | None,
    plan: AddressPlan,
    load: Load,
) -> tuple[Finding, ...]:
    f, choices, counted = design.figures, design.choices, design.counted
    found = [
        *feasible.fabric_findings(f, choices, counted.fabric),
        *addressing.findings(plan),
        *power.findings(f, choices, counted.power),
        *cooling.findings(f, choices, heat),
        *load_findings(design, load),
        *staging.findings(f, choices),
        *storage.findings(f, counted.storage, counted.checkpoint_tb),
        *reliability.findings(rates, f["restart_min"]),
        *checkpoints.findings(saved),
        *scale.findings(
            f,
            choices,
            gpus=int(design.site.values["gpus"]),
            tiers=counted.fabric.tiers,
            facility_mw=counted.power.facility_mw,
            hot_spares=rates.hot_spares if rates else 0,
        ),
    ]
    if lists:
        long = sum(line.number for line in lists.cables if line.type == "over reach")
        if long:
            found.append(
                Finding(
                    "cables-over-reach",
                    "error",
                    "fabric",
                    f"{long:,} cables are longer than single-mode optics reach ({f['single_mode_m']:g} m)",
                    "network racks nearer, halls nearer, or long-reach optics (single_mode_m)",
                    {"cables": long},
                )
            )
    return sorted_findings(found)


def dossier_as_json(dossier: Dossier) -> dict[str, Any]:
    """Return the dossier as plain values, floats to six decimals; sections that do not apply are null."""
    document: dict[str, Any] = _rounded(_document(dossier))
    return document


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list | tuple) else value


def _document(dossier: Dossier) -> dict[str, Any]:
    d, fabric = dossier.design, dossier.design.counted.fabric
    watts, money = d.counted.power, dossier.economics
    return {
        "preset": d.preset.name,
        "title": d.preset.title,
        "buildable": dossier.buildable,
        "scale": {
            name: d.site.values[name]
            for name in ("nodes", "gpus", "gpus_per_node", "racks", "infra_racks", "pods", "halls")
        }
        | {"tier": scale.tier_of(int(d.site.values["gpus"]))[1]},
        "fabric": {
            "topology": d.choices["topology"] if fabric.tiers else None,
            "technology": d.choices["fabric"],
            "tiers": fabric.tiers,
            "leaf": fabric.leaf,
            "spine": fabric.spine,
            "core": fabric.core,
            "switches": fabric.switches,
            "radix": int(d.figures["radix"]),
            "leaf_down": fabric.leaf_down,
            "leaf_up": fabric.leaf_up,
            "planes": fabric.planes,
            "cables": {
                "node_leaf": fabric.node_leaf_links,
                "fabric_manager": fabric.manager_links,
                "leaf_spine": fabric.leaf_spine_links,
                "spine_core": fabric.spine_core_links,
                "total": fabric.links,
                "by_length": _by_length(dossier.cables) if dossier.cables else [],
                "storage": d.site.values["storage_cables"],
                "management": d.site.values["management_cables"],
            },
            "storage_switches": d.counted.services.storage.switches,
            "in_band_switches": d.counted.services.in_band.switches,
            "out_of_band_switches": d.counted.services.out_of_band.switches,
            "addresses": _addresses(dossier.addresses),
        },
        "power": watts._asdict(),
        "cooling": dossier.cooling._asdict(),
        "storage": d.counted.storage._asdict(),
        "reliability": dossier.reliability._asdict() if dossier.reliability else None,
        "checkpoints": _checkpoints(dossier.checkpoints) if dossier.checkpoints else None,
        "recovery": [way._asdict() for way in dossier.recovery],
        "training": dossier.training._asdict() if dossier.training else None,
        "economics": money._asdict(),
        "load": dossier.load._asdict(),
        "bill": [line._asdict() for line in dossier.bill],
        "choices": dict(d.choices),
        "figures": _figures(d),
        "findings": [one._asdict() | {"numbers": dict(one.numbers)} for one in dossier.findings],
    }


def _by_length(cables: CableSchedule) -> list[dict[str, Any]]:
    names = ("tier", "length_m", "type", "count")
    rows = [(*key, count) for key, count in cables.lengths().items()]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _checkpoints(plan: Checkpoints) -> dict[str, Any]:
    return plan._asdict() | {"tiers": [tier._asdict() for tier in plan.tiers]}


def _figures(design: Design) -> dict[str, Any]:
    found = {}
    for name, value in sorted(design.figures.items()):
        found[name] = {"value": value, "source": design.sources.get(name, "")}
    return found


def _addresses(plan: AddressPlan) -> dict[str, Any]:
    return {
        "networks": [
            network._asdict() | {"subnet": str(network.subnet), "gateway": str(network.gateway)}
            for network in plan.networks
        ],
        "as_numbers": {tier: list(numbers) for tier, numbers in plan.asns.items()},
        "lids": plan.lids,
    }
