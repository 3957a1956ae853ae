"""The names of the items of an activity, if the design names them and does not only count them.

Servers have the names of the inventory, or those of the design if there is no inventory. Racks are named by their place
(`hall-1/row-01/rack-03`), switches and cables as in the cable schedule. Everything else is only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steps.design.cables import CableSchedule
from steps.design.figures import Chosen, Figures

SERVERS = frozenset({"servers", "nodes"})

Namer = Callable[[CableSchedule, str], list[str]]


def item_names(
    figures: Figures,
    choices: Chosen,
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
    if not figures or of not in NAMERS or not figures["rails"]:
        return ()  # a plan of an earlier release has no figures; without rails there is no cable schedule
    schedule = CableSchedule(figures, choices)
    for namer in NAMERS[of]:
        names = namer(schedule, unit)
        if len(names) == count:
            return tuple(names)
    return ()


def _within(names: list[str], unit: str) -> list[str]:
    """Return the names at a unit: all of them at the site, those with its name at a pod, none at a hall."""
    if unit == "site":
        return names
    return [name for name in names if name.startswith(f"{unit}-")]


def _servers(schedule: CableSchedule, unit: str) -> list[str]:
    return _within(schedule.node_names, unit)


def _leaves(schedule: CableSchedule, unit: str) -> list[str]:
    return _within(schedule.switch_names("leaf"), unit)


def _upper(schedule: CableSchedule, unit: str) -> list[str]:
    return _within(schedule.switch_names("spine") + schedule.switch_names("core"), unit)


def _switches(schedule: CableSchedule, unit: str) -> list[str]:
    return _leaves(schedule, unit) + _upper(schedule, unit)


def _racks(schedule: CableSchedule, unit: str) -> list[str]:
    return schedule.rack_names(_pod_of(unit)) if unit == "site" or _pod_of(unit) is not None else []


def _cables(*tiers: str) -> Namer:
    def named(schedule: CableSchedule, unit: str) -> list[str]:
        pod = _pod_of(unit)
        if unit != "site" and pod is None:
            return []
        found = [(cable, tier) for cable, tier, *_ in schedule.rows(pod)]
        return [str(cable) for cable, tier in found if tier in tiers]

    return named


def _pod_of(unit: str) -> int | None:
    """Return a pod's number from 0; None for the site and for a hall."""
    kind, _, number = unit.partition("-")
    return int(number) - 1 if kind == "pod" and number.isdecimal() else None


NAMERS: dict[str, tuple[Namer, ...]] = {
    "servers": (_servers,),
    "nodes": (_servers,),
    "racks": (_racks,),
    "compute racks": (_racks,),
    "leaf switches": (_leaves,),
    "spine and core switches": (_upper,),
    "switches": (_switches,),
    "links": (_cables("node-leaf"), _cables("node-leaf", "leaf-spine")),
    "trunks": (_cables("leaf-spine"),),
    "cables": (_cables("node-leaf", "leaf-spine"),),
}
"""The words that steps use for their items. The first namer with as many names as items counts."""
