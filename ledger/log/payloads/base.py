"""What all payloads have in common, and the parts that several kinds of event share.

A payload records a fact and what the rules drew from it (`result`). Figures are decimals, instants are UTC, and there are no
floats. A kind keeps its name for ever. A change of its fields raises its version and adds an upcast.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Payload(BaseModel):
    """Base of all payloads."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: ClassVar[str]
    version: ClassVar[int] = 1


class Decided(Payload):
    """Base of what a person puts their name to; `statement` is what they signed, none where it is only recorded."""

    statement: str | None = None


class Part(BaseModel):
    """A record inside a payload."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Again(Part):
    """An activity that is decided to be opened or signed again, and why."""

    activity: str
    why: str


class Batch(Part):
    """Rows kept as evidence: their digest and how many."""

    digest: str
    rows: int


class Left(Part):
    """A file that was kept."""

    digest: str
    evidence: str
    name: str
    size: int


class Shown(Left):
    """A file that a person gave to show something; `removed` as in what is attached."""

    media_type: str | None = None
    removed: tuple[str, ...] = ()


class ReadingPart(Part):
    """One metric read; value None is `not measured`."""

    metric: str
    value: str | None
    unit: str
    item: str = ""
    source: str = ""
    instrument: str = ""
    note: str = ""
