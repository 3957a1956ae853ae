"""How sure a milestone is. Commands that read a kept forecast load this module, and none that draws samples."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Chance:
    """A date by which it happens with a probability, and the interval that holds it with 95 %."""

    date: datetime
    low: datetime
    high: datetime


@dataclass(frozen=True, slots=True)
class MilestoneOdds:
    """How sure one milestone is: go-live, a hall in service or a phase."""

    milestone: str
    """GO_LIVE, a hall in service as `hall_milestone` calls it, or a phase. Go-live and a hall are reached when they are approved."""
    planned: datetime
    """As the plan has it."""
    expected: datetime
    """As it comes from what has happened, with the most likely durations."""
    p10: Chance
    p50: Chance
    p80: Chance
    planned_share: float
    """The share of samples in which it is reached on the planned date or earlier."""
    committed_share: float | None = None
    """The same of its commitment. None without one, and in what an earlier version kept."""
