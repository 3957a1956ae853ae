"""What may be read at an activity, how text becomes a reading, and how a reading is judged the moment it is entered.

A metric is one of the activity's criteria, or one that its step reads besides. A value is of the criterion's sort, finite,
and in a unit that compares with the criterion's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from ledger.entries import Measured, ReadingEntry
from ledger.rules.activity import Activity
from ledger.rules.judgement import FAILED, NOT_MEASURED, WAIVED, Judged, Reading, judge_items
from steps.acceptance.units import is_comparable
from steps.errors import InputError
from steps.schedule.activity import PlanCriterion
from steps.value import Value, value_text

NOTED = "noted"
"""The verdict on a reading that no criterion asks for."""

YES_OR_NO = {"true": True, "yes": True, "false": False, "no": False}
LARGEST = 30
"""Powers of ten within which a number is believed; what is larger or finer is a slip of the keyboard."""

LONGEST_WORD = 200
SHOWN = 60
"""How many characters of what was typed a refusal repeats."""


class Asked(NamedTuple):
    """A metric that may be read. `criterion` is None where nothing judges it."""

    metric: str
    unit: str
    criterion: PlanCriterion | None

    @property
    def is_yes_or_no(self) -> bool:
        """True where a reading is yes or no."""
        if self.criterion is None:
            return self.unit == "bool"
        return isinstance(self.criterion.value, bool)

    @property
    def is_word(self) -> bool:
        """True where a reading is a word."""
        return self.criterion is not None and isinstance(self.criterion.value, str)

    @property
    def sort(self) -> str:
        """What a reading is, in words."""
        if self.is_yes_or_no:
            return "true or false"
        return "a word" if self.is_word else f"a number in {self.unit}"


class Verdict(NamedTuple):
    """One reading and how it is judged; `limit` is empty where nothing judges it."""

    item: str
    metric: str
    verdict: str
    measured: str
    limit: str

    def __str__(self) -> str:
        """Return it as one line."""
        judged = f": {self.verdict}, must be {self.limit}" if self.limit else f": {self.verdict}"
        return f"{self.metric} {self.measured}{judged}"


def asked_of(row: Activity) -> dict[str, Asked]:
    """Return every metric that may be read at an activity, criteria first."""
    from steps.acceptance.measuring import STEPS  # the parsers of every tool, which only a reading asks for

    asked = {c.metric: Asked(c.metric, c.unit, c) for c in row.plan.criteria}
    for metric in STEPS.get(row.plan.step, ()):
        asked.setdefault(metric.name, Asked(metric.name, metric.unit, None))
    return asked


def wanted(row: Activity, asked: Mapping[str, Asked], metric: str) -> Asked:
    """Return what is asked of a metric. Raise for one that the step does not ask for."""
    if metric not in asked:
        names = ", ".join(asked) or "none; write a comment instead"
        raise InputError(f"{row.id} has no criterion {metric[:SHOWN]!r}", hint=f"criteria: {names}")
    return asked[metric]


def measured(row: Activity, asked: Mapping[str, Asked], entry: ReadingEntry, item: str) -> Measured:
    """Return a reading from what was entered. Raise for one that cannot be judged: NaN, another sort, another unit."""
    metric, is_text = wanted(row, asked, entry.metric), isinstance(entry.value, str)
    value = _typed(metric, entry) if is_text else _refused_unless_fit(metric, entry)
    if isinstance(value, bool) or metric.is_word:
        return Measured(entry.metric, value, metric.unit if is_text else entry.unit, item)
    unit = entry.unit or (metric.unit if is_text else "")
    compares_freely = metric.criterion is not None and metric.criterion.op == "within"
    if not compares_freely and not is_comparable(unit, metric.unit):
        raise InputError(f"{entry.metric} is measured in {metric.unit}; {unit[:SHOWN]!r} does not compare with it")
    return Measured(entry.metric, value, unit, item)


def verdicts(
    asked: Mapping[str, Asked], found: Sequence[Measured], before: Mapping[str, list[Reading]], waived: Collection[str]
) -> list[Verdict]:
    """Return how each new reading is judged. What is waived in this attempt does not fail.

    `before` are the readings of this attempt by metric, with which criteria that compare items compare the new ones.
    """
    judged: dict[str, dict[str, Judged]] = {}
    for metric in dict.fromkeys(m.metric for m in found):
        criterion = asked[metric].criterion
        if criterion is not None:
            compares = criterion.op == "within" or criterion.fleet_z is not None
            readings = list(before.get(metric, ())) if compares else []
            readings += [Reading(m.item, m.value, m.unit) for m in found if m.metric == metric]
            judged[metric] = judge_items(criterion, readings)
    return [_verdict(asked[m.metric].criterion, m, judged, waived) for m in found]


def _verdict(
    c: PlanCriterion | None, m: Measured, judged: dict[str, dict[str, Judged]], waived: Collection[str]
) -> Verdict:
    if c is None:
        yes_or_no = {True: "yes", False: "no"}.get(m.value) if isinstance(m.value, bool) else None
        return Verdict(m.item, m.metric, NOTED, yes_or_no or f"{value_text(m.value)} {m.unit}".strip(), "")
    one = judged[m.metric][m.item]
    verdict = WAIVED if one.verdict == FAILED and m.metric in waived else one.verdict
    if verdict == NOT_MEASURED:
        verdict = "held against the others when they are read"
    return Verdict(m.item, m.metric, verdict, one.measured, f"{c.op} {value_text(c.value)} {c.unit}".strip())


def _refused_unless_fit(metric: Asked, entry: ReadingEntry) -> Value:
    """Return a value that a program handed over. Raise where it is of another sort, or no number that exists."""
    value = entry.value
    if metric.is_yes_or_no != isinstance(value, bool):
        raise InputError(f"{metric.metric} is {metric.sort}, not {value_text(value)!r}")
    if isinstance(value, Decimal):
        _refuse_impossible(metric, value, value_text(value) or "")
    return value


def _typed(metric: Asked, entry: ReadingEntry) -> Value:
    text = str(entry.value).strip()
    shown = f"{text} {entry.unit}".strip()[:SHOWN]
    if metric.is_word:
        return text[:LONGEST_WORD]
    if metric.is_yes_or_no:
        if text.casefold() not in YES_OR_NO or entry.unit not in {"", "bool", metric.unit}:
            raise InputError(f"{metric.metric} is {metric.sort}, not {shown!r}")
        return YES_OR_NO[text.casefold()]
    try:
        number = Decimal(text)
    except InvalidOperation:
        hint = f"write {text.replace(',', '.')}" if text.count(",") == 1 else ""
        raise InputError(f"{metric.metric} is {metric.sort}, not {shown!r}", hint=hint) from None
    _refuse_impossible(metric, number, shown)
    return number


def _refuse_impossible(metric: Asked, number: Decimal, shown: str) -> None:
    too_long = len(number.as_tuple().digits) > 2 * LARGEST
    if not number.is_finite() or too_long or abs(number.adjusted()) > LARGEST:
        raise InputError(f"{metric.metric} is {metric.sort}, and {shown[:SHOWN]!r} is none that an instrument shows")
