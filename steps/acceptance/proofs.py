"""Proofs: what a script of the role `proof` found where it ran, one JSON document of a value and a note for each metric.

A proof counts cases itself, as a tool does; here its word is only taken where it is of the right sort. A value of null is
what the proof could not try; its note says why.
"""

from __future__ import annotations

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric


def proved(name: str, unit: str) -> Metric:
    """Give a metric that a proof measures."""

    def read(handed: Handed) -> Found:
        entry = handed.document("proof")[name]
        value, note = entry["value"], entry["note"]
        if not isinstance(note, str):
            handed.garbled()
        if value is None:
            raise NotMeasuredError(note)
        if unit == "bool":
            if not isinstance(value, bool):
                handed.garbled()
            return Found(value, note)
        return Found(number(value), note)

    return Metric(name, unit, read)
