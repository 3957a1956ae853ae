"""The closed sets of words that the catalog, the plan and the ledger share, and how hosts take turns.

Standard library and `annotated_types` only, so that commands which look may import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Le, MinLen

SHIFT_H = 8.0
"""Hours of a crew-day, the shift of a crew (RSMeans gives the daily output of crews for eight hours). It is the same at any site."""


class Phase(StrEnum):
    """The nine phases of a buildout, in the order of the step numbers."""

    PROCUREMENT = "procurement"
    SERVER_ASSEMBLY = "server_assembly"
    NETWORKING = "networking"
    POWER = "power"
    COOLING = "cooling"
    STORAGE = "storage"
    SOFTWARE_STACK = "software_stack"
    MONITORING = "monitoring"
    GO_LIVE = "go_live"


class Percentile(StrEnum):
    """How sure the date is to which a site commits."""

    P50 = "P50"
    P80 = "P80"


class Response(StrEnum):
    """What a buyer does about an order that is late."""

    EXPEDITE = "expedite"
    SECOND_SOURCE = "second-source"
    PARTIAL_SERVICE = "partial-service"

    @property
    def words(self) -> str:
        """The response as people say it."""
        return self.value.replace("-", " ")


class Kind(StrEnum):
    """Who or what does a step."""

    PROCURE = "procure"
    FIELD = "field"
    AUTOMATE = "automate"
    COMPUTE = "compute"
    VERIFY = "verify"
    GATE = "gate"


WITH_OFFICES = frozenset({Kind.PROCURE, Kind.GATE})
"""Kinds of work that people do at desks, or with others who keep office hours, as inspectors."""


class Scope(StrEnum):
    """The kind of unit at which a step is tracked, widest first."""

    SITE = "site"
    HALL = "hall"
    POD = "pod"


class Effect(StrEnum):
    """What an automated step does to the hosts."""

    READ = "read"
    CHANGE = "change"
    DESTRUCTIVE = "destructive"


PEOPLES_WORK = frozenset({Kind.PROCURE, Kind.FIELD, Kind.GATE})
"""Kinds of step whose work people do."""

SOFTWARES_WORK = frozenset({Kind.AUTOMATE, Kind.VERIFY})
CHANGING = frozenset({Effect.CHANGE, Effect.DESTRUCTIVE})
"""Effects that wait for a release."""


class LinkType(StrEnum):
    """How a successor hangs on its predecessor."""

    FS = "FS"
    SS = "SS"
    FF = "FF"
    SF = "SF"


class Mapping(StrEnum):
    """Which units of the predecessor a successor's unit waits for."""

    SAME = "same"
    ENCLOSING = "enclosing"
    FIRST = "first"
    ALL = "all"
    AS_THEY_COME = "as-they-come"


class Shared(StrEnum):
    """Things of which a site has one: runs that change or load one take turns, whatever their hosts."""

    FABRIC_MANAGER = "fabric-manager"
    SCHEDULER = "scheduler"
    METRICS = "metrics"
    FILE_SYSTEM = "file-system"


@dataclass(frozen=True, slots=True)
class Waves:
    """How a playbook goes over hosts that do not depend on one another: a few first, then slices, and when to stop.

    `canary` hosts are the first wave; one that fails there ends the run. `size` is the number of hosts of every later
    wave. With more than `max_failed_percent` of all hosts failed, the next wave does not begin.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    size: Annotated[int, Ge(1), Le(100_000)]
    max_failed_percent: Annotated[float, Ge(0), Le(100)]
    source: str
    canary: Annotated[int, Ge(1), Le(100_000)] = 1


@dataclass(frozen=True, slots=True)
class AlsoRead:
    """A metric that a step reads and that no criterion judges. It is recorded beside the criteria."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    metric: Annotated[str, MinLen(1)]
    unit: Annotated[str, MinLen(1)]
