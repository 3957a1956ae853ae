"""What callers hand to services and get back: outcomes of runs, measurements, claims. No database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal

from steps.errors import Place

RunStatus = Literal["ok", "failed", "interrupted", "rehearsed"]
ItemStatus = Literal["ok", "changed", "failed", "unreachable", "skipped", "kept"]


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What a run did to one host."""

    host: str
    status: ItemStatus
    duration_s: float = 0.0
    failed_task: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric read by a run; value None is `not measured`, and the note says why."""

    metric: str
    value: Decimal | bool | str | None
    unit: str
    item: str = ""
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a run leaves, already in the evidence store."""

    digest: str
    kind: str = "run-log"
    name: str = ""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run did, before anybody judged it."""

    status: RunStatus
    results: tuple[ItemResult, ...] = ()
    measurements: tuple[Measured, ...] = ()
    summary: str = ""
    artifacts: tuple[Artifact | str, ...] = ()
    playbook_digest: str | None = None
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run an activity until `lease_until` (machine time)."""

    activity: str
    attempt: int
    run: str
    owner: str
    lease_until: datetime
    host: str = ""
    boot_id: str = ""
    pid: int = 0
    pgid: int = 0
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """A line of progress.csv: what was done before Clusterwright."""

    line: int
    activity: str
    state: str
    started: datetime | None
    finished: datetime | None
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReadingEntry:
    """A reading as it was entered; without a unit it is in the one that is asked for."""

    metric: str
    value: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ItemEntry:
    """An item as somebody found it; `place` is its file and line, where it has one.

    Without a `serial` the one that was entered before stands; an empty one takes it away.
    """

    item: str
    passed: bool = True
    readings: tuple[ReadingEntry, ...] = ()
    note: str = ""
    serial: str | None = None
    photos: tuple[Path, ...] = ()
    place: Place | None = None
