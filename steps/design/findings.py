"""What is wrong or doubtful about a design, in words: the numbers, and what would fix it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "note"]


class Finding(NamedTuple):
    """One finding. `name` is stable. With an `error` a design cannot be built or would fail."""

    name: str
    severity: Severity
    section: str
    says: str
    remedy: str
    numbers: Mapping[str, float] = {}


def sorted_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with errors first, then warnings, then notes; each kind in the order found."""
    rank = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(findings, key=lambda finding: rank[finding.severity]))
