"""The one shape of a measured figure: from a tool on a host, a calculation or a person's hand to its judgement."""

from __future__ import annotations

from typing import NamedTuple

from steps.value import Value


class Measured(NamedTuple):
    """One reading of a metric at an item. The value None means `not measured`, and the note says why.

    As a person enters it, the value may be text, and without a unit it is in that of the criterion. `by_engine` is true for a
    reading on record that software made. `accepted` is the non-conformance of a reading that fails and is used as it is.
    """

    metric: str
    value: Value | None
    unit: str = ""
    item: str = ""
    source: str = ""
    note: str = ""
    by_engine: bool = False
    accepted: str = ""
