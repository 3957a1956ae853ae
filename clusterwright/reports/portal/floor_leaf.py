"""The floor on a page: every rack at its place. For the owner how far it is; for a contractor where their work is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

from clusterwright.reports.page import Tile
from clusterwright.reports.portal.leaf import Hall, Leaf, Rack, RackLine
from clusterwright.reports.portal.portal import Portal
from ledger.questions.floor import SIGNS, TROUBLE_SIGN, RackRow, floor
from ledger.rules.activity import OVER


class _Look(NamedTuple):
    """How a rack is shown: a sign, a look by its name in the style sheet, and what that means."""

    sign: str
    look: str
    means: str


TROUBLE = _Look(TROUBLE_SIGN, "bad", "something failed")
STAGES = {stage: _Look(sign, stage.replace(" ", "-"), stage) for stage, sign in SIGNS.items()}
OPEN, DONE, OTHERS = (
    _Look("■", "active", "your work, open"),
    _Look("✔", "good", "your work, done"),
    _Look("·", "planned", "no work of yours"),
)


def floor_leaf(portal: Portal) -> Leaf:
    """Return the page."""
    racks = floor(portal.snapshot)
    of = _stage if portal.is_owners else _of_own_work(portal)
    shown = {rack.id: of(rack) for rack in racks}
    counted = Counter(look for look, _ in shown.values())
    legend = (*STAGES.values(), TROUBLE) if portal.is_owners else (OPEN, DONE, OTHERS)
    tiles = tuple(Tile(f"{one.sign} {one.means}", f"{counted[one]:,}", "racks") for one in legend)
    halls = tuple(_hall(portal, number, own, shown) for number, own in _by(racks, lambda rack: rack.spot.hall))
    lines = () if racks else ("The adopted design draws no racks.",)
    return Leaf("floor.html", "Floor", lines=lines, tiles=tiles if racks else (), bands=(halls,))


def _by(racks: Iterable[RackRow], key: Callable[[RackRow], int]) -> list[tuple[int, list[RackRow]]]:
    return [(number, list(own)) for number, own in groupby(racks, key=key)]


def _stage(rack: RackRow) -> tuple[_Look, str]:
    """Return how far a rack is, and what failed in it."""
    return (TROUBLE, f"{rack.stage}; {rack.trouble}") if rack.trouble else (STAGES[rack.stage], rack.stage)


def _of_own_work(portal: Portal) -> Callable[[RackRow], tuple[_Look, str]]:
    """Return what says of a rack how much of the contractor's work is open in its pod or in its hall."""
    total, left = Counter[str](), Counter[str]()
    for row in portal.asked.rows:
        total[row.plan.unit] += 1
        left[row.plan.unit] += row.state not in OVER

    def of(rack: RackRow) -> tuple[_Look, str]:
        around = {rack.spot.unit, f"hall-{rack.spot.hall}"}
        own, still = sum(total[unit] for unit in around), sum(left[unit] for unit in around)
        if not own:
            return OTHERS, OTHERS.means
        return (OPEN if still else DONE), f"{still} of {own} activities are open"

    return of


def _hall(portal: Portal, number: int, racks: list[RackRow], shown: dict[str, tuple[_Look, str]]) -> Hall:
    lines = []
    for row, own in _by(racks, lambda rack: rack.spot.row):
        cells = []
        for rack in own:
            look, said = shown[rack.id]
            unit = rack.spot.unit if rack.spot.unit in portal.paths else ""
            text = f"{rack.id}, {rack.spot.unit}: {said}"
            cells.append(Rack(rack.spot.place, look.sign, look.look, text, unit))
        lines.append(RackLine(f"row {row}", tuple(cells)))
    return Hall(f"hall-{number} ({len(racks):,} racks)", tuple(lines))
