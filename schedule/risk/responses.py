"""What somebody does when a duration becomes too long, as a buyer whose delivery is late: a response makes it shorter, never longer.

A response begins once its activity has lasted for `after` minutes, and is used in a sample only where the activity would last longer.
So nothing is shorter than that, and nobody knows before what will be late. Of several responses of an activity the one that begins
first is used first; the next one is used if the activity is still too long for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import int_column
from schedule.cpm.shifts import Indices, Minutes
from schedule.errors import InputError
from schedule.risk.drivers import Rows, check_rows
from schedule.risk.quantiles import Floats
from schedule.risk.spreads import MOST, Family, Spread

NOTHING_ELSE = Spread(MOST, MOST, MOST, Family.FIXED)
"""What comes instead where nothing does: never."""
BY_ITSELF = -1
"""No driver moves what comes instead."""


@dataclass(frozen=True, eq=False)
class RiskResponse:
    """A response to durations of `activities`, which are rows. For each of them it begins `after` so many minutes.

    It changes what is left of the activity then. Three ways are open, and the shortest counts: `saves` minutes less; `part` of it; or
    the time that something else takes `instead`, from that moment on. That time is one draw for all activities of the response, and
    the driver `moved_by` multiplies it too. Of 100 minutes with `after` 40 and `part` 0.5, 30 of 60 are left, so it lasts 70.
    """

    name: str
    activities: Rows
    after: Minutes
    saves: float = 0.0
    part: float = 1.0
    instead: Spread = NOTHING_ELSE
    moved_by: str | None = None


class Responding(NamedTuple):
    """Responses by number of the activity: those of number `i` are from `begin[i]` on, in the order in which they begin."""

    begin: Indices
    number: Indices
    cause: Indices
    after: Minutes
    saves: Floats
    part: Floats
    driver: Indices


def check_responses(responses: Sequence[RiskResponse], activities: int) -> None:
    """Raise InputError for the first response that is wrong, by name."""
    for one in responses:
        what = f"response {one.name!r}"
        check_rows(one.activities, activities, what)
        if len(one.after) != len(one.activities) or (np.asarray(one.after) < 0).any():
            raise InputError(
                f"{what} does not begin after a time", hint="each of its activities has minutes, none below 0"
            )
        if one.saves < 0 or not 0.0 <= one.part <= 1.0:
            raise InputError(
                f"{what} would make a duration longer", hint="it saves 0 minutes or more, and a part is 0 to 1"
            )


def responding(
    responses: Sequence[RiskResponse], drivers: Sequence[str], first: int, number: Indices, done: NDArray[np.bool_]
) -> Responding:
    """Return responses by number. `first` is the place of the first one in the causes, `number` has the number of each row."""
    rows = [int_column(one.activities) for one in responses]
    counts = [len(own) for own in rows]
    at = number[np.concatenate([*rows, np.zeros(0, np.int64)])]
    after = np.concatenate([*(int_column(one.after) for one in responses), np.zeros(0, np.int64)])
    which = np.repeat(np.arange(len(rows)), counts)
    order = np.lexsort((which, after, at))
    order = order[~done[at[order]]]
    begin = np.zeros(len(number) + 1, np.int32)
    np.cumsum(np.bincount(at[order], minlength=len(number)), out=begin[1:])
    saves = np.array([one.saves for one in responses], np.float64)
    part = np.array([one.part for one in responses], np.float64)
    moved = [BY_ITSELF if one.moved_by is None else list(drivers).index(one.moved_by) for one in responses]
    own = which[order]
    return Responding(
        begin,
        at[order].astype(np.int32),
        (own + first).astype(np.int32),
        after[order],
        saves[own],
        part[own],
        np.array(moved, np.int32)[own],
    )
