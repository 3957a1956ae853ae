"""Checks whose value is a share: of so many activities or links, at most so many may be wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from schedule.cpm.columns import Bools
from schedule.quality.check import Check, Verdict, not_applicable, verdict_of
from schedule.quality.subject import Subject


class Asked(NamedTuple):
    """A check before it is answered: its id, its name, what is looked at, and the greatest share of what is wrong."""

    id: str
    name: str
    asks: str
    share: float = 0.0

    @property
    def threshold(self) -> str:
        """The greatest share in words."""
        return f"at most {self.share * 100:g} %" if self.share else "none"

    def unanswered(self, because: str) -> Check:
        """Return the check as not applicable."""
        return not_applicable(self.id, self.name, self.asks, self.threshold, because)


def of_activities(asked: Asked, wrong: Bools, *, among: Bools, nobody: str = "") -> Check:
    """Return the answer about activities. `nobody` says why there may be none to look at."""
    of = int(np.count_nonzero(among))
    if not of:
        return asked.unanswered(nobody or "everything is done")
    rows = np.flatnonzero(wrong & among)
    value = len(rows) / of
    return Check(
        asked.id, asked.name, asked.asks, _judged(asked, value), asked.threshold, value, of=of, activities=rows
    )


def of_links(asked: Asked, it: Subject, wrong: Bools) -> Check:
    """Return the answer about the links into what is not done."""
    of = int(np.count_nonzero(it.live))
    if not of:
        return asked.unanswered("no link leads to what is not done")
    rows = np.flatnonzero(wrong & it.live)
    value = len(rows) / of
    return Check(asked.id, asked.name, asked.asks, _judged(asked, value), asked.threshold, value, of=of, links=rows)


def _judged(asked: Asked, value: float) -> Verdict:
    return verdict_of(passes=value <= asked.share)
