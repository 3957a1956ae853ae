"""Our findings beside turnup-check's, hall by hall, as sets of the same words; and why a difference is one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from steps.cabling import finding
from steps.cabling.cable import together
from steps.cabling.comparing import Comparison, compare
from steps.cabling.finding import LinkFinding
from steps.cabling.reading.found_file import read_found
from steps.cabling.schedule_file import read_schedule

Words = tuple[str, str]
"""A class of turnup-check, and the cable, port or device that it is about."""

SAME = {
    finding.WRONG_PORT: "wrong_port",
    finding.WRONG_RAIL: "wrong_port",
    finding.SWAPPED_PAIR: "wrong_port",
    finding.MISSING: "missing_link",
    finding.DEGRADED: "link_degraded",
}
UNREACHABLE, UNEXPECTED = "unreachable_node", "unexpected_link"
CABLING = frozenset({*SAME.values(), UNEXPECTED, UNREACHABLE})
"""Classes of turnup-check that are about cables, and whether a device answers."""


class Judged(NamedTuple):
    """One hall: what both found, what only one of them did, and what turnup-check found that is not about cables."""

    both: Counter[str]
    only_theirs: list[Words]
    only_ours: list[Words]
    beside: Counter[str]
    comparison: Comparison
    cables: int


def judge(folder: Path) -> Judged:
    """Return one hall as both judge it."""
    schedule = folder / "cables.csv"
    cables = read_schedule(schedule.read_bytes(), str(schedule))
    files = sorted((folder / "found").iterdir())
    found = together([read_found(file.stem, file.read_text(encoding="utf-8"), str(file)) for file in files])
    comparison = compare(cables, found)
    ours = Counter(_ours(comparison))
    said = json.loads((folder / "turnup.json").read_text(encoding="utf-8"))["findings"]
    theirs = Counter(_theirs(each) for each in said if each["class"] in CABLING)
    beside = Counter(each["class"] for each in said if each["class"] not in CABLING)
    both = Counter(kind for kind, _ in (ours & theirs).elements())
    only_theirs, only_ours = sorted((theirs - ours).elements()), sorted((ours - theirs).elements())
    return Judged(both, only_theirs, only_ours, beside, comparison, len(cables))


def _ours(comparison: Comparison) -> Iterator[Words]:
    for found in comparison.findings:
        if found.kind == finding.UNEXPECTED:
            yield UNEXPECTED, str(found.ends[0])
        else:
            yield from ((SAME[found.kind], cable) for cable in found.cables)
    for device in comparison.unread:
        yield UNREACHABLE, device


def _theirs(each: dict[str, str]) -> Words:
    kind = each["class"]
    if kind == UNEXPECTED:
        return kind, f"{each['device']} {each['interface']}"
    return kind, each["device"] if kind == UNREACHABLE else each["cable"]


def swaps(findings: tuple[LinkFinding, ...]) -> int:
    """Return how many findings are pairs of cables that have each other's port."""
    return sum(found.kind == finding.SWAPPED_PAIR for found in findings)
