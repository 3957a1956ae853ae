"""A metric with its unit, and the tool whose output it is read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed


class Metric(NamedTuple):
    """A metric, its unit and the function that reads it."""

    name: str
    unit: str
    read: Callable[[Handed], Found]


class Tool(NamedTuple):
    """A tool as a playbook runs it: the output's name, the command, its metrics."""

    name: str
    output: str
    command: str
    metrics: tuple[Metric, ...]
