"""The milestones of halls among others: a site may have many halls, and a screen shows a few of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from steps.schedule.halls import is_hall

MOST = 6
"""So many halls are shown, one of them the last; --json has all."""


class Milestone(Protocol):
    """Anything that is reached."""

    @property
    def milestone(self) -> str:
        """What it is called."""


M = TypeVar("M", bound=Milestone)


def few_halls(milestones: Sequence[M]) -> list[M]:
    """Return the milestones with the first halls and the last one, where there are more than fit on a screen."""
    halls = [one for one in milestones if is_hall(one.milestone)]
    left_out = {one.milestone for one in halls[MOST - 1 : -1]}
    return [one for one in milestones if one.milestone not in left_out]


def halls_left_out(milestones: Sequence[Milestone]) -> str:
    """Return how many halls `few_halls` leaves out, in words; empty where it shows all."""
    more = len(milestones) - len(few_halls(milestones))
    return f"{more} more halls: --json" if more else ""
