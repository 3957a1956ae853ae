"""What people found the facility to be."""

from __future__ import annotations

from ledger.log.payloads.base import Again, Part, Payload, Shown


class FactPart(Part):
    """One thing known of the facility: its name, value and unit."""

    name: str
    value: str
    unit: str


class FactsRecorded(Payload):
    """What a person found the facility to be, with evidence; `unit` is the unit of the site it is about.

    `reopened` are the activities whose result rested on another value.
    """

    kind = "facts.recorded"
    unit: str
    facts: tuple[FactPart, ...]
    source: str
    evidence: tuple[Shown, ...]
    reopened: tuple[Again, ...]
