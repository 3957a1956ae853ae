"""Checks what a duration, a lead time or a lag says it rests on: the steps of an analogy are there, and what is judged has a range."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from steps.catalog.lint.report import LintFinding
from steps.catalog.loader import Entry
from steps.catalog.schema import Step
from steps.planning.network.basis import Basis, basis_of
from steps.yaml_lines import KeyPath

STEP = r"(?:\d{3}|[HX]\d{2,3})"
STEPS_NAMED = re.compile(rf"\bsteps? ({STEP}(?:(?:, | and | to ){STEP})*)\b")
WITHOUT_TEXT = re.compile(r"(calculation|analogy|judgement)\W*$")
WITH_RANGE = {Basis.ANALOGY, Basis.JUDGEMENT}


class SourcedTime(NamedTuple):
    """A time of a step: its key, the text of its source, and its points. A lag, and the room of a crew, have no range, so no points."""

    key: KeyPath
    source: str
    points: tuple[float, ...] = ()


def basis_findings(entry: Entry, catalog: Mapping[str, Entry]) -> Iterator[LintFinding]:
    """Yield what is wrong with the sources of an entry's times, and of the room that its crew needs."""
    room = entry.step.crew.room
    spaces = [SourcedTime(("crew", "room"), room.source)] if room else []
    for time in (*times_of(entry.step), *spaces):
        place, basis = entry.place(*time.key), basis_of(time.source)
        if WITHOUT_TEXT.match(time.source):
            hint = "say what was calculated, compared or judged: `judgement: two people, 40 minutes a server`"
            yield LintFinding("basis", f"the source is only {time.source!r}", place, hint)
        for step in named_steps(time.source) if basis is Basis.ANALOGY else ():
            if step not in catalog or step == entry.step.id:
                yield LintFinding("basis", f"no other step {step} that it could be compared with", place)
        if basis in WITH_RANGE and any(time.points) and time.points[0] == time.points[-1]:
            yield LintFinding("basis", f"a time that rests on {basis} has no range", place, "write `o`, `m` and `p`")


def times_of(step: Step) -> Iterator[SourcedTime]:
    """Yield the times of a step: fixed time, rate, lead times and lags."""
    for name, part in (("fixed", step.duration.fixed), ("rate", step.duration.rate)):
        if part is not None:
            yield SourcedTime(("duration", name), part.source, part.points)
    for index, supply in enumerate(step.supplies):
        yield SourcedTime(("supplies", index, "lead_time"), supply.lead_time.source, supply.lead_time.points)
    for index, link in enumerate(step.links):
        if link.lag:
            yield SourcedTime(("links", index, "lag"), link.lag.source)


def named_steps(source: str) -> list[str]:
    """Return the steps that a source names: `as steps 059 and 069` names two."""
    return [step for named in STEPS_NAMED.findall(source) for step in re.findall(STEP, named)]
