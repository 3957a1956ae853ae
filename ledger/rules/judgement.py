"""Judging readings by acceptance criteria, with exact decimals.

The last reading of an item counts. Every item is judged, and the worst one decides. `not measured` is the verdict on a missing
value, a number that is not finite, a unit that cannot be converted, and a word in the place of a number. It is never a pass.

Some criteria also compare items with each other. Then an item that meets the limit still fails if it is much worse than the
other items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import NamedTuple

from schedule.errors import NotSatisfiedError
from steps.acceptance.fleet import outliers
from steps.acceptance.measured import Measured
from steps.acceptance.units import converted, is_comparable
from steps.planning.activity import PlanCriterion
from steps.value import Value, value_text

MET, FAILED, NOT_MEASURED, WAIVED = "met", "failed", "not measured", "waived"
ACCEPTED = "used as it is"
"""The verdict on a reading that fails, under a non-conformance that somebody decided to use as it is."""
OPEN = frozenset({FAILED, NOT_MEASURED})
"""Verdicts that keep an activity from passing."""
PASSED = frozenset({MET, ACCEPTED})
"""Verdicts on a reading alone that let it pass."""

Readings = Mapping[str, list[Measured]]
"""Readings by metric, oldest first."""


_ORDER = {"<": lt, "<=": le, ">": gt, ">=": ge}


class Judged(NamedTuple):
    """A verdict, the measured value in words, and the item that decides. The `note` of a failure says what was found there.

    That of what is used as it is names the non-conformance.
    """

    verdict: str
    measured: str
    worst: str
    note: str = ""


class Judgement(NamedTuple):
    """A criterion and its verdict."""

    criterion: PlanCriterion
    judged: Judged

    @property
    def is_open(self) -> bool:
        """True if the criterion keeps the activity from passing."""
        return self.judged.verdict in OPEN

    def __str__(self) -> str:
        """Return the metric, the limit, the verdict, and what was measured where, in one line."""
        c, judged = self.criterion, self.judged
        return f"{limit_words(c)}: {verdict_words(c, judged)}"


class CriterionRow(NamedTuple):
    """A criterion and its verdict in this attempt. `worst` is the item that decides the verdict, `note` what a failure found there.

    `fleet_z` is how many robust standard deviations an item may differ from the others. `causes` are the likely causes of a
    failure. `readers` are the people who recorded a reading; a run's readings have none.
    """

    metric: str
    op: str
    value: Value
    unit: str
    each: str | None
    source: str
    verdict: str
    measured: str
    worst: str
    note: str = ""
    fleet_z: Decimal | None = None
    causes: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()


Limited = PlanCriterion | CriterionRow
"""What has a limit: a criterion, or a row that shows one."""


def bound_words(c: Limited) -> str:
    """Return a limit without its metric: an operator, a value and a unit, or yes or no."""
    if isinstance(c.value, bool):
        return "yes" if _wants_yes(c) else "no"
    return f"{c.op} {value_text(c.value)} {c.unit}"


def limit_words(c: Limited) -> str:
    """Return a metric and its limit. One that asks for yes or no is named as a person names it: Decision recorded."""
    if not isinstance(c.value, bool):
        return f"{c.metric} {bound_words(c)}"
    named = c.metric.replace(".", " ").replace("_", " ")
    question = named[:1].upper() + named[1:]
    return question if _wants_yes(c) else f"{question}, which must not be"


def asked_words(c: Limited) -> str:
    """Return all that a criterion asks: its limit, of each of which, and how far an item may be from the others."""
    each = f" each {c.each}" if c.each else ""
    fleet = f" and within {c.fleet_z} robust deviations" if c.fleet_z is not None else ""
    return f"{limit_words(c)}{each}{fleet}"


def verdict_words(c: Limited, judged: Judged) -> str:
    """Return a verdict with what was measured where. To a question of yes or no it is yes, no or not yet, with the metric's id."""
    at = f" at {judged.worst}" if judged.worst else ""
    found = f": {judged.note}" if judged.note else ""
    read = "" if judged.measured in {"", NOT_MEASURED} else f"{judged.measured}{at}{found}"
    if not isinstance(c.value, bool):
        return f"{judged.verdict} ({read})" if read else judged.verdict
    answers = {NOT_MEASURED: "not yet", MET: "yes" if _wants_yes(c) else "no"}
    answer = answers.get(judged.verdict, judged.verdict)
    return f"{answer} ({', '.join(filter(None, (c.metric, read)))})"


