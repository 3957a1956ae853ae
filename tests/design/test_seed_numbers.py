"""Every number of docs/seed_numbers.yaml is worked out again by the calculators, and compared with the seed's print."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from steps.design.fabric import FabricShape
from steps.formula import evaluate
from tests.shipped import shipped_catalog

Entry = Mapping[str, Any]

SEED_NUMBERS = Path(__file__).parents[2] / "docs" / "seed_numbers.yaml"
ENTRIES: list[Entry] = yaml.load(SEED_NUMBERS.read_text(encoding="utf-8"), yaml.CSafeLoader)
NUMBER = r"\d[\d,]*(?:\.\d+)?"


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def name_of(entry: Entry) -> str:
    return f"{entry['seed']} {entry['where']} {entry.get('erratum', 'reproduced')}"


def is_number(entry: Entry) -> bool:
    return not isinstance(entry["ours"], str)


def half_a_digit(printed: str) -> float:
    """Half a unit of the last digit printed; where zeros end a whole number, of the last other, 5 % at most."""
    exponent = Decimal(printed.replace(",", "")).as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent < 0 or not printed.endswith("0"):
        return float(0.5 * 10.0**exponent)
    number = printed.replace(",", "")
    zeros = len(number) - len(number.rstrip("0"))
    return float(min(0.5 * 10.0**zeros, max(0.5, 0.05 * float(number))))


def called(entry: Entry) -> list[float]:
    """What the calculator gives, once for each place of the arguments' lists."""
    module, function = entry["calculator"].split(".")
    calculator = getattr(importlib.import_module(f"steps.design.{module}"), function)
    columns = {name: listed(value) for name, value in entry["arguments"].items()}
    found = []
    for at in range(max(len(column) for column in columns.values())):
        picked = {name: column[min(at, len(column) - 1)] for name, column in columns.items()}
        given = {name: evaluate(value, {}) if isinstance(value, str) else value for name, value in picked.items()}
        result = calculator(FabricShape(**given)) if function == "fabric_of" else calculator(**given)
        values = result._asdict() if hasattr(result, "_asdict") else {"result": result}
        found.append(float(evaluate(entry.get("then", "result"), values)))
    return found


def worked_out(entry: Entry) -> list[float]:
    if "calculator" in entry:
        return called(entry)
    return [float(evaluate(formula, {})) for formula in listed(entry["formula"])]


def agrees(says: str, ours: list[float]) -> bool:
    """Compare number by number, one number with a range, or a range with one number; `+` and `<` are open ends."""
    printed = re.findall(NUMBER, says)
    said = [float(number.replace(",", "")) for number in printed]
    low = [number - half_a_digit(text) for number, text in zip(said, printed, strict=True)]
    high = [number + half_a_digit(text) for number, text in zip(said, printed, strict=True)]
    if "+" in says:
        return ours[0] >= low[0]
    if "<" in says:
        return ours[-1] <= high[-1]
    if len(said) == len(ours):
        return all(a <= number <= b for a, number, b in zip(low, ours, high, strict=True))
    return low[0] <= ours[-1] and ours[0] <= high[-1]


@pytest.mark.parametrize("entry", [e for e in ENTRIES if is_number(e)], ids=name_of)
def test_ours_is_what_the_calculators_give(entry: Entry) -> None:
    ours = listed(entry["ours"])
    found = worked_out(entry)

    assert len(found) == len(ours)
    for number, result in zip(ours, found, strict=True):
        exponent = Decimal(str(number)).as_tuple().exponent
        assert isinstance(exponent, int)
        assert result == pytest.approx(number, abs=0.5 * 10.0**exponent + 1e-9, rel=0)


@pytest.mark.parametrize("entry", [e for e in ENTRIES if not e.get("erratum")], ids=name_of)
def test_a_reproduced_number_agrees_with_the_seed_within_its_rounding(entry: Entry) -> None:
    assert re.search(NUMBER, entry["says"])
    assert agrees(entry["says"], listed(entry["ours"]))


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.get("erratum")], ids=name_of)
def test_an_erratum_differs_from_the_seed_and_says_why(entry: Entry) -> None:
    """An open end does not save a number that is far from the one printed."""
    assert entry["reason"].endswith(".")
    if is_number(entry) and re.search(NUMBER, entry["says"]):
        assert not agrees(entry["says"].replace("+", ""), listed(entry["ours"]))


def test_an_entry_has_the_keys_of_its_kind_and_no_other() -> None:
    for entry in ENTRIES:
        allowed = {"seed", "where", "says", "ours", "unit", "erratum", "reason"}
        if is_number(entry):
            assert entry["unit"], entry
            allowed |= {"calculator", "arguments", "then"} if "calculator" in entry else {"formula"}
        else:
            assert entry["erratum"], entry
        assert entry.keys() <= allowed, entry


def test_no_number_stands_twice_and_an_erratum_keeps_its_seed() -> None:
    """E0-6 is of the guide of sixty steps and reaches into the comparison of clusters; E3-6 compares three documents."""
    places = Counter((e["seed"], e["where"], e.get("erratum")) for e in ENTRIES)
    strangers = {e["erratum"] for e in ENTRIES if e.get("erratum") and e["erratum"][1] != e["seed"][2]}

    assert [place for place, count in places.items() if count > 1] == []
    assert strangers == {"E0-6", "E3-6"}


def test_errata_are_numbered_without_gaps() -> None:
    for seed in "01234":
        numbers = {int(e["erratum"].split("-")[1]) for e in ENTRIES if str(e.get("erratum")).startswith(f"E{seed}-")}
        assert numbers == set(range(1, len(numbers) + 1)), seed


def test_the_catalog_names_errata_that_are_here() -> None:
    known = {entry["erratum"] for entry in ENTRIES if entry.get("erratum")}
    named = {erratum for entry in shipped_catalog().values() for erratum in entry.step.errata}

    assert named <= known
