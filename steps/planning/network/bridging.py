"""Links around the steps that do not apply: what follows such a step waits for what the step would have waited for.

The link names the steps between. The lag of work that is not done is not added (docs/adr/0003-bridging.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from schedule.cpm.circle import circle
from steps.catalog.terms import LinkType, Mapping
from steps.planning.activity import ELAPSED
from steps.planning.network.parts import Expansion
from steps.planning.plan import PlanLink

FROM_AND_TO = {(one, other): LinkType(one[0] + other[1]) for one in LinkType for other in LinkType}
"""The type of one link in place of two."""


def bridged(raw: list[PlanLink], found: Expansion) -> list[PlanLink]:
    """Return the links between what applies: those into and out of what does not are replaced by links around it."""
    bridges = _Bridges(raw, found)
    whole = [around for link in bridges.links if link.after not in bridges.skipped for around in bridges.through(link)]
    return [link for link in _strongest(whole) if link.before != link.after]


class _Bridges:
    """The links into each node, and the ways around the nodes that do not apply."""

    def __init__(self, raw: list[PlanLink], found: Expansion) -> None:
        self.skipped = frozenset(name for name, node in found.nodes.items() if not node.applies)
        """The activities that do not apply."""
        self._around: dict[str, list[PlanLink]] = {}
        self.links = [self._waited_for(link) for link in raw]
        self._into: dict[str, list[PlanLink]] = {}
        for link in self.links:
            self._into.setdefault(link.after, []).append(link)

    def through(self, link: PlanLink) -> list[PlanLink]:
        """Return a link, or the links around its predecessor if that does not apply."""
        if link.before not in self.skipped:
            return [link]
        return [_joined(first, link) for first in self._links_into(link.before)]

    def _links_into(self, end: str) -> list[PlanLink]:
        """Return the links into a node that does not apply, around all such nodes before it.

        What is before it is worked out first, in a loop: a chain may be longer than calls can be nested.
        """
        way = {} if end in self._around else {end: None}
        while way:
            node = next(reversed(way))
            before = self._open_before(node)
            if before is None:
                links = [around for link in self._into.get(node, ()) for around in self.through(link)]
                # there are thousands of ways around a hall that is in service; only the strongest for a pair is kept
                self._around[node] = _strongest(links)
                del way[node]
            elif before in way:
                names = [*way]
                raise circle([*names[names.index(before) :], before][::-1])
            else:
                way[before] = None
        return self._around[end]

    def _open_before(self, node: str) -> str | None:
        """Return a predecessor that does not apply and that is not worked out yet. None if there is none."""
        ends = (link.before for link in self._into.get(node, ()))
        return next((end for end in ends if end in self.skipped and end not in self._around), None)

    def _waited_for(self, link: PlanLink) -> PlanLink:
        """Return a link without the lag of work that is not done; a lag before a finish is the successor's own work."""
        if not link.lag_h:
            return link
        whose = link.before if link.type[1] == "S" else link.after
        if whose not in self.skipped:
            return link
        return replace(link, lag_h=0.0, lag_calendar=ELAPSED)


def _strongest(links: Iterable[PlanLink]) -> list[PlanLink]:
    """Return one link for each pair of nodes and type: the one with the longest lag, then the fewest bridges."""
    held: dict[tuple[str, str, LinkType], PlanLink] = {}
    for link in links:
        key = (link.before, link.after, link.type)
        other = held.get(key)
        if other is None or _strength(link) > _strength(other):
            held[key] = link
    return list(held.values())


def _strength(link: PlanLink) -> tuple[float, int]:
    return link.lag_h, -len(link.bridged)


def _joined(first: PlanLink, second: PlanLink) -> PlanLink:
    """Return one link for two that meet at a node without a duration, whose start is its finish."""
    return PlanLink(
        before=first.before,
        after=second.after,
        type=FROM_AND_TO[first.type, second.type],
        lag_h=first.lag_h + second.lag_h,
        lag_calendar=first.lag_calendar if first.lag_h else second.lag_calendar,
        map=first.map if first.map is not Mapping.SAME else second.map,
        reason=second.reason,
        bridged=(*first.bridged, second.before, *second.bridged),
    )
