"""A design: the site's tree of units and the value of every name a formula may read at each of them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from steps.catalog.schema import Scope
from steps.design.fabric import NO_FABRIC, Fabric, fat_tree
from steps.design.preset import Preset, read_defaults, read_preset, read_profile
from steps.design.quantities import Values, hall_counts, pod_counts, site_counts
from steps.design.site import Decision, Site
from steps.design.values import DESIGN_VALUES
from steps.errors import InputError, Place


@dataclass(frozen=True)
class DesignUnit:
    """A node of the site's tree with the design values that hold there, its parents' included."""

    id: str
    kind: Scope
    parent: str | None
    title: str
    values: Values


@dataclass(frozen=True)
class Design:
    """Everything that follows from a preset and a site's overrides."""

    preset: Preset
    figures: dict[str, float]
    crews: dict[str, int]
    default_crews: int
    decisions: tuple[Decision, ...]
    units: tuple[DesignUnit, ...]

    @property
    def site(self) -> DesignUnit:
        """The whole site."""
        return self.units[0]

    def crews_of(self, role: str) -> int:
        """Give how many crews of a trade the site has."""
        return self.crews.get(role, self.default_crews)

    def within(self, unit: DesignUnit, kind: Scope) -> list[DesignUnit]:
        """Give the units of a kind inside a unit, itself included."""
        return [u for u in self.units if u.kind is kind and unit.id in self.chain(u)]

    def chain(self, unit: DesignUnit) -> list[str]:
        """Give a unit's id and its parents' ids, innermost first."""
        by_id = {u.id: u for u in self.units}
        ids = [unit.id]
        while (parent := by_id[ids[-1]].parent) is not None:
            ids.append(parent)
        return ids

    def enclosing(self, unit: DesignUnit, kind: Scope) -> DesignUnit:
        """Give the unit of a kind that holds a unit, itself included."""
        ids = self.chain(unit)
        return next(u for u in self.units if u.id in ids and u.kind is kind)


def design_of_preset(name: str) -> Design:
    """Give the design of a preset as it comes."""
    return _design(read_preset(name), {}, {}, {}, ())


def design_of(site: Site, folder: Path | None = None) -> Design:
    """Give the design of a site: its preset under its own overrides and decisions."""
    preset = read_preset(site.preset, folder)
    choices: dict[str, str | bool] = {}
    if site.facility is not None:
        choices["facility"] = site.facility
    if site.burn_in is not None:
        choices["burn_in"] = site.burn_in
    where = str(folder / "site.yaml") if folder else "site.yaml"
    figures = _overrides(site, preset, choices, where)
    return _design(preset, choices, figures, site.crews, site.decisions)


_CHOICES: dict[str, tuple[str | bool, ...]] = {
    "facility": ("existing", "shell", "greenfield"),
    "cooling": ("air", "liquid", "hybrid"),
    "rear_door": (True, False),
    "fabric": ("infiniband", "roce", "none"),
    "storage_network": ("infiniband", "ethernet", "none"),
    "file_system": ("lustre", "gpfs", "weka", "beegfs", "local", "none"),
    "gpu_form": ("sxm", "pcie", "none"),
    "gpu_vendor": ("nvidia", "amd", "google", "none"),
    "build": ("oem", "white-box"),
    "burn_in": ("bench", "in-place"),
    "scheduler": ("slurm", "kubernetes"),
}


def _overrides(site: Site, preset: Preset, choices: dict[str, str | bool], where: str) -> dict[str, float]:
    """Sort a site's overrides into choices (kept in `choices`) and figures."""
    known = read_defaults() | read_profile(preset.profile).figures | preset.figures
    figures: dict[str, float] = {}
    for name, value in site.overrides.items():
        place = Place(where, None, f"overrides.{name}")
        if name in _CHOICES:
            if value not in _CHOICES[name]:
                allowed = ", ".join(str(c) for c in _CHOICES[name])
                raise InputError(f"{name} cannot be {value!r}", hint=f"one of {allowed}", place=place)
            choices[name] = value  # type: ignore[assignment]  # checked against _CHOICES above
        elif name in known:
            if isinstance(value, str | bool) or value < 0:
                raise InputError(f"{name} is a number, not {value!r}", place=place)
            figures[name] = float(value)
        else:
            close = difflib.get_close_matches(name, [*known, *_CHOICES], n=1)
            hint = f"did you mean {close[0]!r}?" if close else "see docs/design-values.md"
            raise InputError(f"nothing is called {name!r} in a design", hint=hint, place=place)
    return figures


def _design(
    preset: Preset,
    choices: dict[str, str | bool],
    overrides: dict[str, float],
    crews: dict[str, int],
    decisions: tuple[Decision, ...],
) -> Design:
    profile = read_profile(preset.profile)
    layers = read_defaults() | profile.figures | preset.figures
    f = {name: figure.value for name, figure in layers.items()} | overrides
    for name in ("nodes", "nodes_per_pod", "nodes_per_rack", "halls"):
        if f[name] < 1 or f[name] != int(f[name]):
            raise InputError(f"{name} is a whole number of at least 1, not {f[name]:g}")
    chosen = profile.choices | preset.choices | choices
    fabric = NO_FABRIC
    if chosen["fabric"] != "none":
        fabric = fat_tree(
            nodes=int(f["nodes"]),
            nodes_per_pod=int(f["nodes_per_pod"]),
            rails=int(f["rails"]),
            radix=int(f["radix"]),
        )
    values = chosen | site_counts(f, fabric)
    missing = [
        name
        for name, value in DESIGN_VALUES.items()
        if value.level == "site" and name not in values and name != "crews"
    ]
    if missing:
        raise InputError(f"the preset {preset.name!r} leaves {missing[0]!r} open")
    units = [DesignUnit("site", Scope.SITE, None, "Site", values)]
    units += _halls_and_pods(f, values, fabric)
    return Design(
        preset=preset,
        figures=f,
        crews=crews,
        default_crews=ceil(f["nodes"] / f["nodes_per_crew"]),
        decisions=(*preset.decisions, *decisions),
        units=tuple(units),
    )


def _halls_and_pods(f: dict[str, float], site: Values, fabric: Fabric) -> list[DesignUnit]:
    """Fill halls with whole pods in order; the last pod takes what is left."""
    nodes, size = int(f["nodes"]), int(f["nodes_per_pod"])
    pods = [min(size, nodes - first) for first in range(0, nodes, size)]
    halls = min(int(f["halls"]), len(pods))
    per_hall = ceil(len(pods) / halls)
    infra = int(site["infra_racks"])
    units: list[DesignUnit] = []
    for number in range(halls):
        own = pods[number * per_hall : (number + 1) * per_hall]
        hall = hall_counts(f, site, pods=len(own), nodes=sum(own), infra_racks=infra if number == 0 else 0)
        name = f"hall-{number + 1}"
        units.append(DesignUnit(name, Scope.HALL, "site", f"Hall {number + 1}", site | hall))
        for index, pod_nodes in enumerate(own, start=number * per_hall + 1):
            pod = pod_counts(f, site, fabric, nodes=pod_nodes)
            units.append(DesignUnit(f"pod-{index:03}", Scope.POD, name, f"Pod {index}", site | hall | pod))
    return units
