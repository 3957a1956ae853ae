"""A design: the site's tree of units, and the value of every name that a formula may read at each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from schedule.errors import InputError, Place
from steps.catalog.terms import Scope
from steps.design.checkpoints import BYTES_PER_PARAM, size_tb
from steps.design.export_licences import CHOICE, licence_of
from steps.design.fabric import Fabric, fabric_of, no_fabric, shape_of
from steps.design.feasible import faults
from steps.design.figures import Figures, Setting, checked, plain_name
from steps.design.findings import Finding
from steps.design.power import Power, power_of
from steps.design.preset import Choices, Preset, layered, read_preset
from steps.design.quantities import Values, hall_counts, pod_counts, rack_count, site_counts
from steps.design.service_networks import Services, services_of
from steps.design.site import FILE, Decision, Site
from steps.design.storage import Storage, storage_of
from steps.design.values import DESIGN_VALUES
from steps.yaml_lines import line_of, load

if TYPE_CHECKING:
    from steps.design.cable_lists import CableLists
    from steps.design.cables import CableSchedule
    from steps.design.service_cables import ServiceCables

Settings = Mapping[str, Setting]
"""Values of figures and choices by name."""


class ImpossibleDesignError(InputError):
    """Figures with which nothing can be counted; `findings` has all of them."""

    def __init__(self, findings: list[Finding], place: Place | None = None) -> None:
        """Use the first finding as the message, and keep all of them."""
        first = findings[0]
        super().__init__(first.says, hint=first.remedy, place=place)
        self.findings = findings


@dataclass(frozen=True)
class DesignUnit:
    """A node of the site's tree with its design values; they include those of its parents."""

    id: str
    kind: Scope
    parent: str | None
    title: str
    values: Values


@dataclass(frozen=True)
class Counted:
    """The input of every calculator: figures, choices, networks, storage and power of a design."""

    figures: Figures
    choices: Choices
    fabric: Fabric
    storage: Storage
    power: Power
    checkpoint_tb: float
    services: Services

    @cached_property
    def cables(self) -> CableSchedule | None:
        """The cables of the compute fabric; None where there is none."""
        from steps.design.cables import CableSchedule  # numpy is slow to import, and a single machine has no cables

        return CableSchedule(self.figures, self.choices) if self.fabric.tiers else None

    @cached_property
    def service_cables(self) -> ServiceCables | None:
        """The cables of the other networks."""
        from steps.design.service_cables import ServiceCables

        cables = self.cables
        return None if cables is None else ServiceCables(self.figures, cables, self.storage, self.services)

    @cached_property
    def cable_lists(self) -> CableLists | None:
        """What all cables add up to."""
        from steps.design.cable_lists import cable_lists

        if self.cables is None or self.service_cables is None:
            return None
        return cable_lists(self.figures, self.cables, self.service_cables)


@dataclass(frozen=True)
class Design:
    """Everything that follows from a preset and a site's overrides."""

    preset: Preset
    counted: Counted
    sources: Mapping[str, str]
    crews: dict[str, int]
    default_crews: int
    decisions: tuple[Decision, ...]
    units: tuple[DesignUnit, ...]

    @property
    def figures(self) -> Figures:
        """Every figure by name."""
        return self.counted.figures

    @property
    def choices(self) -> Choices:
        """Every choice by name."""
        return self.counted.choices

    @property
    def site(self) -> DesignUnit:
        """The whole site."""
        return self.units[0]

    @cached_property
    def _by_id(self) -> dict[str, DesignUnit]:
        return {u.id: u for u in self.units}

    @cached_property
    def _inside(self) -> dict[tuple[str, Scope], list[DesignUnit]]:
        found: dict[tuple[str, Scope], list[DesignUnit]] = {}
        for unit in self.units:
            for around in self.chain(unit):
                found.setdefault((around, unit.kind), []).append(unit)
        return found

    def crews_of(self, role: str) -> int:
        """Return the number of crews that the site has of a trade."""
        return self.crews.get(role, self.default_crews)

    def within(self, unit: DesignUnit, kind: Scope) -> list[DesignUnit]:
        """Return the units of a kind inside a unit, itself included."""
        return [*self._inside.get((unit.id, kind), ())]

    def chain(self, unit: DesignUnit) -> list[str]:
        """Return a unit's id and its parents' ids, innermost first."""
        ids = [unit.id]
        while (parent := self._by_id[ids[-1]].parent) is not None:
            ids.append(parent)
        return ids

    @cached_property
    def _around(self) -> dict[tuple[str, Scope], DesignUnit]:
        chains = ((unit.id, self._by_id[name]) for unit in self.units for name in self.chain(unit))
        return {(unit, parent.kind): parent for unit, parent in chains}

    def enclosing(self, unit: DesignUnit, kind: Scope) -> DesignUnit:
        """Return the unit of a kind that a unit belongs to, itself included."""
        return self._around[unit.id, kind]


def design_of_preset(
    name: str,
    settings: Settings | None = None,
    beside: Path | None = None,
) -> Design:
    """Return the design of a preset under settings by name, for example `radix` or `fabric.radix`."""
    plain = {plain_name(key): value for key, value in (settings or {}).items()}
    settings = {key: checked(key, value) for key, value in plain.items()}
    return _design(read_preset(name, beside), settings, {}, ())


