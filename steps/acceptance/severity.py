"""The severity of a fault, and what is done about it: the four levels of large operators' node checks."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """What a fault asks for, mildest first."""

    MONITOR = "monitor"
    RESET = "reset"
    REBOOT = "reboot"
    REPLACE = "replace"

    @property
    def rank(self) -> int:
        """Return the place of a severity in their order; a higher one is worse."""
        return list(Severity).index(self)


class Action(NamedTuple):
    """What is done with the node, and whether its burn-in then starts again."""

    drain: bool
    restarts_clock: bool
    sentence: str


ACTIONS = {
    Severity.MONITOR: Action(
        drain=False, restarts_clock=False, sentence="keep the node in service and watch the count"
    ),
    Severity.RESET: Action(drain=True, restarts_clock=True, sentence="drain the node and reset the GPU"),
    Severity.REBOOT: Action(drain=True, restarts_clock=True, sentence="drain the node and reboot it, power off and on"),
    Severity.REPLACE: Action(
        drain=True, restarts_clock=True, sentence="drain the node, take it out and replace the part"
    ),
}
"""Actions by severity. The levels are those of AWS's node health check (MONITOR, RESET, REBOOT, ISOLATE). That any fault or
reboot starts a burn-in again is trade practice (Penguin Computing, trade source)."""


def worst(severities: list[Severity]) -> Severity | None:
    """Return the worst of several severities; None if there are none."""
    return max(severities, key=lambda severity: severity.rank, default=None)
