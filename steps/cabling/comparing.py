"""Compares the cables that are drawn with the neighbours that ports hear.

A link counts as seen if either end hears the other. A port that is down repeats what it heard before it went down: if its neighbour
is alive elsewhere, the cable has been moved. A cable of which no end could be read is not verified: that is no finding, and no pass.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from steps.cabling import finding
from steps.cabling.cable import Cable, CableEnd, PortSeen, Reading
from steps.cabling.finding import LinkFinding
from steps.cabling.names import Names, is_management


class Comparison(NamedTuple):
    """What came out: the findings, the names of the cables that are right, and by cable why one was not verified.

    `read` are the devices that reported their ports; of those in `unread` the reason is known why they did not.
    """

    findings: tuple[LinkFinding, ...]
    right: frozenset[str]
    unverified: dict[str, str]
    read: frozenset[str]
    unread: dict[str, str]


def compare(cables: Iterable[Cable], found: Reading) -> Comparison:
    """Return how the cables that were found differ from those that are drawn."""
    return _Comparing(tuple(cables), found).compared()


class _Comparing:
    """The cables of a schedule beside everything that was heard."""

    def __init__(self, cables: tuple[Cable, ...], found: Reading) -> None:
        self._cables = cables
        self._found = found
        self._names = Names(cables, found.ports)
        self._seen: dict[CableEnd, list[PortSeen]] = defaultdict(list)
        self._live: dict[CableEnd, set[CableEnd]] = defaultdict(set)
        self._stale: set[frozenset[CableEnd]] = set()
        for port in found.ports:
            end = self._names.end(port.device, port.port)
            self._seen[end].append(port)
            for far in map(self._names.far_end, port.neighbours):
                if port.is_live:
                    self._live[end].add(far)
                    self._live[far].add(end)
                else:
                    self._stale.add(frozenset((end, far)))
        self._read = {end.device for end in self._seen}
        self._findings: list[LinkFinding] = []
        self._right: set[str] = set()
        self._unverified: dict[str, str] = {}
        self._explained: set[frozenset[CableEnd]] = set()

    def compared(self) -> Comparison:
        """Look at each cable, then at the links that no cable explains."""
        moved: dict[str, CableEnd] = {}
        for cable in self._cables:
            if cable.b in self._live[cable.a]:
                self._look_at_link(cable)
            elif place := self._moved_to(cable):
                moved[cable.name] = place
            else:
                self._look_for(cable)
        self._note_moved(moved)
        self._findings += self._unexpected()
        order = list(finding.MEANINGS)
        ranked = sorted(self._findings, key=lambda each: order.index(each.kind))
        unread = {self._names.device(device): why for device, why in self._found.unread.items()}
        return Comparison(tuple(ranked), frozenset(self._right), self._unverified, frozenset(self._read), unread)

    @cached_property
    def _racks(self) -> dict[str, str]:
        """The rack of each device of the schedule."""
        return {end.device: rack for c in self._cables for end, rack in ((c.a, c.a_rack), (c.b, c.b_rack))}

    @cached_property
    def _rails(self) -> dict[str, str]:
        """The rail of each switch that carries cables of one rail only."""
        rails: dict[str, set[str]] = defaultdict(set)
        for cable in self._cables:
            if cable.rail:
                rails[cable.b.device].add(cable.rail)
        return {device: min(found) for device, found in rails.items() if len(found) == 1}

    @cached_property
    def _dark(self) -> frozenset[str]:
        """The devices of which no port hears anybody, or is heard. A device with one port is not among them."""
        ports: dict[str, set[CableEnd]] = defaultdict(set)
        for cable in self._cables:
            for end in (cable.a, cable.b):
                ports[end.device].add(end)
        return frozenset(
            device for device, ends in ports.items() if len(ends) > 1 and not any(self._live[end] for end in ends)
        )

    @cached_property
    def _drawn(self) -> dict[CableEnd, Cable]:
        """The cable of each port that is drawn."""
        return {end: cable for cable in self._cables for end in (cable.a, cable.b)}

    def _look_at_link(self, cable: Cable) -> None:
        """Note a link between the right ports as right, slow or narrow."""
        self._explained.add(frozenset((cable.a, cable.b)))
        reports = [*self._seen[cable.a], *self._seen[cable.b]]
        why = next(filter(None, (_slow(port, cable.gbit) for port in reports)), "")
        if why:
            self._findings.append(finding.degraded(cable, why))
        else:
            self._right.add(cable.name)

    def _moved_to(self, cable: Cable) -> CableEnd | None:
        """Return where the plug of a cable is that is in another port; None for a cable that is seen nowhere.

        The server's end is taken to be right, and the far end to have been moved, unless the far end hears a port that no
        cable is drawn to.
        """
        places = sorted(self._live[cable.a])
        if places:
            return next((place for place in places if place.port), None)
        own = [end for end in sorted(self._live[cable.b]) if end.port and end not in self._drawn]
        return next((end for end in own if end.device == cable.a.device), None)

    def _note_moved(self, moved: dict[str, CableEnd]) -> None:
        """Note the cables that are in other ports. Two that have each other's are one finding."""
        by_name = {cable.name: cable for cable in self._cables}
        paired: set[str] = set()
        for name, place in moved.items():
            cable, other = by_name[name], self._drawn.get(place)
            anchor = cable.a if place in self._live[cable.a] else cable.b
            self._explained.add(frozenset((anchor, place)))
            drawn = cable.b if anchor == cable.a else cable.a
            rails = (cable.rail, self._rails.get(place.device, ""))
            if other and moved.get(other.name) == drawn:
                if name not in paired:
                    paired |= {name, other.name}
                    self._findings.append(finding.swapped(cable, other, self._racks, rails))
                continue
            occupant = ", ".join(str(end) for end in sorted(self._live[drawn]))
            self._findings.append(finding.misplaced(cable, drawn, place, self._racks, occupant, rails))

    def _look_for(self, cable: Cable) -> None:
        """Note a cable that is seen nowhere as down, missing, or not verified."""
        a, b = cable.a, cable.b
        vague = {end.device for end in self._live[b] if not end.port} | {
            end.device for end in self._live[a] if not end.port
        }
        if vague & {a.device, b.device}:
            self._explained |= {frozenset((end, far)) for end in (a, b) for far in self._live[end] if not far.port}
            self._unverified[cable.name] = (
                f"{b} hears {a.device}, at a port whose name does not say which: name its ports (--names)"
            )
        elif not {a.device, b.device} & self._read:
            self._unverified[cable.name] = f"neither {a.device} nor {b.device} was read"
        elif frozenset((a, b)) in self._stale and not self._live[b]:
            self._explained.add(frozenset((a, b)))
            self._findings.append(finding.degraded(cable, "down"))
        else:
            self._note_missing(cable)

    def _note_missing(self, cable: Cable) -> None:
        ups = self._is_up(cable.a), self._is_up(cable.b)
        other = ", ".join(str(end) for end in sorted(self._live[cable.b]))
        if not other and all(up is not False for up in ups) and any(ups):
            self._unverified[cable.name] = (
                f"{cable.a} or {cable.b} is up, and neither hears anybody: does LLDP run there?"
            )
            return
        self._findings.append(finding.missing(cable, ups=ups, other=other, dark=self._dark))

    def _is_up(self, end: CableEnd) -> bool | None:
        """Return whether a port has a signal; None where it was not read, or does not say so."""
        states = [port.up for port in self._seen[end]]
        return None if not states or None in states else any(states)

    def _unexpected(self) -> Iterator[LinkFinding]:
        """Yield the links that no cable and no other finding explains, each once."""
        switches = {cable.b.device for cable in self._cables}
        for end in sorted(self._live):
            for far in sorted(self._live[end]):
                link = frozenset((end, far))
                if link in self._explained:
                    continue
                here, there = (end, far) if end.device in switches else (far, end)
                if self._concerns(here, there, switches):
                    self._explained.add(link)
                    yield finding.unexpected(here, there, self._racks.get(here.device, ""))

    def _concerns(self, here: CableEnd, there: CableEnd, switches: set[str]) -> bool:
        """Return whether a link is one of the fabric: at a drawn port, or at a switch, but for the port that manages it."""
        if here in self._drawn or there in self._drawn:
            return True
        return here.device in switches and not is_management(here.port)


def _slow(port: PortSeen, gbit: float | None) -> str:
    """Return why a port's link is not what it should be; empty where it is, or where the port does not say.

    A link that has the rate that is drawn is right, whatever its ports could do beside that.
    """
    if port.up is False:
        return "down"
    could = f"could be {port.could}" if port.could else ""
    if not gbit or not port.gbit:
        return could
    slow = f"{port.gbit:g} Gbit/s, drawn {gbit:g}" if port.gbit < gbit else ""
    return "; ".join(filter(None, (slow, could))) if slow else ""
