"""Delays beside the driving path: chains that would have moved the target if the driving one had not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from schedule.cpm.paths import float_paths
from schedule.slip.chain import Bought
from schedule.slip.explain import NOTHING, Slip, explained, halves
from schedule.slip.standing import Standing


class NearChain(NamedTuple):
    """A chain that leads into the driving path, or into another near one."""

    activities: tuple[str, ...]
    """In the order in which they drive."""
    total_float: int
    """The least of its activities towards the target, in minutes of the calendar of the one that has it."""
    slip: Slip
    """Of its last activity, and why."""


def near_chains(
    before: Standing,
    after: Standing,
    target: str,
    *,
    within: int,
    most: int = 10,
    bought: Mapping[str, Bought] = NOTHING,
) -> list[NearChain]:
    """Return at most `most` chains with at most `within` minutes of float that are later than in `before`, the nearest first."""
    both = list(halves([before, after], bought=bought))
    reader = both[-1].new
    network, names = after.network, after.network.activities.names
    row = int(network.numbers.order[reader.number[target]])
    known = set(before.network.activities.names)
    _, *others = float_paths(network, reader.solution, row, most=most + 1)
    found = []
    for path in others:
        chain = tuple(names[one] for one in path.activities)
        if path.total_float > within or chain[-1] not in known:
            continue
        slip = explained(both, chain[-1])
        if slip.minutes > 0:
            found.append(NearChain(chain, path.total_float, slip))
    return found