def _wants_yes(c: Limited) -> bool:
    return (c.op == "==") is c.value


def judgements(
    criteria: Iterable[PlanCriterion],
    readings: Readings,
    waived: Collection[str] = (),
) -> list[Judgement]:
    """Return every criterion with its verdict. `readings` are by metric, `waived` names the waived metrics."""
    found = []
    for criterion in criteria:
        metric = criterion.metric
        judged = judge(criterion, readings.get(metric, ()), waived=metric in waived)
        found.append(Judgement(criterion, judged))
    return found


def all_met(
    criteria: Iterable[PlanCriterion],
    readings: Readings,
    waived: Collection[str] = (),
) -> bool:
    """Return whether no judgement of `judgements` is open, without its words."""
    asked = [criterion for criterion in criteria if criterion.metric not in waived]
    return all(_is_met(criterion, readings.get(criterion.metric, ())) for criterion in asked)


def _is_met(criterion: PlanCriterion, readings: Iterable[Measured]) -> bool:
    last = list({reading.item: reading for reading in readings}.values())
    centre = _centre(criterion, last)
    alone = all(_one(criterion, reading, centre) in PASSED for reading in last)
    far = _outliers(criterion, last)
    return bool(last) and alone and all(reading.accepted for reading in last if reading.item in far)


def refuse_unmet(activity: str, found: Iterable[Judgement], what: str) -> None:
    """Raise if a criterion failed or was not measured, and is not waived. `what` is the verb of the refused decision."""
    unmet = [str(judgement) for judgement in found if judgement.is_open]
    if unmet:
        raise NotSatisfiedError(
            f"{activity} cannot {what}: " + "; ".join(unmet),
            hint=f"`clusterwright measure {activity} METRIC VALUE UNIT`, or waive it with a reason",
        )


def judge(criterion: PlanCriterion, readings: Iterable[Measured], *, waived: bool = False) -> Judged:
    """Return the verdict on a criterion. A waiver replaces any verdict but `met`."""
    last = list({reading.item: reading for reading in readings}.values())
    found = _worst(criterion, last) if last else Judged(NOT_MEASURED, "not measured", "")
    if found.verdict in PASSED:
        found = _in_fleet(criterion, last) or found
    if waived and found.verdict != MET:
        return found._replace(verdict=WAIVED)
    return found


def verdict_on(criterion: PlanCriterion, readings: Iterable[Measured], item: str) -> str:
    """Return the verdict on one item, as `judge_items` does, in half of the time."""
    last = {reading.item: reading for reading in readings}
    if item in _outliers(criterion, last.values()):
        return _failed(last[item])
    return _one(criterion, last[item], _centre(criterion, list(last.values())))


def judge_items(criterion: PlanCriterion, readings: Iterable[Measured]) -> dict[str, Judged]:
    """Return the verdict on each item alone. Criteria with `within` or `fleet_z` compare it with the other items all the same."""
    last = {reading.item: reading for reading in readings}
    centre = _centre(criterion, list(last.values()))
    far = _outliers(criterion, last.values())
    found = {}
    for item, reading in last.items():
        verdict, measured = _one(criterion, reading, centre), _text(reading, criterion.unit)
        if item in far:
            verdict, measured = _failed(reading), f"{measured}, {far[item]:+.1f} robust deviations"
        found[item] = Judged(verdict, measured, item)
    return found


def _worst(criterion: PlanCriterion, readings: list[Measured]) -> Judged:
    centre = _centre(criterion, readings)
    verdicts = [_one(criterion, reading, centre) for reading in readings]
    failed = [reading for reading, verdict in zip(readings, verdicts, strict=True) if verdict == FAILED]
    if failed:
        worst = _extreme(criterion, failed)
        bad = len(verdicts) - verdicts.count(MET)
        return Judged(FAILED, _summary(readings, bad, worst), worst.item, worst.note)
    if NOT_MEASURED in verdicts:
        worst = readings[verdicts.index(NOT_MEASURED)]
        return Judged(NOT_MEASURED, worst.note or _text(worst, criterion.unit), worst.item)
    used = [reading for reading, verdict in zip(readings, verdicts, strict=True) if verdict == ACCEPTED]
    worst = _extreme(criterion, used or readings)
    verdict = ACCEPTED if used else MET
    return Judged(verdict, _summary(readings, len(used), worst), worst.item, worst.accepted)


