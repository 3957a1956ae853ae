"""Acceptance criteria against what was read. Exact decimals.

The last reading of an item counts, every item is judged, and the worst decides. A missing value, a number that is not
finite, a unit that cannot be compared and a word where a number belongs are `not measured`: never a pass. Where a criterion
also compares items with each other, an item that meets the limit fails if it differs too far from the others to the bad side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.fleet import outliers
from steps.acceptance.units import converted, is_comparable
from steps.errors import NotSatisfiedError
from steps.schedule.activity import PlanCriterion
from steps.value import Value, value_text

MET, FAILED, NOT_MEASURED, WAIVED = "met", "failed", "not measured", "waived"
OPEN = frozenset({FAILED, NOT_MEASURED})
"""Verdicts on which nothing may rest."""


class Reading(NamedTuple):
    """One value read at an item. None is `not measured`, and the note says why."""

    item: str
    value: Value | None
    unit: str
    note: str = ""


class Judged(NamedTuple):
    """A verdict, what was measured in words, and the item that decides."""

    verdict: str
    measured: str
    worst: str


class Judgement(NamedTuple):
    """A criterion and its verdict."""

    criterion: PlanCriterion
    judged: Judged

    @property
    def is_open(self) -> bool:
        """True where nothing may rest on it."""
        return self.judged.verdict in OPEN

    def __str__(self) -> str:
        """Return the metric, the limit and what was measured in one line."""
        c, at = self.criterion, f" at {self.judged.worst}" if self.judged.worst else ""
        measured = f"{self.judged.verdict} ({self.judged.measured}{at})"
        return f"{c.metric} must be {c.op} {value_text(c.value)} {c.unit}: {measured}"


def judgements(
    criteria: Iterable[PlanCriterion], readings: Mapping[str, list[Reading]], waived: Collection[str] = ()
) -> list[Judgement]:
    """Return every criterion with its verdict. `readings` are by metric, `waived` names the waived metrics."""
    return [Judgement(c, judge(c, readings.get(c.metric, ()), waived=c.metric in waived)) for c in criteria]


def refuse_unmet(activity: str, found: Iterable[Judgement], what: str) -> None:
    """Raise while a criterion failed or was not measured and nobody waived it."""
    unmet = [str(judgement) for judgement in found if judgement.is_open]
    if unmet:
        raise NotSatisfiedError(
            f"{activity} cannot {what}: " + "; ".join(unmet),
            hint=f"`clusterwright measure {activity} METRIC VALUE UNIT`, or waive it with a reason",
        )


def judge(criterion: PlanCriterion, readings: Iterable[Reading], *, waived: bool = False) -> Judged:
    """Return the verdict on a criterion. A waiver replaces any verdict but `met`."""
    last = list({reading.item: reading for reading in readings}.values())
    found = _worst(criterion, last) if last else Judged(NOT_MEASURED, "not measured", "")
    if found.verdict == MET and criterion.fleet_z is not None:
        found = _in_fleet(criterion, last, criterion.fleet_z) or found
    if waived and found.verdict != MET:
        return found._replace(verdict=WAIVED)
    return found


def judge_items(criterion: PlanCriterion, readings: Iterable[Reading]) -> dict[str, Judged]:
    """Return the verdict on every item by itself; `within` and `fleet_z` still compare each with the others."""
    last = {reading.item: reading for reading in readings}
    centre = _centre(criterion, list(last.values()))
    fleet_z = criterion.fleet_z
    far = {} if fleet_z is None else outliers(criterion.op, fleet_z, _numbers(criterion.unit, last.values()))
    return {
        item: Judged(
            FAILED if item in far else _one(criterion, reading, centre),
            _text(reading, criterion.unit) + (f", {far[item]:+.1f} robust deviations" if item in far else ""),
            item,
        )
        for item, reading in last.items()
    }


def _worst(criterion: PlanCriterion, readings: list[Reading]) -> Judged:
    centre = _centre(criterion, readings)
    verdicts = [(_one(criterion, reading, centre), reading) for reading in readings]
    bad = [(verdict, reading) for verdict, reading in verdicts if verdict != MET]
    failed = [reading for verdict, reading in bad if verdict == FAILED]
    if failed:
        worst = _extreme(criterion, failed)
        return Judged(FAILED, _summary(readings, len(bad), worst), worst.item)
    if bad:
        worst = bad[0][1]
        return Judged(NOT_MEASURED, worst.note or _text(worst, criterion.unit), worst.item)
    worst = _extreme(criterion, readings)
    return Judged(MET, _summary(readings, 0, worst), worst.item)


def _in_fleet(criterion: PlanCriterion, readings: list[Reading], fleet_z: Decimal) -> Judged | None:
    """Return a failure where an item that meets the limit differs too far from the others. None where none does."""
    far = outliers(criterion.op, fleet_z, _numbers(criterion.unit, readings))
    if not far:
        return None
    item = max(far, key=lambda name: abs(far[name]))
    worst = next(reading for reading in readings if reading.item == item)
    deviation = f"{far[item]:+.1f} robust deviations from the median of {len(readings)}"
    return Judged(FAILED, f"{_summary(readings, len(far), worst)}, {deviation}", item)


def _numbers(unit: str, readings: Iterable[Reading]) -> dict[str, Decimal]:
    numbers = {reading.item: _number(reading, unit) for reading in readings}
    return {item: number for item, number in numbers.items() if isinstance(number, Decimal)}


def _one(criterion: PlanCriterion, reading: Reading, centre: Decimal | None) -> str:
    if reading.value is None or not _is_finite(reading.value):
        return NOT_MEASURED
    if criterion.op == "within":
        return _within(criterion, reading, centre)
    value = converted(reading.value, reading.unit, criterion.unit)
    if value is None or _sort(value) is not _sort(criterion.value):
        return NOT_MEASURED
    return MET if _holds(criterion.op, value, criterion.value) else FAILED


def _is_finite(value: Value) -> bool:
    return not isinstance(value, Decimal) or value.is_finite()


def _sort(value: Value) -> type:
    return bool if isinstance(value, bool) else str if isinstance(value, str) else Decimal


def _holds(op: str, value: Value, limit: Value) -> bool:
    if op == "==":
        return value == limit
    if op == "!=":
        return value != limit
    if not isinstance(value, Decimal) or not isinstance(limit, Decimal):
        return False
    return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}[op]


def _centre(criterion: PlanCriterion, readings: list[Reading]) -> Decimal | None:
    """Return the median with which `within` compares items. One item alone has none."""
    if criterion.op != "within":
        return None
    other = [reading for reading in readings if reading.unit != criterion.unit]
    numbers = sorted(r.value for r in other if isinstance(r.value, Decimal) and r.value.is_finite())
    units = {reading.unit for reading in other if reading.value is not None}
    if len(numbers) < 2 or len(units) != 1:
        return None
    half = len(numbers) // 2
    return numbers[half] if len(numbers) % 2 else (numbers[half - 1] + numbers[half]) / 2


def _within(criterion: PlanCriterion, reading: Reading, centre: Decimal | None) -> str:
    limit, value = criterion.value, reading.value
    if not isinstance(limit, Decimal) or not isinstance(value, Decimal):
        return NOT_MEASURED
    if reading.unit == criterion.unit:
        return MET if abs(value) <= limit else FAILED
    if centre is None or centre == 0:
        return NOT_MEASURED
    share = abs(value - centre) / abs(centre) * 100
    return MET if share <= limit else FAILED


def _extreme(criterion: PlanCriterion, readings: list[Reading]) -> Reading:
    """Return the reading that is furthest from the good side, in one unit. Of words and the like, return the first."""
    numbers = [(_number(reading, criterion.unit), reading) for reading in readings]
    comparable = [(number, reading) for number, reading in numbers if isinstance(number, Decimal)]
    if not comparable or criterion.op not in {"<", "<=", ">", ">="}:
        return readings[0]
    choose = max if criterion.op in {"<", "<="} else min
    return choose(comparable, key=lambda pair: pair[0])[1]


def _number(reading: Reading, unit: str) -> Value | None:
    if reading.value is None or not _is_finite(reading.value):
        return None
    return converted(reading.value, reading.unit, unit)


def _summary(readings: list[Reading], bad: int, worst: Reading) -> str:
    if len(readings) == 1:
        return _text(worst, worst.unit)
    met = len(readings) - bad
    return f"{met} of {len(readings)} met, worst {_text(worst, worst.unit)}"


def _text(reading: Reading, unit: str) -> str:
    if reading.value is None:
        return reading.note or "not measured"
    if isinstance(reading.value, bool):
        return "yes" if reading.value else "no"
    measured = f"{value_text(reading.value)} {reading.unit}".strip()
    return measured if is_comparable(reading.unit, unit) else f"{measured}, not comparable with {unit}"
