"""The names of the items of an activity, if the design names them and does not only count them.

Servers have the names of the inventory, or those of the design if there is no inventory. Racks are named by their place
(`hall-1/row-01/rack-03`), switches and cables as in the cable schedule. Everything else is only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from steps.design.cables import CableSchedule, Row
from steps.design.design import counted_from
from steps.design.figures import Chosen, Figures
from steps.design.service_cables import ServiceCables
from steps.design.service_networks import Service, Services

SERVERS = frozenset({"servers", "nodes"})


class Drawing:
    """The cable schedules of a design: the compute fabric, and the networks beside it, which are drawn when asked for."""

    def __init__(self, figures: Figures, choices: Chosen) -> None:
        self._counted = counted_from(figures, dict(choices))
        self.fabric = CableSchedule(figures, choices)

    @property
    def services(self) -> Services:
        """The counts of the networks beside the compute fabric."""
        return self._counted.services

    @cached_property
    def beside(self) -> ServiceCables:
        """Their cables."""
        return ServiceCables(self._counted.figures, self.fabric, self._counted.storage, self.services)


Namer = Callable[[Drawing, str], list[str]]


def drawing_of(figures: Figures, choices: Chosen) -> Drawing | None:
    """Return the cable schedules of a design. None for a plan of an earlier release, which has no figures, and for one without rails."""
    return Drawing(figures, choices) if figures and figures["rails"] else None


def item_names(
    drawing: Drawing | None,
    unit: str,
    of: str,
    count: int,
    hosts: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the names of `count` items at a unit of the site; empty if they are only counted.

    It is also empty if there are not `count` names: an inventory that lacks a server names none of them.
    """
    if of in SERVERS and hosts:
        return tuple(hosts) if len(hosts) == count else ()
    if drawing is None:
        return ()
    for namer in NAMERS.get(of, ()):
        names = namer(drawing, unit)
        if len(names) == count:
            return tuple(names)
    return ()


def cable_rows(drawing: Drawing, unit: str) -> Iterator[Row]:
    """Yield the rows of the cable schedules at a unit, in the order of `cables.COLUMNS`. A hall has none of its own."""
    pod = pod_of(unit)
    if unit == "site" or pod is not None:
        yield from drawing.fabric.rows(pod)
        yield from drawing.beside.rows(pod)


def _within(names: list[str], unit: str) -> list[str]:
    """Return the names at a unit: all of them at the site, those with its name at a pod, none at a hall."""
    if unit == "site":
        return names
    return [name for name in names if name.startswith(f"{unit}-")]


def _servers(drawing: Drawing, unit: str) -> list[str]:
    return _within(drawing.fabric.node_names, unit)


def _leaves(drawing: Drawing, unit: str) -> list[str]:
    return _within(drawing.fabric.switch_names("leaf"), unit)


def _pod_leaves(drawing: Drawing, unit: str) -> list[str]:
    """Return the leaf switches of a pod, those of the storage network after those of the fabric."""
    pod = pod_of(unit)
    return [] if pod is None else _leaves(drawing, unit) + drawing.beside.switch_names(drawing.services.storage, pod)


def _upper(drawing: Drawing, unit: str) -> list[str]:
    return _within(drawing.fabric.switch_names("spine") + drawing.fabric.switch_names("core"), unit)


def _all_upper(drawing: Drawing, unit: str) -> list[str]:
    storage: Service = drawing.services.storage
    return _upper(drawing, unit) + (drawing.beside.switch_names(storage) if unit == "site" else [])


def _switches(drawing: Drawing, unit: str) -> list[str]:
    return _leaves(drawing, unit) + _upper(drawing, unit)


def _racks(drawing: Drawing, unit: str) -> list[str]:
    is_drawn = unit == "site" or pod_of(unit) is not None
    return drawing.fabric.rack_names(pod_of(unit)) if is_drawn else []


def _cables(*tiers: str) -> Namer:
    def named(drawing: Drawing, unit: str) -> list[str]:
        pod = pod_of(unit)
        if unit != "site" and pod is None:
            return []
        found = [(cable, tier) for cable, tier, *_ in drawing.fabric.rows(pod)]
        if set(tiers) & SERVICE_TIERS:
            found += [(cable, tier) for cable, tier, *_ in drawing.beside.rows(pod)]
        return [str(cable) for cable, tier in found if tier in tiers]

    return named


def pod_of(unit: str) -> int | None:
    """Return a pod's number from 0; None for the site and for a hall."""
    kind, _, number = unit.partition("-")
    return int(number) - 1 if kind == "pod" and number.isdecimal() else None


DOWN = ("storage", "in-band", "out-of-band")
"""Tiers of cables from devices to the switches of the networks beside the compute fabric."""

UP = tuple(f"{tier}-up" for tier in DOWN)
"""Tiers of cables between those switches."""

SERVICE_TIERS = frozenset((*DOWN, *UP))

NAMERS: dict[str, tuple[Namer, ...]] = {
    "servers": (_servers,),
    "nodes": (_servers,),
    "racks": (_racks,),
    "compute racks": (_racks,),
    "leaf switches": (_leaves, _pod_leaves),
    "spine and core switches": (_upper, _all_upper),
    "switches": (_switches,),
    "links": (_cables("node-leaf"), _cables("node-leaf", "leaf-spine"), _cables("node-leaf", *DOWN)),
    "trunks": (_cables("leaf-spine"), _cables("leaf-spine", *UP)),
    "cables": (_cables("node-leaf", "leaf-spine"),),
}
"""The words that steps use for their items. The first namer with as many names as items counts."""
