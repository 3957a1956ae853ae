"""The cables of a design's compute fabric, as they are compared with what is found."""

from __future__ import annotations

from steps.cabling.cable import Cable, CableEnd
from steps.design.cables import COLUMNS, CableSchedule
from steps.design.design import Design
from steps.design.positions import pod_of


def designed(design: Design, unit: str) -> list[Cable]:
    """Return the cables of a site, or of a pod's servers and leaf switches. There are none without a fabric."""
    schedule = design.counted.cables
    pod = pod_of(unit)
    if schedule is None or (pod is None and unit != "site"):
        return []
    return drawn(schedule, pod, design.figures["link_gb_s"])


def drawn(schedule: CableSchedule, pod: int | None, gbit: float) -> list[Cable]:
    """Return the cables of a schedule, all of one rate."""
    cables = []
    for row in schedule.rows(pod):
        of = {column: str(cell) for column, cell in zip(COLUMNS, row, strict=True)}
        a, b = (CableEnd(of[f"{side}_device"], of[f"{side}_port"]) for side in "ab")
        cables.append(Cable(of["cable"], a, b, of["a_rack"], of["b_rack"], of["tier"], of["rail"], gbit))
    return cables
