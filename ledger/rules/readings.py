"""Which metrics may be read at an activity, how text becomes a reading, and how a new reading is judged.

A metric belongs to one of the activity's criteria, or it is one that the step reads in addition. A value has the criterion's
type (number, yes or no, word). A number is finite, and its unit can be converted to the criterion's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from ledger.rules.activity import Activity
from ledger.rules.judgement import FAILED, NOT_MEASURED, WAIVED, Judged, Readings, judge_items, verdict_on
from schedule.errors import InputError
from steps.acceptance.measured import Measured
from steps.acceptance.units import is_comparable
from steps.planning.activity import PlanCriterion
from steps.value import Value, is_bounded, text_value, value_text

NOTED = "noted"
"""The verdict on a reading that has no criterion."""

YES_OR_NO = {"true": True, "yes": True, "false": False, "no": False}
LONGEST_WORD = 200
SHOWN = 60
"""How many characters of what was typed a refusal repeats."""


class Asked(NamedTuple):
    """A metric that may be read. `criterion` is None if the metric has no criterion."""

    metric: str
    unit: str
    criterion: PlanCriterion | None

    @property
    def is_yes_or_no(self) -> bool:
        """True if a reading is yes or no."""
        if self.criterion is None:
            return self.unit == "bool"
        return isinstance(self.criterion.value, bool)

    @property
    def is_word(self) -> bool:
        """True if a reading is a word."""
        return self.criterion is not None and isinstance(self.criterion.value, str)

    @property
    def sort(self) -> str:
        """The type of a reading, in words."""
        if self.is_yes_or_no:
            return "true or false"
        return "a word" if self.is_word else f"a number in {self.unit}"


Metrics = Mapping[str, Asked]
"""What may be read at an activity, by metric."""


class Verdict(NamedTuple):
    """One reading and the verdict on it. `limit` is empty if the metric has no criterion."""

    item: str
    metric: str
    verdict: str
    measured: str
    limit: str

    def __str__(self) -> str:
        """Return metric, value, verdict and limit in one line."""
        limit = f", must be {self.limit}" if self.limit else ""
        return f"{self.metric} {self.measured}: {self.verdict}{limit}"


def asked_of(row: Activity) -> Metrics:
    """Return every metric that may be read at an activity, those with a criterion first."""
    criteria = row.plan.criteria
    asked = {c.metric: Asked(c.metric, c.unit, c) for c in criteria}
    also = row.plan.also_reads
    if also is None:
        from steps.planning.network.unjudged import noted_before  # the catalog, which plans of today do not need

        also = noted_before(row.plan.step, asked)
    for read in also:
        asked.setdefault(read.metric, Asked(read.metric, read.unit, None))
    return asked


def wanted(row: Activity, asked: Metrics, metric: str) -> Asked:
    """Return a metric that may be read. Raise for one that the step does not ask for."""
    if metric not in asked:
        names = ", ".join(asked) or "none; write a comment instead"
        raise InputError(f"{row.id} has no criterion {metric[:SHOWN]!r}", hint=f"criteria: {names}")
    return asked[metric]


def measured(row: Activity, asked: Metrics, entry: Measured, item: str) -> Measured:
    """Return a reading from an entry. Raise for one that cannot be judged: NaN, another type, a unit that does not convert."""
    metric, is_text = wanted(row, asked, entry.metric), isinstance(entry.value, str)
    value = _from_text(metric, entry) if is_text else _of_right_type(metric, entry)
    if isinstance(value, bool) or metric.is_word:
        return Measured(entry.metric, value, metric.unit if is_text else entry.unit, item)
    unit = entry.unit or (metric.unit if is_text else "")
    compares_freely = metric.criterion is not None and metric.criterion.op == "within"
    if not compares_freely and not is_comparable(unit, metric.unit):
        raise InputError(
            f"{entry.metric} is measured in {metric.unit}; {unit[:SHOWN]!r} cannot be compared with that",
            hint=f"write it in {metric.unit}; capital and small letters are different units",
        )
    return Measured(entry.metric, value, unit, item)


def recorded_value(asked: Metrics, metric: str, text: str) -> Value:
    """Return the value that a recorded text means for a metric. A word stays text, also one such as `true`."""
    wanted = asked.get(metric)
    value = text if wanted is None or wanted.is_word else text_value(text)
    return text if value is None else value


def fails(asked: Asked, found: Measured, before: Readings, waived: Collection[str]) -> bool:
    """Return whether a new reading fails its criterion. `before` and `waived` are as in `verdicts`."""
    criterion = asked.criterion
    if criterion is None or found.metric in waived:
        return False
    earlier = before.get(found.metric, ()) if criterion.compares_items else ()
    return verdict_on(criterion, [*earlier, found], found.item) == FAILED


def verdicts(
    asked: Metrics,
    found: Sequence[Measured],
    before: Readings,
    waived: Collection[str],
) -> list[Verdict]:
    """Return the verdict on each new reading. A metric that is waived in this attempt does not fail.

    `before` are the earlier readings of this attempt by metric. Criteria that compare items compare the new readings with them.
    """
    judged: dict[str, dict[str, Judged]] = {}
    for metric in dict.fromkeys(m.metric for m in found):
        criterion = asked[metric].criterion
        if criterion is not None:
            compares = criterion.compares_items
            readings = list(before.get(metric, ())) if compares else []
            readings += [m for m in found if m.metric == metric]
            judged[metric] = judge_items(criterion, readings)
    return [_verdict(asked[m.metric].criterion, m, judged, waived) for m in found]


def _verdict(
    criterion: PlanCriterion | None,
    m: Measured,
    by_metric: Mapping[str, Mapping[str, Judged]],
    waived: Collection[str],
) -> Verdict:
    if criterion is None:
        text = f"{value_text(m.value)} {m.unit}".strip()
        if isinstance(m.value, bool):
            text = "yes" if m.value else "no"
        return Verdict(m.item, m.metric, NOTED, text, "")
    judged = by_metric[m.metric][m.item]
    verdict = judged.verdict
    if verdict == FAILED and m.metric in waived:
        verdict = WAIVED
    if verdict == NOT_MEASURED:
        verdict = "compared with the others when they are read"
    limit = f"{criterion.op} {value_text(criterion.value)} {criterion.unit}".strip()
    return Verdict(m.item, m.metric, verdict, judged.measured, limit)


def _of_right_type(metric: Asked, entry: Measured) -> Value | None:
    """Return a value that is not text. Raise for one of another type, and for a number that no instrument shows."""
    value = entry.value
    if metric.is_yes_or_no != isinstance(value, bool):
        raise InputError(f"{metric.metric} is {metric.sort}, not {value_text(value)!r}")
    if isinstance(value, Decimal):
        _refuse_impossible(metric, value)
    return value


def _from_text(metric: Asked, entry: Measured) -> Value:
    """Return the value that a text means. Raise for a text that is no value of the metric's type."""
    text = str(entry.value).strip()
    shown = f"{text} {entry.unit}".strip()[:SHOWN]
    if metric.is_word:
        return text[:LONGEST_WORD]
    if metric.is_yes_or_no:
        if text.casefold() not in YES_OR_NO or entry.unit not in {"", "bool", metric.unit}:
            raise InputError(f"{metric.metric} is {metric.sort}, not {shown!r}")
        return YES_OR_NO[text.casefold()]
    try:
        number = Decimal(text[:LONGEST_WORD])
    except InvalidOperation:
        hint = f"write {text.replace(',', '.')}" if text.count(",") == 1 else ""
        raise InputError(f"{metric.metric} is {metric.sort}, not {shown!r}", hint=hint) from None
    _refuse_impossible(metric, number, shown)
    return number


def _refuse_impossible(metric: Asked, number: Decimal, shown: str | None = None) -> None:
    if not is_bounded(number):
        shown = value_text(number) or "" if shown is None else shown
        raise InputError(f"{metric.metric} is {metric.sort}, and {shown[:SHOWN]!r} is none that an instrument shows")
