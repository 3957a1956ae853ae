"""One check of a schedule: what was found, out of how many, against which threshold, and the offenders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import Tie
from schedule.cpm.compiled import CompiledNetwork

Rows = NDArray[np.integer]


class Verdict(Enum):
    """How a check ends."""

    PASS = "pass"  # noqa: S105  a verdict, no password
    FAIL = "fail"
    NOT_APPLICABLE = "not applicable"


class Measure(Enum):
    """What a check's value is."""

    SHARE = "share"
    INDEX = "index"
    DAYS = "days"


def _nobody() -> Rows:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Check:
    """The answer to one check. Offenders are rows of activities or of links."""

    id: str
    name: str
    asks: str
    """What is looked at, in a sentence."""
    verdict: Verdict
    threshold: str
    value: float | None = None
    """A share from 0 to 1, an index, or working days; None where it is not applicable."""
    unit: Measure = Measure.SHARE
    of: int = 0
    """Among how many activities or links offenders were looked for."""
    because: str = ""
    """Why it is not applicable, or what is worth knowing."""
    activities: Rows = field(default_factory=_nobody)
    links: Rows = field(default_factory=_nobody)

    @property
    def found(self) -> int:
        """The number of offenders."""
        return len(self.activities) + len(self.links)

    def offenders(self, network: CompiledNetwork) -> Iterator[str]:
        """Yield the offenders by name, a link as `A -> B FS`."""
        names = network.activities.names
        for row in self.activities.tolist():
            yield names[row]
        links = network.links
        for row in self.links.tolist():
            kind = Tie(int(links.type[row])).name
            yield f"{names[int(links.before[row])]} -> {names[int(links.after[row])]} {kind}{_lag(int(links.lag[row]))}"


def not_applicable(id_: str, name: str, asks: str, threshold: str, because: str) -> Check:
    """Return a check that cannot be answered, and why."""
    return Check(id_, name, asks, Verdict.NOT_APPLICABLE, threshold, because=because)


def verdict_of(*, passes: bool) -> Verdict:
    """Return pass or fail."""
    return Verdict.PASS if passes else Verdict.FAIL


def _lag(minutes: int) -> str:
    """Return a lag as `+90min` or `-8h`; nothing if there is none."""
    if not minutes:
        return ""
    hours, rest = divmod(abs(minutes), 60)
    return f"{'+' if minutes > 0 else '-'}{f'{abs(minutes)}min' if rest else f'{hours}h'}"
