"""The way in: all checks of a solved network, and what they say of GAO's practices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.solution import Solution
from schedule.quality.check import Check, Verdict
from schedule.quality.dates import dates
from schedule.quality.indices import indices
from schedule.quality.practices import PRACTICES, GaoPractice, practices
from schedule.quality.structure import structure
from schedule.quality.subject import Known, subject


@dataclass(frozen=True, eq=False)
class Assessment:
    """All checks: the fourteen points in order, then those of practices that the points leave out."""

    checks: tuple[Check, ...]

    @cached_property
    def failed(self) -> tuple[Check, ...]:
        """The checks that fail."""
        return tuple(check for check in self.checks if check.verdict is Verdict.FAIL)

    @cached_property
    def practices(self) -> tuple[tuple[GaoPractice, Verdict], ...]:
        """GAO's ten practices, each with what its checks say."""
        by_id = {check.id: check for check in self.checks}
        return tuple((practice, practice.verdict(by_id)) for practice in PRACTICES)


def assess(network: CompiledNetwork, solution: Solution, known: Known, *, end: int | None = None) -> Assessment:
    """Return the assessment of a solved network. Without an `end` the last finish ends the project."""
    it = subject(network, solution, known, end=end)
    points = sorted((*structure(it), *dates(it), *indices(it)), key=lambda check: check.id)
    return Assessment((*points, *practices(it)))
