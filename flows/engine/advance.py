"""An advance: one run of a phase over some units, and how its flow run and tasks find it in this process.

Prefect records the parameters of flows and tasks, so these are values for people, and what they are of is found by the flow run's id.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from flows.engine.groups import Group
from flows.engine.questions_asked import Key

if TYPE_CHECKING:
    from flows.engine.state import Engine


@dataclass
class Advance:
    """A run of a phase over some units. Until it has as many tasks as its graph can show, it `takes` work from its group's queue."""

    engine: Engine
    group: Group
    label: str
    keys: list[Key] = field(default_factory=list)
    takes: bool = True


_AT_WORK: dict[UUID, Advance] = {}
"""By flow run: the advances that go on in this process."""


@contextmanager
def at_work(flow_run: UUID, advance: Advance) -> Iterator[None]:
    """Let a flow run and its tasks find what they are of, while the block lasts."""
    _AT_WORK[flow_run] = advance
    try:
        yield
    finally:
        del _AT_WORK[flow_run]


def advance_of(flow_run: UUID | None) -> Advance:
    """Return the advance that a flow run of this process is."""
    assert flow_run is not None  # none of our tasks runs outside a flow
    return _AT_WORK[flow_run]
