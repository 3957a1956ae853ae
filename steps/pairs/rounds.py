"""The order in which all pairs of servers are tested: in a round each server is in one pair, so no test disturbs another.

It is a round robin: of n servers each meets all others in n - 1 rounds, in n if n is odd. All pods run at the same time. Between pods
the pods take turns in the same way, and servers of the same place in their pods are paired: every server crosses the upper tiers to
every other pod once. That is no test of all pairs of the site, which would take as many rounds as it has servers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

Pair = tuple[str, str]
RoundOfPairs = tuple[Pair, ...]


def round_robin(names: Sequence[str]) -> Iterator[RoundOfPairs]:
    """Yield the rounds in which everybody meets everybody once. In a round of an odd number one has no partner."""
    seats: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    for _ in range(len(seats) - 1):
        half = len(seats) // 2
        facing = zip(seats[:half], reversed(seats[half:]), strict=True)
        yield tuple((a, b) for a, b in facing if a is not None and b is not None)
        seats = [seats[0], seats[-1], *seats[1:-1]]


def within_pods(pods: Sequence[Sequence[str]]) -> Iterator[RoundOfPairs]:
    """Yield the rounds of all pods side by side."""
    for rounds in zip_longest(*map(round_robin, pods), fillvalue=()):
        yield tuple(pair for each in rounds for pair in each)


def between_pods(pods: Sequence[Sequence[str]]) -> Iterator[RoundOfPairs]:
    """Yield the rounds in which each pod meets each other one, server by server. Of a smaller pod the others have no partner."""
    by_name = {str(number): pod for number, pod in enumerate(pods)}
    for meetings in round_robin(list(by_name)):
        yield tuple(pair for a, b in meetings for pair in zip(by_name[a], by_name[b], strict=False))