def design_of(site: Site, folder: Path | None = None) -> Design:
    """Return the design of a site: its preset, changed by the site's overrides and decisions."""
    settings: dict[str, Setting] = {CHOICE: licence_of(site.country)}
    written: dict[str, str] = {}
    for name, value in site.overrides.items():
        try:
            plain = plain_name(name)
            settings[plain] = checked(plain, value)
        except InputError as error:
            raise InputError(error.what, hint=error.hint, place=_place(folder, name)) from None
        written[plain] = name
    if site.facility is not None:
        settings["facility"] = site.facility
    if site.burn_in is not None:
        settings["burn_in"] = site.burn_in
    try:
        return _design(read_preset(site.preset, folder), settings, site.crews, site.decisions)
    except ImpossibleDesignError as error:
        at = [written[n] for finding in error.findings for n in finding.numbers if n in written]
        raise ImpossibleDesignError(error.findings, _place(folder, at[0]) if at else None) from None


def _place(folder: Path | None, override: str) -> Place:
    """Return the place of an override in the site file; only errors look for its line."""
    if folder is None or not (folder / FILE).exists():
        return Place(FILE, None, f"overrides.{override}")
    path = folder / FILE
    _, lines = load(path)
    return Place(str(path), line_of(lines, ("overrides", override)), f"overrides.{override}")


def counted_from(figures: Figures, choices: Choices) -> Counted:
    """Return the counts of a design from its figures and choices; a plan keeps both."""
    broken = list(faults(figures, choices))
    if broken:
        raise ImpossibleDesignError(broken)
    f = figures
    shape = shape_of(f, choices)
    fabric = no_fabric(shape.nodes, shape.pod_size) if choices["fabric"] == "none" else fabric_of(shape)
    bytes_per_param = BYTES_PER_PARAM[str(choices["precision"]), str(choices["optimizer"])]
    checkpoint_tb = size_tb(f["model_params_b"], bytes_per_param)
    shared = choices["file_system"] not in ("local", "none") and f["nodes"] > 1
    storage = storage_of(
        f,
        checkpoint_tb=checkpoint_tb,
        shared=shared,
        # GlusterFS keeps names and attributes on the storage servers
        has_metadata_servers=choices["file_system"] != "glusterfs",
    )
    alone = f["nodes"] == 1 and choices["fabric"] == "none"
    services = services_of(f, choices, fabric, storage)
    power = power_of(
        f,
        has_diesel=choices["generators"] == "diesel",
        switches=fabric.switches,
        storage_servers=storage.servers + storage.metadata_servers,
        management_servers=0 if alone else int(f["management_servers"]),
        network_kw=services.kw(f),
        rack_switch_kw=services.rack_switch_kw,
    )
    return Counted(f, choices, fabric, storage, power, checkpoint_tb, services)


def _design(
    preset: Preset,
    settings: Settings,
    crews: dict[str, int],
    decisions: tuple[Decision, ...],
) -> Design:
    f, choices, sources = layered(preset, dict(settings))
    counted = counted_from(f, choices)
    values = choices | site_counts(
        f,
        choices,
        counted.fabric,
        counted.power,
        counted.storage,
        counted.services,
        counted.checkpoint_tb,
        counted.cable_lists,
    )
    wanted = {name for name, value in DESIGN_VALUES.items() if value.level == "site"}
    missing = wanted - set(values) - {"crews"}
    assert not missing, missing
    site = DesignUnit("site", Scope.SITE, None, "Site", values)
    return Design(
        preset=preset,
        counted=counted,
        sources=sources,
        crews=crews,
        default_crews=ceil(f["nodes"] / f["nodes_per_crew"]),
        decisions=(*preset.decisions, *decisions),
        units=(site, *_halls_and_pods(counted, values)),
    )


def _halls_and_pods(counted: Counted, site: Values) -> list[DesignUnit]:
    """Return the halls, filled with whole pods in order; the last pod has the rest of the servers."""
    f, choices, fabric = counted.figures, counted.choices, counted.fabric
    pods = fabric.pods
    halls = min(int(f["halls"]), len(pods))
    per_hall = ceil(len(pods) / halls)
    infra = counted.services.infrastructure_racks
    units: list[DesignUnit] = []
    for number in range(ceil(len(pods) / per_hall)):
        own = range(number * per_hall, min(len(pods), (number + 1) * per_hall))
        hall = hall_counts(
            f,
            choices,
            site,
            pods=len(own),
            nodes=sum(pods[index] for index in own),
            racks=rack_count(f, [pods[index] for index in own]),
            infra_racks=infra if number == 0 else 0,
        )
        name = f"hall-{number + 1}"
        units.append(DesignUnit(name, Scope.HALL, "site", f"Hall {number + 1}", site | hall))
        for index in own:
            pod = pod_counts(f, choices, site, fabric, counted.services, pod=index)
            units.append(DesignUnit(f"pod-{index + 1:03}", Scope.POD, name, f"Pod {index + 1}", site | hall | pod))
    return units
