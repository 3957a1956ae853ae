"""Results of other programs' tests as readings: a mapping, which a person writes, says which test answers which criterion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from clusterwright.commands.acting import Deciding
from clusterwright.filled_lines import FilledLine, read_lines
from clusterwright.foreign_results import ForeignReport, ForeignResult
from clusterwright.output import reason
from clusterwright.text_file import writing
from ledger.questions.case import require_activity
from ledger.questions.records import evidence, measurements
from ledger.rules.readings import asked_of, measured
from ledger.subjects.work import decisions as work
from ledger.subjects.work import evidence_decisions
from ledger.writing import Transaction
from schedule.csv_lines import write_rows
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError, UnreachableError
from schedule.text import shown_in_line
from steps.acceptance.measured import Measured

COLUMNS = ("test", "activity", "metric", "unit", "value", "item", "evidence")
TEST, ACTIVITY, METRIC, UNIT, VALUE, ITEM, EVIDENCE = COLUMNS
PASSED, FAILURES = "passed", "failures"
"""What `value` may say beside a pattern: whether the test passed, or 0 or 1 failures."""


class ResultReading(NamedTuple):
    """A line of the mapping with its result: what is read, whether the record did not have it, and what was refused, or empty."""

    line: FilledLine
    value: str
    is_new: bool
    refusal: str


def write_first_mapping(path: Path, report: ForeignReport) -> None:
    """Write a mapping with each test of a report, in which nothing is decided."""
    with writing(path), path.open("x", encoding="utf-8", newline="") as file:
        write_rows(file, [COLUMNS, *((one.test, "", "", "", PASSED, "", "") for one in report.results)])


def decided_lines(path: Path) -> list[FilledLine]:
    """Return the lines of a mapping that name an activity."""
    return [line for line in read_lines(path, COLUMNS, (TEST, ACTIVITY, METRIC, VALUE)) if line.text(ACTIVITY)]


def taken(
    decider: Deciding, report: ForeignReport, file: Path, lines: Sequence[FilledLine], item: str, *, record: bool
) -> list[ResultReading]:
    """Return what the rules say to each reading. Lines whose test the report does not have are left out.

    With `record` what they allow is recorded, and the file is attached where a line whose reading is on record names a kind.
    """
    with decider.together(record=record) as trying:
        found = _taken(decider, trying, report, file, lines, item)
        if not record:
            return found
        return [one if one.refusal else one._replace(refusal=_attach(decider, trying, one.line, file)) for one in found]


def _taken(
    decider: Deciding, trying: Transaction, report: ForeignReport, file: Path, lines: Sequence[FilledLine], item: str
) -> list[ResultReading]:
    results = {one.test: one for one in report.results}
    found = []
    for line in lines:
        if (result := results.get(line.text(TEST))) is None:
            continue
        source = shown_in_line(f"{report.tool}, {result.test}, {file.name}")
        value, is_new, refusal = "", False, ""
        try:
            value = _value(line, result)
            is_new = _measure(decider, trying, line, value, result, source, item)
        except UnreachableError:
            raise
        except ClusterwrightError as error:
            refusal = reason(error)
        found.append(ResultReading(line, value, is_new, refusal))
    return found


def _attach(decider: Deciding, trying: Transaction, line: FilledLine, file: Path) -> str:
    """Attach the file to the activity of a line that names a kind, unless it is. Return what the rules say against it, or nothing."""
    activity, kind = line.text(ACTIVITY), line.text(EVIDENCE)
    if not kind:
        return ""
    snapshot = trying.at()
    attempt, digest = require_activity(snapshot, activity).attempt, sha256(file.read_bytes()).hexdigest()
    if any((one.attempt, one.kind, one.digest) == (attempt, kind, digest) for one in evidence(snapshot, activity)):
        return ""
    try:
        decider.take(evidence_decisions.attach, activity, file, kind)
    except UnreachableError:
        raise
    except ClusterwrightError as error:
        return f"the file is not attached: {reason(error)}"
    return ""


def _value(line: FilledLine, result: ForeignResult) -> str:
    """Return what a result says of a criterion, as text. Raise where it came to no verdict, or its output does not have the figure."""
    asked = line.text(VALUE)
    if result.passed is None:
        raise NotSatisfiedError(f"the test came to no verdict: {shown_in_line(result.status)}", hint="run it again")
    if asked == PASSED:
        return "true" if result.passed else "false"
    if asked == FAILURES:
        return "0" if result.passed else "1"
    place = replace(line.place, key=VALUE)
    try:
        pattern = re.compile(asked)
    except re.error as error:
        raise InputError(f"{asked!r} is no regular expression: {error}", place=place) from None
    if pattern.groups != 1:
        hint = f"`{PASSED}`, `{FAILURES}`, or a regular expression with one group, as 'bandwidth: ([0-9.]+) GB/s'"
        raise InputError(f"{asked!r} has {pattern.groups} groups", hint=hint, place=place)
    matches = {match for match in pattern.findall(result.output) if match}
    if len(matches) != 1:
        what = "does not have it" if not matches else f"has {len(matches)} that differ"
        raise InputError(f"the output of the test {what}", hint=f"change `{VALUE}`", place=place)
    return str(matches.pop())


def _measure(
    decider: Deciding,
    trying: Transaction,
    line: FilledLine,
    value: str,
    result: ForeignResult,
    source: str,
    item: str,
) -> bool:
    """Record a reading, unless the record has it already. Return whether it was recorded."""
    activity, metric, unit = line.text(ACTIVITY), line.text(METRIC), line.text(UNIT)
    where = line.text(ITEM) or item
    snapshot = trying.at()
    row = require_activity(snapshot, activity)
    read = measured(row, asked_of(row), Measured(metric, value, unit), where)
    before = [
        m for m in measurements(snapshot, activity) if (m.attempt, m.metric, m.item) == (row.attempt, metric, where)
    ]
    if any((m.value, m.unit, m.source) == (read.value, read.unit, source) for m in before):
        return False
    with decider.ledger.happened(result.at, f"from {source}" if result.at else None):
        decider.take(work.measure, activity, metric, value, unit, item=where or None, source=source)
    return True
