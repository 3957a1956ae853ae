"""Checks who reads each metric: a tool, the machine, a proof, a calculator, or a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from schedule.meant import meant
from steps.acceptance.readers import READERS
from steps.catalog.lint.report import LintFinding
from steps.catalog.lint.source import worked_out
from steps.catalog.loader import Entry
from steps.catalog.schema import Criterion
from steps.catalog.terms import AlsoRead, Kind
from steps.yaml_lines import KeyPath

Folders = tuple[Path, ...]


def metric_findings(entry: Entry, source: Folders) -> Iterator[LintFinding]:
    """Yield metrics that nothing reads, and units that do not compare with the reader's."""
    for index, criterion in enumerate(entry.step.accept):
        if wrong := _unread(criterion, entry.step.kind, source):
            message, hint = wrong
            yield LintFinding("metric", message, entry.place("accept", index, "metric"), hint)
        yield from _alien_unit(entry, criterion, ("accept", index, "unit"))
    judged = {criterion.metric for criterion in entry.step.accept}
    for index, read in enumerate(entry.step.also_reads):
        place = entry.place("also_reads", index, "metric")
        if read.metric in judged:
            yield LintFinding("metric", f"{read.metric} is a criterion already", place, "leave it out of `also_reads`")
        elif read.metric not in READERS:
            yield LintFinding("metric", f"nothing reads {read.metric}", place, meant(read.metric, READERS))
        yield from _alien_unit(entry, read, ("also_reads", index, "unit"))


def _unread(criterion: Criterion, kind: Kind, source: Folders) -> tuple[str, str] | None:
    """Return what is wrong with who reads a criterion's metric, and what to do; None if nothing is."""
    metric = criterion.metric
    if kind is Kind.COMPUTE:
        is_read, reader = worked_out(source).fullmatch(metric) is not None, "calculator"
    else:
        is_read, reader = metric in READERS, "reader"
    if criterion.by_hand and is_read:
        return f"a {reader} gives {metric}", "leave `by_hand` out"
    if not criterion.by_hand and not is_read:
        by_hand = "if a person reads it, write `by_hand: true`"
        return f"no {reader} gives {metric}", meant(metric, READERS, then=by_hand)
    return None


def _alien_unit(entry: Entry, asked: Criterion | AlsoRead, key: KeyPath) -> Iterator[LintFinding]:
    from steps.catalog.lint.units import compare  # pint is slow to import

    reader = READERS.get(asked.metric)
    if reader is not None and not compare(reader.unit, asked.unit):
        message = f"{asked.metric} is read in {reader.unit}, which does not compare with {asked.unit}"
        yield LintFinding("unit", message, entry.place(*key))
