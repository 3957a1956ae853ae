"""A cable that is not as it is drawn, and what a technician does about it."""

from __future__ import annotations

from typing import NamedTuple

from steps.cabling.cable import Cable, CableEnd
from steps.cabling.names import number_of

WRONG_PORT = "wrong-port"
WRONG_RAIL = "wrong-rail"
SWAPPED_PAIR = "swapped-pair"
MISSING = "missing"
DEGRADED = "degraded"
UNEXPECTED = "unexpected"

MEANINGS = {
    WRONG_RAIL: "plugged into a switch of another rail",
    SWAPPED_PAIR: "two cables have each other's port",
    WRONG_PORT: "plugged into another port than drawn",
    MISSING: "no signal where it is drawn, and seen nowhere else",
    DEGRADED: "between the right ports, and down, slow or narrow",
    UNEXPECTED: "a link that no cable of the schedule is",
}
"""The kinds of findings, the gravest first."""

NEAR = 4
"""To a port at most so far away it is also said how many ports the plug is moved."""


class LinkFinding(NamedTuple):
    """A finding: the cables and ports it is about, the rack to go to, what is seen, and what to do."""

    kind: str
    cables: tuple[str, ...]
    ends: tuple[CableEnd, ...]
    rack: str
    says: str
    action: str

    @property
    def key(self) -> frozenset[str]:
        """What makes it the same finding in the next reading: its cables, or its ports where no cable is drawn."""
        return frozenset(self.cables or map(str, self.ends))


def misplaced(
    cable: Cable, drawn: CableEnd, seen: CableEnd, racks: dict[str, str], occupant: str, rails: tuple[str, str]
) -> LinkFinding:
    """Return that a cable's plug is in another port than the one that is drawn. `rails` are those drawn and seen."""
    of, at = rails
    kind = WRONG_RAIL if of and at and of != at else WRONG_PORT
    far = cable.a if drawn == cable.b else cable.b
    says = f"{far} is at {seen}, drawn at {drawn}"
    if kind == WRONG_RAIL:
        says += f"; that is rail {at}, drawn is rail {of}"
    first = f"; {occupant} is in that port: move it first" if occupant else ""
    there, here = racks.get(seen.device, ""), racks.get(drawn.device, "")
    walk = f" (from {there} to {here})" if there and here and there != here else ""
    action = f"cable {cable.name}: {_move(seen, drawn)}{walk}{first}"
    return LinkFinding(kind, (cable.name,), (far, drawn, seen), there or here, says, action)


def swapped(first: Cable, second: Cable, racks: dict[str, str], rails: tuple[str, str]) -> LinkFinding:
    """Return that two cables have each other's port."""
    of, at = rails
    says = f"{first.a} is at {second.b}, and {second.a} at {first.b}"
    if of and at and of != at:
        says += f"; they are on each other's rail, {of} and {at}"
    action = f"exchange the plugs of {first.name} and {second.name} at {first.b} and {second.b}"
    ends = (first.a, first.b, second.a, second.b)
    return LinkFinding(SWAPPED_PAIR, (first.name, second.name), ends, racks.get(first.b.device, ""), says, action)


def missing(cable: Cable, *, ups: tuple[bool | None, bool | None], other: str, dark: frozenset[str]) -> LinkFinding:
    """Return that a cable is nowhere to be seen.

    `ups` are the states of its ports, `other` is what is in its port instead, `dark` are devices all of whose ports are down.
    """
    says = f"no signal between {cable.a} and {cable.b}"
    up_a, up_b = ups
    if other:
        says = f"{cable.b} hears {other}; {cable.a} is seen nowhere"
        action = f"follow cable {cable.name} from {cable.a}; move {other} to its own port, then seat {cable.name} at {cable.b}"
    elif dark & {cable.a.device, cable.b.device}:
        device = min(dark & {cable.a.device, cable.b.device})
        action = f"look at the power of {device} first: none of its ports has a signal"
    elif up_a and not up_b:
        action = (
            f"cable {cable.name}: {cable.b} gets no light: clean and seat the plug at both ends, then swap the cable"
        )
    else:
        action = f"seat cable {cable.name} at {cable.b} and at {cable.a}"
    return LinkFinding(MISSING, (cable.name,), (cable.a, cable.b), cable.b_rack, says, action)


def degraded(cable: Cable, why: str) -> LinkFinding:
    """Return that a link is between the right ports, and is down, slow or narrow."""
    says = f"{cable.a} to {cable.b}: {why}"
    action = (
        f"cable {cable.name}: seat and clean it at {cable.b} and {cable.a}, read again; then swap the optic or cable"
    )
    return LinkFinding(DEGRADED, (cable.name,), (cable.a, cable.b), cable.b_rack, says, action)


def unexpected(one: CableEnd, other: CableEnd, rack: str) -> LinkFinding:
    """Return that there is a link that is not drawn."""
    action = f"follow the cable at {one}; remove it, or have it drawn"
    return LinkFinding(UNEXPECTED, (), (one, other), rack, f"{one} hears {other or 'a device without a name'}", action)


def _move(seen: CableEnd, drawn: CableEnd) -> str:
    """Return how a plug is moved; over a few ports of one switch also by how many."""
    at, to = number_of(seen.port), number_of(drawn.port)
    count = ""
    if seen.device == drawn.device and at.isdecimal() and to.isdecimal() and 0 < abs(int(at) - int(to)) <= NEAR:
        ports = int(to) - int(at)
        count = f", {abs(ports)} port{'' if abs(ports) == 1 else 's'} {'higher' if ports > 0 else 'lower'}"
    return f"move it from {seen} to {drawn}{count}"
