"""Facts about the facility."""

from __future__ import annotations

from ledger.log.payload import Again, Part, Payload, Shown


class FactPart(Part):
    """One fact about the facility, with the unit of its value. Example: plant.capacity_one_unit_out is 3.2 MW."""

    name: str
    value: str
    unit: str


class FactsRecorded(Payload):
    """A person recorded facts about the facility, with evidence. `unit` is the unit of the site that the facts are about.

    `reopened` are the activities whose results were worked out from other values.
    """

    kind = "facts.recorded"
    unit: str
    facts: tuple[FactPart, ...]
    source: str
    evidence: tuple[Shown, ...]
    reopened: tuple[Again, ...]
