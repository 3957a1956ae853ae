"""Kinds of causes, and parts of a slip."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple, TypeVar

Key = TypeVar("Key")


class CauseInWords(Enum):
    """A cause whose value is two texts: what it did if dates are later by it, and if they are earlier."""

    @property
    def later(self) -> str:
        """In words, where it made the finish later."""
        return str(self.value[0])

    @property
    def earlier(self) -> str:
        """In words, where it made the finish earlier."""
        return str(self.value[1])


class SlipCause(CauseInWords):
    """Why an activity's dates moved: in words if they are later by it, and if they are earlier."""

    STARTED = ("started late", "started early")
    """Against what its links allowed, given what had really happened before it."""
    NOT_STARTED = ("has not started", "will start earlier")
    """What comes before it is done, and it has not started by the data date."""
    TOOK = ("took longer", "took less time")
    TAKING = ("is taking longer", "is taking less time")
    """From its start, what is done and what remains are more than was planned."""
    DELIVERY = ("is delivered late, or promised for later", "takes less time from its order than planned")
    ORDER = ("was ordered late", "was ordered early")
    HELD = ("may not start before a later date", "may start from an earlier date")
    CREW = ("waits for a crew", "waits no longer for a crew")
    """A crew's handover became part of the network, left it, or takes longer."""
    LOGIC = ("has other links by a revision", "has fewer links by a revision")
    """A link or a lag became longer or shorter, or an activity was added or removed."""
    DURATION = ("has a longer duration by a revision", "has a shorter duration by a revision")
    CALENDAR = ("has other working hours by a revision", "has more working hours by a revision")
    CORRECTED = ("has a corrected record", "has a corrected record")
    """It is recorded now that it did not start or finish as the earlier record said."""


class SlipPart(NamedTuple):
    """One cause at one activity, and what it did to the target."""

    activity: str
    cause: SlipCause
    minutes: int
    """By which the target is later; negative where it is earlier."""
    own: int
    """By which the activity's own dates are later. Float makes `minutes` less, closed hours on the way make it less or more."""
    data_date: int | None = None
    """At the end of the window in which it was found; None in what several windows have together."""

    @property
    def words(self) -> str:
        """Return what happened, in words."""
        return self.cause.later if self.minutes > 0 else self.cause.earlier


def combined(parts: Iterable[SlipPart]) -> tuple[SlipPart, ...]:
    """Return one part for each activity and cause, the greatest first; those that sum to nothing are left out."""
    sums: dict[tuple[str, SlipCause], tuple[int, int]] = {}
    for part in parts:
        minutes, own = sums.get((part.activity, part.cause), (0, 0))
        sums[part.activity, part.cause] = minutes + part.minutes, own + part.own
    found = [SlipPart(*key, minutes, own) for key, (minutes, own) in sums.items() if minutes]
    return tuple(sorted(found, key=lambda part: -abs(part.minutes)))


def summed(parts: Iterable[SlipPart], key: Callable[[SlipPart], Key]) -> dict[Key, int]:
    """Return the minutes by what a caller knows of each part: its owner, step or supplier. They have the same sum."""
    sums: dict[Key, int] = {}
    for part in parts:
        sums[key(part)] = sums.get(key(part), 0) + part.minutes
    return sums
