"""Readings of tests that ask for a verdict: which metric it is makes no difference there."""

from __future__ import annotations

from steps.acceptance.measured import Measured
from steps.value import Value


def reading(item: str, value: Value | None, unit: str, note: str = "") -> Measured:
    """Return a reading at an item."""
    return Measured("metric", value, unit, item, note=note)
