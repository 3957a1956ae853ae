"""What the items of an activity are called, where the design names each of them and does not only count them.

Servers bear the inventory's names, or the design's where there is no inventory; racks stand at their place on the floor
(`hall-1/row-01/rack-03`); switches and cables are called as in the cable schedule. Everything else is only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steps.design.cables import CableSchedule

SERVERS = frozenset({"servers", "nodes"})

Namer = Callable[[CableSchedule, str], list[str]]


def item_names(
    figures: Mapping[str, float], choices: Mapping[str, Any], unit: str, of: str, count: int, hosts: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the names of `count` items at a unit of the site; none where they are only counted.

    Names hold only where there are as many as the plan counts: an inventory that lacks servers names none of them.
    """
    if of in SERVERS and hosts:
        return tuple(hosts) if len(hosts) == count else ()
    if not figures or of not in NAMERS or not figures["rails"]:
        return ()  # a plan of an earlier release says no figures; without rails there is no cable schedule
    schedule = CableSchedule(figures, choices)
    for namer in NAMERS[of]:
        names = namer(schedule, unit)
        if len(names) == count:
            return tuple(names)
    return ()


def _within(names: list[str], unit: str) -> list[str]:
    """Return what stands at a unit: everything at the site, a pod's by its name; nothing is named after a hall."""
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
        return [str(row[0]) for row in schedule.rows(pod) if row[1] in tiers]

    return named


def _pod_of(unit: str) -> int | None:
    """Return a pod's number from 0; none for the site and a hall."""
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
"""The words that steps call their items by, and what may be meant: the first that has as many as are counted."""
