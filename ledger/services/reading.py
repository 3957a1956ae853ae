"""What may be read at an activity, and how a reading stands the moment it is entered.

A metric is one of the activity's criteria, or one that its step reads; a value is of the criterion's sort, in a unit that
compares with its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlmodel import col

from ledger.judging import FAILED, NOT_MEASURED, WAIVED, Judged, Reading, is_comparable, judge_items
from ledger.stamps import Value, text_value, value_text
from ledger.tables import Activity, Criterion, Measurement, Waiver
from ledger.values import Measured, ReadingEntry
from ledger.writing import Writing
from steps.errors import InputError
from steps.schedule.noted import noted_before

NOTED = "noted"
"""The verdict on a reading that no criterion asks for."""

YES_OR_NO = {"true": True, "yes": True, "false": False, "no": False}
LARGEST = 30
"""Powers of ten within which a number lies; what is larger or finer is a slip of the keyboard."""


class Asked(NamedTuple):
    """A metric that may be read; `criterion` is none where nothing judges it."""

    metric: str
    unit: str
    criterion: Criterion | None

    @property
    def limit(self) -> Value | None:
        """What the criterion holds a reading against."""
        return text_value(self.criterion.value) if self.criterion else None

    @property
    def is_yes_or_no(self) -> bool:
        """True where a reading is yes or no."""
        return isinstance(self.limit, bool) or (self.criterion is None and self.unit == "bool")

    @property
    def is_word(self) -> bool:
        """True where a reading is a word."""
        return isinstance(self.limit, str)

    @property
    def sort(self) -> str:
        """What a reading is, in words."""
        if self.is_yes_or_no:
            return "true or false"
        return "a word" if self.is_word else f"a number in {self.unit}"


class Verdict(NamedTuple):
    """One reading and how it stands; `limit` is empty where nothing judges it."""

    item: str
    metric: str
    verdict: str
    measured: str
    limit: str

    def __str__(self) -> str:
        """Give it as one line."""
        judged = f": {self.verdict}, must be {self.limit}" if self.limit else f": {self.verdict}"
        return f"{self.metric} {self.measured}{judged}"


def asked_of(writing: Writing, row: Activity) -> dict[str, Asked]:
    """Give every metric that may be read at an activity, criteria first."""
    held = select(Criterion).where(col(Criterion.activity) == row.id).order_by(col(Criterion.ordinal))
    asked = {c.metric: Asked(c.metric, c.unit, c) for c in writing.session.scalars(held).all()}
    also = row.also_reads
    if also is None:
        also = {read.metric: read.unit for read in noted_before(row.step, asked)}
    for metric, unit in also.items():
        asked.setdefault(metric, Asked(metric, unit, None))
    return asked


def waived_metrics(writing: Writing, row: Activity) -> set[str]:
    """Give the metrics that are waived in this attempt."""
    of = (col(Waiver.activity) == row.id, col(Waiver.attempt) == row.attempt)
    return set(writing.session.scalars(select(col(Waiver.metric)).where(*of)))


def measured(row: Activity, asked: dict[str, Asked], entry: ReadingEntry, item: str) -> Measured:
    """Give a reading that was entered as text; one that cannot be judged is refused."""
    wanted = _wanted(row, asked, entry.metric)
    value = _typed(wanted, entry)
    unit = wanted.unit if isinstance(value, bool | str) else entry.unit or wanted.unit
    refuse_alien(row, asked, entry.metric, value, unit)
    return Measured(entry.metric, value, unit, item)


def refuse_alien(row: Activity, asked: dict[str, Asked], metric: str, value: Value, unit: str) -> None:
    """Refuse a metric that the step does not ask for, or a reading that cannot be held against it."""
    wanted = _wanted(row, asked, metric)
    if wanted.is_yes_or_no != isinstance(value, bool):
        raise InputError(f"{metric} is {wanted.sort}, not {value_text(value)!r}")
    if wanted.is_yes_or_no or wanted.is_word or (wanted.criterion and wanted.criterion.op == "within"):
        return
    if not is_comparable(unit, wanted.unit):
        raise InputError(f"{metric} is measured in {wanted.unit}; {unit!r} does not compare with it")


def verdicts(writing: Writing, row: Activity, asked: dict[str, Asked], found: Sequence[Measured]) -> list[Verdict]:
    """Give how each new reading stands; what is waived in this attempt does not fail."""
    waived = waived_metrics(writing, row)
    judged: dict[str, dict[str, Judged]] = {}
    for metric in dict.fromkeys(m.metric for m in found):
        criterion = asked[metric].criterion
        if criterion is not None:
            limit = text_value(criterion.value)
            assert limit is not None
            readings = _before(writing, row, criterion) + [
                Reading(m.item, _value(m), m.unit) for m in found if m.metric == metric
            ]
            fleet_z = None if criterion.fleet_z is None else Decimal(criterion.fleet_z)
            judged[metric] = judge_items(criterion.op, limit, criterion.unit, readings, fleet_z=fleet_z)
    return [_verdict(asked[m.metric].criterion, m, judged, waived) for m in found]


def _verdict(c: Criterion | None, m: Measured, judged: dict[str, dict[str, Judged]], waived: set[str]) -> Verdict:
    if c is None:
        said = "yes" if m.value is True else "no" if m.value is False else f"{value_text(m.value)} {m.unit}".strip()
        return Verdict(m.item, m.metric, NOTED, said, "")
    one = judged[m.metric][m.item]
    verdict = WAIVED if one.verdict == FAILED and m.metric in waived else one.verdict
    if verdict == NOT_MEASURED:
        verdict = "held against the others when they are read"
    return Verdict(m.item, m.metric, verdict, one.measured, f"{c.op} {c.value} {c.unit}".strip())


def _before(writing: Writing, row: Activity, criterion: Criterion) -> list[Reading]:
    """Give the readings that a new one is held against, where the criterion looks at what the others are."""
    if criterion.op != "within" and criterion.fleet_z is None:
        return []
    of = (col(Measurement.activity) == row.id, col(Measurement.attempt) == row.attempt)
    held = select(Measurement).where(*of, col(Measurement.metric) == criterion.metric)
    rows = writing.session.scalars(held.order_by(col(Measurement.seq), col(Measurement.ordinal))).all()
    return [Reading(m.item, text_value(m.value), m.unit) for m in rows]


def _value(m: Measured) -> Value | None:
    return Decimal(str(m.value)) if isinstance(m.value, float) else m.value


def _wanted(row: Activity, asked: dict[str, Asked], metric: str) -> Asked:
    if metric not in asked:
        names = ", ".join(asked) or "none; write a comment instead"
        raise InputError(f"{row.id} has no criterion {metric!r}", hint=f"criteria: {names}")
    return asked[metric]


def _typed(wanted: Asked, entry: ReadingEntry) -> Value:
    text = entry.value.strip()
    said: Any = f"{text} {entry.unit}".strip()[:60]
    if wanted.is_word:
        return text[:200]
    if wanted.is_yes_or_no:
        if text.casefold() not in YES_OR_NO or entry.unit:
            raise InputError(f"{wanted.metric} is {wanted.sort}, not {said!r}")
        return YES_OR_NO[text.casefold()]
    try:
        number = Decimal(text)
    except InvalidOperation:
        hint = f"write {text.replace(',', '.')}" if text.count(",") == 1 else ""
        raise InputError(f"{wanted.metric} is {wanted.sort}, not {said!r}", hint=hint) from None
    if not number.is_finite() or abs(number.adjusted()) > LARGEST or len(text) > 2 * LARGEST:
        raise InputError(f"{wanted.metric} is {wanted.sort}, and {said!r} is none that an instrument shows")
    return number
