"""Halving a group of servers whose collective is slow, until a server is left, or two between which it is slow.

A group is judged as a whole. If neither half is slow by itself and both together are, what is between them is at fault: the smallest
part of each half is sought that is still slow with the other. The search asks for one group after another; it takes it that a group
that has the fault is slow (QuickXplain, Junker 2004).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Group = frozenset[str]


class Halved(NamedTuple):
    """What is known: the group to measure next, or the servers that are slow together; one alone is slow by itself."""

    measure: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class _AskError(Exception):
    """A group has not been measured."""

    def __init__(self, group: Sequence[str]) -> None:
        super().__init__(", ".join(group))
        self.group = group


def halved(order: Sequence[str], slow: Mapping[Group, bool]) -> Halved:
    """Return how to go on with a slow group, after some groups were measured. The order puts neighbours together."""

    def is_slow(group: Sequence[str]) -> bool:
        if frozenset(group) not in slow:
            raise _AskError([name for name in order if name in group])
        return slow[frozenset(group)]

    def smallest(with_: Sequence[str], among: Sequence[str], *, grown: bool) -> list[str]:
        if grown and is_slow(with_):
            return []
        if len(among) == 1:
            return [*among]
        first, second = among[: len(among) // 2], among[len(among) // 2 :]
        right = smallest([*with_, *first], second, grown=True)
        left = smallest([*with_, *right], first, grown=bool(right))
        return [*left, *right]

    try:
        if not is_slow(order):
            return Halved()
        return Halved(left=tuple(smallest([], order, grown=False)))
    except _AskError as ask:
        return Halved(measure=tuple(ask.group))
