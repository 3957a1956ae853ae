"""Values that callers pass to decisions: outcomes of runs, readings, checked items, facts, claims. No database is needed.

The text that people type is parsed here, so that every front end reads it in the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from schedule.errors import InputError, Place
from steps.acceptance.measured import Measured
from steps.value import Value, bounded_number

RunStatus = Literal["ok", "failed", "interrupted", "rehearsed"]
ItemStatus = Literal["ok", "changed", "failed", "unreachable", "skipped", "kept"]


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What a run did to one host. `message` says why the host is not done."""

    host: str
    status: ItemStatus
    duration_s: float = 0.0
    failed_task: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a run that is in the evidence store already."""

    digest: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run did and read. Its criteria are judged later."""

    status: RunStatus
    results: tuple[ItemResult, ...] = ()
    measurements: tuple[Measured, ...] = ()
    summary: str = ""
    artifacts: tuple[Artifact, ...] = ()
    playbook_digest: str | None = None
    simulated: bool = False


class Claim(NamedTuple):
    """The right of a process to run an activity until `lease_until`, in machine time."""

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


class Wish(NamedTuple):
    """What an engine would run now if nothing else were in the way. `wants` are the hosts and shared things that it would use."""

    activity: str
    attempt: int
    wants: frozenset[str]
    float_h: float


class Reservation(NamedTuple):
    """What an engine keeps for an activity until `lease_until`, in machine time, and since when.

    The activity waits for its turn, or it is `granted`: then it has begun, or is about to. A run has a claim instead from then on.
    `places` is how many runs go on at once on the engine's machine, where nothing but a free place among them is missing; else 0.
    """

    activity: str
    engine: str
    attempt: int
    float_h: float
    since: datetime
    wants: tuple[str, ...]
    granted: bool
    lease_until: datetime
    host: str = ""
    boot_id: str = ""
    pid: int = 0
    places: int = 0

    def is_for(self, activity: str, attempt: int, wants: frozenset[str]) -> bool:
        """Return whether it is kept for this attempt, and for everything that this wants."""
        return (self.activity, self.attempt) == (activity, attempt) and wants <= set(self.wants)


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """A line of progress.csv: work that was done before Clusterwright."""

    line: int
    activity: str
    state: str
    started: datetime | None
    finished: datetime | None
    by: str
    note: str = ""
    out_of_sequence: str = ""


@dataclass(frozen=True, slots=True)
class ItemEntry:
    """A checklist entry. `place` is its file and line, if it is from a file.

    If `serial` is None, the item keeps the serial number that was entered before. An empty text removes that.
    """

    item: str
    passed: bool = True
    readings: tuple[Measured, ...] = ()
    note: str = ""
    serial: str | None = None
    photos: tuple[Path, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class FactEntry:
    """A fact about the facility as it was entered. A number without a unit is in the unit that the activity needs."""

    name: str
    value: Value
    unit: str = ""


_NUMBER = re.compile(r"([^=\s]+)=\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9.,].*)?")
_WORD = re.compile(r"([^=\s]+)=\s*(\S.*)")
_FIGURE = re.compile(r"([+-]?[0-9][0-9_]*(?:\.[0-9]+)?)\s*(.*)", re.DOTALL)

LONGEST_ENTRY = 2000
"""The most characters of one reading or fact."""

SHOWN = 60
"""How many characters of what was typed a refusal repeats."""


def reading_of(text: str) -> Measured:
    """Return a reading that was written as `rack.bond_resistance=0.05ohm`, or as `link.up=yes`."""
    _refuse_long(text, "a reading")
    number = _NUMBER.fullmatch(text.strip())
    if number is not None:
        return Measured(
            number[1],
            number[2],
            (number[3] or "").strip(),
        )
    word = _WORD.fullmatch(text.strip())
    if word is None:
        raise InputError(f"{text[:SHOWN]!r} is not METRIC=VALUE", hint="for example rack.bond_resistance=0.05ohm")
    return Measured(word[1], word[2])


def fact_of(text: str) -> FactEntry:
    """Return a fact that was written as NAME=VALUE. A value is a word, or a number with its unit behind it, for example 3.2MW."""
    _refuse_long(text, "a fact")
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InputError(f"{text[:SHOWN]!r} is not NAME=VALUE", hint="for example plant.capacity_one_unit_out=3.2MW")
    figure = _FIGURE.fullmatch(value)
    if figure is None:
        return FactEntry(name, value)
    number = bounded_number(figure[1].replace("_", ""))
    if number is None:
        raise InputError(f"{name[:SHOWN]} cannot be {figure[1][:SHOWN]}", hint="take a larger unit")
    return FactEntry(name, number, figure[2])


def _refuse_long(text: str, what: str) -> None:
    if len(text) > LONGEST_ENTRY:
        raise InputError(f"{what} has at most {LONGEST_ENTRY:,} characters, not {len(text):,}: {text[:SHOWN]!r}…")
