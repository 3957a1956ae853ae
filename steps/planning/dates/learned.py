"""What finished work and recorded approvals teach. Commands that read a kept forecast load this module, and none that learns it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lesson:
    """What finished work says of a step: its work takes `factor` times as long as planned, from so many finished activities."""

    step: str
    finished: int
    factor: float


@dataclass(frozen=True, slots=True)
class ApprovalTime:
    """How long the approvals of a role take, in working hours; the expected time lies between the planned one and the median."""

    role: str
    planned_h: float
    median_h: float
    approvals: int
    """That were recorded, or are waited for longer than planned."""
    expected_h: float
