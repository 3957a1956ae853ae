"""One criterion against what was read in this attempt. Pure, exact decimals, standard library only.

The last reading of an item counts, every item is judged, the worst decides. A missing value, a unit that
cannot be compared and a word where a number belongs are `not measured`: never a pass. Where a criterion also holds
items against each other, one that meets the limit fails if it lies too far on the bad side of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.fleet import outliers
from steps.value import Value, value_text

MET, FAILED, NOT_MEASURED, WAIVED = "met", "failed", "not measured", "waived"

FACTORS: dict[str, tuple[str, Decimal]] = {
    name: (dimension, Decimal(factor))
    for dimension, units in {
        "time": {"ns": "1e-9", "us": "1e-6", "µs": "1e-6", "ms": "1e-3", "s": "1", "min": "60",
                 "h": "3600", "day": "86400"},
        "power": {"W": "1", "kW": "1e3", "MW": "1e6"},
        "potential": {"mV": "1e-3", "V": "1", "kV": "1e3"},
        "resistance": {"uohm": "1e-6", "µohm": "1e-6", "mohm": "1e-3", "ohm": "1", "kohm": "1e3", "megohm": "1e6"},
        "current": {"mA": "1e-3", "A": "1", "kA": "1e3"},
        "torque": {"Nm": "1", "N·m": "1", "lbf·ft": "1.3558179483314", "lbf·in": "0.1129848290276"},
        "pressure": {"Pa": "1", "kPa": "1e3", "bar": "1e5", "psi": "6894.757293168"},
        "flow": {"L/min": "1", "l/min": "1", "m3/h": "16.66666666666666667"},
        "bits": {"b/s": "1", "kb/s": "1e3", "Mb/s": "1e6", "Gb/s": "1e9", "Tb/s": "1e12",
                 "Gbit/s": "1e9", "Gbps": "1e9"},
        "byte rate": {"B/s": "1", "kB/s": "1e3", "MB/s": "1e6", "GB/s": "1e9", "TB/s": "1e12",
                      "MiB/s": "1048576", "GiB/s": "1073741824"},
        "bytes": {"B": "1", "kB": "1e3", "MB": "1e6", "GB": "1e9", "TB": "1e12", "PB": "1e15",
                  "KiB": "1024", "MiB": "1048576", "GiB": "1073741824", "TiB": "1099511627776"},
        "length": {"mm": "1e-3", "cm": "1e-2", "m": "1", "km": "1e3"},
        "share": {"%": "1", "percent": "1"},
        "number": {"count": "1", "": "1", "1": "1", "items": "1"},
    }.items()
    for name, factor in units.items()
}  # fmt: skip
"""Units that convert into each other, by dimension and factor. Others compare only with themselves."""


class Reading(NamedTuple):
    """One value read; None is `not measured`, and the note says why."""

    item: str
    value: Value | None
    unit: str
    note: str = ""


class Judged(NamedTuple):
    """A verdict, what was measured in words, and the item that decides."""

    verdict: str
    measured: str
    worst: str


def judge(
    op: str,
    limit: Value,
    unit: str,
    readings: Iterable[Reading],
    *,
    waived: bool = False,
    fleet_z: Decimal | None = None,
) -> Judged:
    """Give the verdict on a criterion; a waiver stands only in place of a failure.

    `fleet_z` is how many robust standard deviations an item may lie on the bad side of the others.
    """
    last = {reading.item: reading for reading in readings}
    found = _worst(op, limit, unit, list(last.values())) if last else Judged(NOT_MEASURED, "not measured", "")
    if found.verdict == MET and fleet_z is not None:
        found = _in_fleet(op, unit, list(last.values()), fleet_z) or found
    if waived and found.verdict != MET:
        return found._replace(verdict=WAIVED)
    return found


def judge_items(
    op: str, limit: Value, unit: str, readings: Iterable[Reading], *, fleet_z: Decimal | None = None
) -> dict[str, Judged]:
    """Give the verdict on every item by itself; `within` and `fleet_z` still hold each against the others."""
    last = {reading.item: reading for reading in readings}
    centre = _centre(list(last.values()), unit) if op == "within" else None
    far = {} if fleet_z is None else outliers(op, fleet_z, _numbers(unit, last.values()))
    return {
        item: Judged(
            FAILED if item in far else _one(op, limit, unit, reading, centre),
            _text(reading, unit) + (f", {far[item]:+.1f} robust deviations" if item in far else ""),
            item,
        )
        for item, reading in last.items()
    }


def converted(value: Value, unit: str, wanted: str) -> Value | None:
    """Give a value in the wanted unit, or None where the units do not compare."""
    if isinstance(value, bool | str) or unit == wanted:
        return value
    have, want = FACTORS.get(unit), FACTORS.get(wanted)
    if have is None or want is None or have[0] != want[0]:
        return None
    return value * have[1] / want[1]


def is_comparable(unit: str, wanted: str) -> bool:
    """Say whether a number in one unit can be held against a limit in the other."""
    return converted(Decimal(1), unit, wanted) is not None


def _worst(op: str, limit: Value, unit: str, readings: list[Reading]) -> Judged:
    centre = _centre(readings, unit) if op == "within" else None
    bad: list[tuple[str, Reading]] = []
    for reading in readings:
        verdict = _one(op, limit, unit, reading, centre)
        if verdict != MET:
            bad.append((verdict, reading))
    failed = [reading for verdict, reading in bad if verdict == FAILED]
    if failed:
        worst = _extreme(op, unit, failed)
        return Judged(FAILED, _summary(readings, len(bad), worst), worst.item)
    if bad:
        worst = bad[0][1]
        return Judged(NOT_MEASURED, worst.note or _text(worst, unit), worst.item)
    worst = _extreme(op, unit, readings)
    return Judged(MET, _summary(readings, 0, worst), worst.item)


def _in_fleet(op: str, unit: str, readings: list[Reading], fleet_z: Decimal) -> Judged | None:
    """Give a failure where an item that meets the limit lies too far off the others; None where none does."""
    far = outliers(op, fleet_z, _numbers(unit, readings))
    if not far:
        return None
    item = max(far, key=lambda name: abs(far[name]))
    worst = next(reading for reading in readings if reading.item == item)
    said = (
        f"{_summary(readings, len(far), worst)}, {far[item]:+.1f} robust deviations from the median of {len(readings)}"
    )
    return Judged(FAILED, said, item)


def _numbers(unit: str, readings: Iterable[Reading]) -> dict[str, Decimal]:
    return {r.item: number for r in readings if isinstance(number := _number(r, unit), Decimal)}


def _one(op: str, limit: Value, unit: str, reading: Reading, centre: Decimal | None) -> str:
    if reading.value is None:
        return NOT_MEASURED
    if op == "within":
        return _within(limit, unit, reading, centre)
    value = converted(reading.value, reading.unit, unit)
    if value is None or _sort(value) is not _sort(limit):
        return NOT_MEASURED
    return MET if _holds(op, value, limit) else FAILED


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


def _centre(readings: list[Reading], unit: str) -> Decimal | None:
    """Give the median that items are held against; one item alone has none."""
    numbers = [r.value for r in readings if isinstance(r.value, Decimal) and r.unit != unit]
    units = {r.unit for r in readings if r.value is not None and r.unit != unit}
    if len(numbers) < 2 or len(units) != 1:
        return None
    numbers.sort()
    half = len(numbers) // 2
    return numbers[half] if len(numbers) % 2 else (numbers[half - 1] + numbers[half]) / 2


def _within(limit: Value, unit: str, reading: Reading, centre: Decimal | None) -> str:
    if not isinstance(limit, Decimal) or not isinstance(reading.value, Decimal):
        return NOT_MEASURED
    if reading.unit == unit:
        return MET if abs(reading.value) <= limit else FAILED
    if centre is None or centre == 0:
        return NOT_MEASURED
    share = abs(reading.value - centre) / abs(centre) * 100
    return MET if share <= limit else FAILED


def _extreme(op: str, unit: str, readings: list[Reading]) -> Reading:
    """Give the reading that is furthest from the good side, in one unit; of words and the like, the first."""
    numbers = [(number, r) for r in readings if isinstance(number := _number(r, unit), Decimal)]
    if not numbers or op not in {"<", "<=", ">", ">="}:
        return readings[0]
    choose = max if op in {"<", "<="} else min
    return choose(numbers, key=lambda pair: pair[0])[1]


def _number(reading: Reading, unit: str) -> Value | None:
    return None if reading.value is None else converted(reading.value, reading.unit, unit)


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
    said = f"{value_text(reading.value)} {reading.unit}".strip()
    return said if is_comparable(reading.unit, unit) else f"{said}, not comparable with {unit}"
