"""Why a target's finish moved, window by window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from schedule.cpm.reading import SolvedNetwork
from schedule.cpm.wiring import DONE, OPEN
from schedule.errors import InputError
from schedule.slip.causes import SlipCause, SlipPart, combined
from schedule.slip.chain import Bought, Chain, Half
from schedule.slip.replay import parts
from schedule.slip.standing import Standing, progressed

NOTHING: Mapping[str, Bought] = MappingProxyType({})


@dataclass(frozen=True)
class Slip:
    """The change of one finish, in minutes since the networks' origin, and its parts."""

    target: str
    before: int
    after: int
    by_window: tuple[SlipPart, ...]
    """In the order of windows, and in each in the order of the chain."""

    @property
    def minutes(self) -> int:
        """By how much the target is later; the sum of all parts."""
        return self.after - self.before

    @property
    def parts(self) -> tuple[SlipPart, ...]:
        """One part for each activity and cause, the greatest first."""
        return combined(self.by_window)


def explain(standings: Sequence[Standing], target: str, *, bought: Mapping[str, Bought] = NOTHING) -> Slip:
    """Return why the finish of `target` is another in the last standing than in the first.

    Args:
        standings: in the order of their data dates; two or more. Each pair is a window.
        target: the name of an activity that all of them have.
        bought: which activities are orders and deliveries, by name; the others are work.

    """
    if len(standings) < 2:
        raise InputError("a slip is between two standings or more", hint="pass the baseline first")
    for standing in standings:
        if target not in standing.network.activities.names:
            raise InputError(f"the target {target!r} is not in the network", hint="look for its name in both plans")
    return explained(halves(standings, bought=bought), target)


def halves(standings: Sequence[Standing], *, bought: Mapping[str, Bought] = NOTHING) -> Iterator[Half]:
    """Return the halves of each window: first progress, then what a revision changed, if it did."""
    old = standings[0].solved()
    for before, after in pairwise(standings):
        middle = progressed(before, after)
        new = middle.solved()
        yield Half(before, middle, old, new, bought, is_revision=False)
        old = new
        if _is_revised(middle, after):
            new = after.solved()
            yield Half(middle, after, old, new, bought, is_revision=True)
            old = new


def explained(all_halves: Iterable[Half], target: str) -> Slip:
    """Return why a finish moved in halves that follow each other; there is one at least."""
    dates: list[int] = []
    found: list[SlipPart] = []
    for half in all_halves:
        places, root = Chain(half, target).walked_back()
        found += parts(places, root, half.after.data_date)
        dates += [reader.finished(reader.number[target]) for reader in (half.old, half.new)]
        now = half.new
    return Slip(target, dates[0], dates[-1], tuple(_as_it_is_now(part, now) for part in found))


def _is_revised(middle: Standing, after: Standing) -> bool:
    if middle.network is not after.network or middle.start != after.start:
        return True
    return middle.durations is not after.durations and bool((middle.expected != after.expected).any())


def _as_it_is_now(part: SlipPart, now: SolvedNetwork) -> SlipPart:
    """Return a part of an earlier window in words of today: what had not started then has perhaps started since."""
    number = now.number.get(part.activity)
    state = OPEN if number is None else now.state(number)
    if part.cause is SlipCause.NOT_STARTED and state != OPEN:
        return part._replace(cause=SlipCause.STARTED)
    if part.cause is SlipCause.TAKING and state == DONE:
        return part._replace(cause=SlipCause.TOOK)
    return part
