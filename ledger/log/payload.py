"""The base of all payloads, and the parts that several kinds of event share.

A payload records a fact, and in `result` the state that the rules concluded from it. Numbers are decimals, never floats. Times
are UTC. A kind keeps its name for ever. When its fields change, its version is raised and an upcast is added.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict

from steps.acceptance.measured import Measured
from steps.value import value_text


class Part(BaseModel):
    """A record inside a payload: immutable, without unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Payload(Part):
    """The base of all payloads."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1
    about: ClassVar[str] = ""
    """The subject of the event, with fields of the payload, if it is about the site. Empty if it is about an activity or an order."""
    longest: ClassVar[int] = 4_000_000
    """How many characters the payload of an event has at most. From version 4 of the rules on, a longer one is refused."""
    clock_behind_s: int | None = None
    """By how many seconds the machine's clock was behind the last event. None if it was not: then no event has the field."""
    late_because: str | None = None
    """Why it is recorded long after it happened. None if nobody had to say: then no event has the field."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if "kind" in vars(cls):
            KINDS[cls.kind] = cls


KINDS: dict[str, type[Payload]] = {}
"""By its name: the payload of every kind of event. `ledger.subjects.kinds` imports them all."""


class OfEngine(Payload):
    """The base of what only software records."""


LONGEST_SIGNATURE = 20_000
"""How many characters a signature has at most. One with a key of 16,384 bits, the largest of OpenSSH, has 6,000."""

UNRECORDED_IF_NONE = frozenset({"asked_in", "clock_behind_s", "late_because", "ordered", "planned", "recut"})
"""Fields that an event has only if they have a value."""


class Decided(Payload):
    """The base of decisions that a person can sign. `statement` is the text that they signed. It is None without a signature."""

    statement: str | None = None


class Again(Part):
    """An activity that is opened again, or is to be signed again, and why."""

    activity: str
    why: str


class Batch(Part):
    """A file of the evidence store with rows that were too many for the event: its digest and the number of rows."""

    digest: str
    rows: int


class Left(Part):
    """A file in the evidence store. `evidence` is its kind, as the sign-off policy names it, and `size` is in bytes."""

    digest: str
    evidence: str
    name: str
    size: int


class Shown(Left):
    """A file that a person attached as evidence. `removed` names what was taken out of it before it was stored."""

    media_type: str | None = None
    removed: tuple[str, ...] = ()


class ReadingPart(Part):
    """One reading of a metric. The value None means `not measured`."""

    metric: str
    value: str | None
    unit: str
    item: str = ""
    source: str = ""
    instrument: str = ""
    note: str = ""

    @classmethod
    def of(cls, read: Measured, instrument: str = "") -> Self:
        """Return a reading as events record it."""
        return cls(
            metric=read.metric,
            value=value_text(read.value),
            unit=read.unit,
            item=read.item,
            source=read.source,
            instrument=instrument,
            note=read.note,
        )


def appended_by(payload: type[Payload]) -> str:
    """Return who appends events of a kind: `engine` for what only software records, `people` for decisions, otherwise `both`."""
    if issubclass(payload, OfEngine):
        return "engine"
    return "people" if issubclass(payload, Decided) else "both"
