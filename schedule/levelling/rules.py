"""Priority rules: in which order activities are placed. What has the least key comes first.

No rule is best everywhere, and the best of many differs from the worst by a third. So all are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.bounds import Unlevelled
from schedule.levelling.problem import Problem

MOST_FOR_SUCCESSORS = 5000
"""Activities up to which all successors are counted: the table of who follows whom grows with the square."""

Keys = NDArray[np.int64]


class Rule(Enum):
    """What is placed first."""

    LATEST_START = "latest start time"
    LATEST_FINISH = "latest finish time"
    LEAST_SLACK = "minimum slack"
    GREATEST_WEIGHT = "greatest rank positional weight"
    EARLIEST_START = "earliest start time"
    MOST_SUCCESSORS = "most total successors"
    WAVE_HALF = "half a wave by group"
    WAVE = "a wave by group"
    GROUP_BY_GROUP = "group by group"


WAVES = {Rule.WAVE_HALF: 1, Rule.WAVE: 2, Rule.GROUP_BY_GROUP: 8}
"""The half of the time that the finish is long, over which the groups are spread."""


def keys_of_rules(problem: Problem, early: Unlevelled, bound: int) -> Iterator[tuple[Rule, Keys]]:
    """Yield the keys of each rule that the problem allows. `bound` is a lower bound of the finish."""
    finish = int(early.finish.max(initial=0))
    late = finish - early.tail
    yield Rule.LATEST_START, late
    yield Rule.LATEST_FINISH, late + problem.duration
    if len(problem.group):
        _, number = np.unique(problem.group, return_inverse=True)
        for rule, halves in WAVES.items():
            yield rule, late + number * bound * halves // (2 * (int(number.max()) + 1))
    yield Rule.LEAST_SLACK, late - early.start
    yield Rule.GREATEST_WEIGHT, -_weights(problem)
    yield Rule.EARLIEST_START, early.start.copy()
    if problem.count <= MOST_FOR_SUCCESSORS:
        yield Rule.MOST_SUCCESSORS, -_successors(problem)


def _weights(problem: Problem) -> Keys:
    """Return the duration of each activity and of those that follow it directly."""
    weight = problem.duration.copy()
    np.add.at(weight, problem.links.before, problem.duration[problem.links.after])
    return weight


def _successors(problem: Problem) -> Keys:
    """Return how many activities follow each, directly or through others."""
    count = problem.count
    follows = np.zeros((count, (count + 7) // 8), np.uint8)
    links = problem.links
    number = np.arange(count)
    own = np.zeros(count, np.uint8)
    own[:] = 1 << (number % 8)
    for after in range(count - 1, -1, -1):
        for before in links.before[links.first[after] : links.first[after + 1]]:
            follows[before] |= follows[after]
            follows[before, after // 8] |= own[after]
    followers: Keys = np.bitwise_count(follows).sum(axis=1, dtype=np.int64)
    return followers
