"""The input and the result of a lint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from schedule.errors import Place
from steps.catalog.loader import Role


@dataclass(frozen=True)
class Installed:
    """Parts of the program: roles by slug, the folder of playbooks, and the folders of its own source."""

    roles: Mapping[str, Role]
    playbooks: Path
    source: tuple[Path, ...]


@dataclass(frozen=True)
class LintFinding:
    """One fault: the rule, what is wrong, where it is, and what to do."""

    rule: str
    message: str
    place: Place
    hint: str = ""


@dataclass
class LintReport:
    """What a lint found and counted."""

    findings: list[LintFinding] = field(default_factory=list)
    figures: int = 0
    assumptions: int = 0
    barriers: list[str] = field(default_factory=list)
    free_starts: dict[str, list[str]] = field(default_factory=dict)
    activities: dict[str, int] = field(default_factory=dict)

    @property
    def assumption_share(self) -> float:
        """Return the share of figures whose source is `assumption`, 0 to 1; 0 without figures."""
        return self.assumptions / self.figures if self.figures else 0.0
