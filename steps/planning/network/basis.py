"""What a figure rests on, read from the text of its source.

The text begins with `calculation`, `analogy`, `judgement` or `assumption`. Any other text is a citation. A text that is
partly a citation and partly an assumption counts as an assumption: a reader can rely on no more than its weakest part.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steps.catalog.schema import Duration


class Basis(StrEnum):
    """What a figure rests on, the strongest first."""

    CITED = "cited"
    CALCULATION = "calculation"
    ANALOGY = "analogy"
    JUDGEMENT = "judgement"
    ASSUMPTION = "assumption"


STRENGTH = tuple(Basis)
_LABEL = re.compile(r"(calculation|analogy|judgement)\b")
_ASSUMED = re.compile(r"\bassum(ed|ptions?)\b")


def basis_of(source: str) -> Basis:
    """Return what a figure rests on, by the text of its source."""
    if _ASSUMED.search(source):
        return Basis.ASSUMPTION
    label = _LABEL.match(source)
    return Basis(label[1]) if label else Basis.CITED


def weakest_of(duration: Duration) -> Basis:
    """Return what a duration rests on: the weakest basis of its fixed time and its rate. A part that takes no time is left out."""
    parts = [part for part in (duration.fixed, duration.rate) if part is not None and any(part.points)]
    found = {basis_of(part.source) for part in parts or [duration.fixed]}
    return max(found, key=STRENGTH.index)
