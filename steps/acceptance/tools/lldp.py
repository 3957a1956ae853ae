"""Compares the neighbours of a host (lldpcli -f json show neighbors) with its ends in the cable schedule.

The playbook also hands over the planned ends: by local interface the name and port of the far side.
"""

from __future__ import annotations

from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError, share_of
from steps.acceptance.metric import Metric, Tool
from steps.cabling.reading.lldpd import heard

End = tuple[str, str]
"""The name and the port of a far side."""
Heard = tuple[str, str, str]
"""The name of a far side, and its port by number and by description."""


def neighbours(handed: Handed) -> Found:
    """Count interfaces that hear a neighbour."""
    return Found(Decimal(len(_heard(handed))))


def mismatches(handed: Handed) -> Found:
    """Count planned ends that hear another device or port than planned, or none."""
    found, planned = _heard(handed), _planned(handed)
    wrong = [
        f"{name}: {' '.join(found[name]) if name in found else 'nobody'}, planned {' '.join(end)}"
        for name, end in planned.items()
        if not _is_end(found.get(name), end)
    ]
    return Found(Decimal(len(wrong)), "; ".join(wrong))


def found_ratio(handed: Handed) -> Found:
    """Return the share of planned ends that hear the planned device and port, rounded down."""
    found, planned = _heard(handed), _planned(handed)
    right = [name for name in planned if _is_end(found.get(name), planned[name])]
    return Found(share_of(len(right), len(planned)))


def _is_end(found: Heard | None, planned: End) -> bool:
    if found is None:
        return False
    device, port = planned
    return found[0] == device and port in found[1:]


def _planned(handed: Handed) -> dict[str, End]:
    ends: dict[str, End] = {}
    for name, (device, port) in handed.document("planned_ends").items():
        ends[str(name)] = (str(device), str(port))
    if not ends:
        raise NotMeasuredError("the cable schedule has no end at this host")
    handed.text("lldp")
    return ends


def _heard(handed: Handed) -> dict[str, Heard]:
    """Return the neighbour of each interface; an interface with two neighbours is not measured."""
    found: dict[str, Heard] = {}
    for name, neighbour in heard(handed.document("lldp")):
        if name in found:
            raise NotMeasuredError(f"{name} hears more than one neighbour; a switch between them passes LLDP on")
        number, description = neighbour.ports
        found[name] = (neighbour.device, number, description)
    if not found:
        raise NotMeasuredError("no interface hears a neighbour; is lldpd running on both sides?")
    return found


TOOL = Tool(
    "lldpd",
    "lldp",
    "lldpcli -f json show neighbors",
    (
        Metric("lldp.neighbours", "count", neighbours),
        Metric("lldp.mismatches", "count", mismatches),
        Metric("lldp.links_found_ratio", "ratio", found_ratio),
    ),
)