def _in_fleet(criterion: PlanCriterion, readings: list[Measured]) -> Judged | None:
    """Return a verdict if an item is much worse than the other items: a failure, unless each is accepted. None if no item is."""
    far = _outliers(criterion, readings)
    if not far:
        return None
    found = [reading for reading in readings if reading.item in far]
    failing = [reading for reading in found if not reading.accepted]
    worst = max(failing or found, key=lambda reading: abs(far[reading.item]))
    deviation = f"{far[worst.item]:+.1f} robust deviations from the median of {len(readings)}"
    measured = f"{_summary(readings, len(far), worst)}, {deviation}"
    return Judged(_failed(worst), measured, worst.item, worst.accepted)


def _outliers(criterion: PlanCriterion, readings: Iterable[Measured]) -> dict[str, Decimal]:
    """Return the items that are much worse than the others, each with its distance in robust deviations."""
    if criterion.fleet_z is None:
        return {}
    numbers = {reading.item: _number(reading, criterion.unit) for reading in readings}
    known = {item: number for item, number in numbers.items() if isinstance(number, Decimal)}
    return outliers(criterion.op, criterion.fleet_z, known)


def _one(criterion: PlanCriterion, reading: Measured, centre: Decimal | None) -> str:
    verdict = _by_limit(criterion, reading, centre)
    return _failed(reading) if verdict == FAILED else verdict


def _failed(reading: Measured) -> str:
    """Return the verdict on a reading that fails."""
    return ACCEPTED if reading.accepted else FAILED


def _by_limit(criterion: PlanCriterion, reading: Measured, centre: Decimal | None) -> str:
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
    return bool(_ORDER[op](value, limit))


def _centre(criterion: PlanCriterion, readings: list[Measured]) -> Decimal | None:
    """Return the median with which `within` compares items. None for one item alone."""
    if criterion.op != "within":
        return None
    read = [r for r in readings if r.unit != criterion.unit and r.value is not None]
    values = (reading.value for reading in read)
    numbers = sorted(value for value in values if isinstance(value, Decimal) and value.is_finite())
    if len(numbers) < 2 or len({reading.unit for reading in read}) != 1:
        return None
    half = len(numbers) // 2
    if len(numbers) % 2:
        return numbers[half]
    return (numbers[half - 1] + numbers[half]) / 2


def _within(criterion: PlanCriterion, reading: Measured, centre: Decimal | None) -> str:
    limit, value = criterion.value, reading.value
    if not isinstance(limit, Decimal) or not isinstance(value, Decimal):
        return NOT_MEASURED
    if reading.unit == criterion.unit:
        return MET if abs(value) <= limit else FAILED
    if centre is None or centre == 0:
        return NOT_MEASURED
    share = abs(value - centre) / abs(centre) * 100
    return MET if share <= limit else FAILED


def _extreme(criterion: PlanCriterion, readings: list[Measured]) -> Measured:
    """Return the worst reading by its number. If there are no numbers to compare, return the first reading."""
    if len(readings) == 1:
        return readings[0]
    numbers = [(_number(reading, criterion.unit), reading) for reading in readings]
    comparable = [(number, reading) for number, reading in numbers if isinstance(number, Decimal)]
    if not comparable or criterion.op not in {"<", "<=", ">", ">="}:
        return readings[0]
    choose = max if criterion.op in {"<", "<="} else min
    return choose(comparable, key=lambda pair: pair[0])[1]


def _number(reading: Measured, unit: str) -> Value | None:
    if reading.value is None or not _is_finite(reading.value):
        return None
    return converted(reading.value, reading.unit, unit)


def _summary(readings: list[Measured], bad: int, worst: Measured) -> str:
    if len(readings) == 1:
        return _text(worst, worst.unit)
    met = len(readings) - bad
    return f"{met} of {len(readings)} met, worst {_text(worst, worst.unit)}"


def _text(reading: Measured, unit: str) -> str:
    if reading.value is None:
        return reading.note or "not measured"
    if isinstance(reading.value, bool):
        return "yes" if reading.value else "no"
    measured = f"{value_text(reading.value)} {reading.unit}".strip()
    return measured if is_comparable(reading.unit, unit) else f"{measured}, not comparable with {unit}"
