"""What a short text can cost is bounded: numbers, formulas, and YAML."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from schedule.errors import InputError, UnreachableError
from steps.formula import evaluate, number_of
from steps.value import bounded_number, text_value, value_text
from steps.yaml_lines import load, parse

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{this}: &{this} [{', '.join(['*' + before] * 9)}]\n" for before, this in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text", ["1e999999999", "1e100000000", "-1e-999999999", "9" * 101, "nan", "1e31", "0e-999999999"]
)
def test_a_number_out_of_bounds_is_none(text: str) -> None:
    """Eleven characters must not become a gigabyte of digits."""
    assert bounded_number(text) is None
    assert text_value(text) == text


def test_a_number_that_came_in_all_the_same_is_written_with_its_exponent() -> None:
    """An event that was appended past the program must not fill the memory of who reads it."""
    assert value_text(Decimal("1e999999999")) == "1E+999999999"
    assert value_text(Decimal("1.5e3")) == "1500"


@pytest.mark.parametrize(
    ("read", "written"),
    [(1568.0, "1568"), (0.5, "0.5"), (-0.25, "-0.25"), (100.0, "100"), (1e-7, "0.0000001"), (float("nan"), "nan")],
)
def test_a_number_that_an_instrument_read_is_written_as_people_write_it(read: float, written: str) -> None:
    assert value_text(read) == written


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ('"a" * 1900000000', "takes the text 'a' for a number"),
        ("[1] * 900000000", "takes a list for a number"),
        ("nodes * 1e29 * 1e29", "beyond 1e+30"),
        ("9" * 400 + " * 1", "is no number"),
        ('ceil("a")', "takes the text 'a' for a number"),
        ('-"a"', "takes the text 'a' for a number"),
        ('nodes < "a"', "takes the text 'a' for a number"),
        ("min()", "calls something other than"),
        ("'a' in fabric", "has no list after `in`"),
        ("(" * 400 + "1" + ")" * 400, "does not parse"),
        ("-" * 900 + "1", "nested more than 30 deep"),
        ("+".join(["1"] * 800), "characters; at most 1,000 are read"),
        ("nodes\x00", "does not parse"),
        ("1j * 1", "is no number"),
    ],
)
def test_a_formula_without_a_bounded_number_says_why(formula: str, why: str) -> None:
    """Catalog files are the site's own; a formula in one must neither fill the memory nor end in a traceback."""
    with pytest.raises(InputError) as refused:
        number_of(formula, {"nodes": 4, "fabric": "roce"})

    assert why in str(refused.value)


def test_formulas_in_use_keep_their_values() -> None:
    """A condition counts as 1 or 0, as shipped formulas use it."""
    assert evaluate("ceil(nodes / 3) * (fabric != 'none')", {"nodes": 4, "fabric": "roce"}) == 2
    assert evaluate("fabric in ['roce', 'none']", {"fabric": "roce"}) is True


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LAUGHS, "more than 200,000 values"),
        ("a: &a [*a]", "an alias names a value that it is part of"),
        ("a: &a {b: *a}", "an alias names a value that it is part of"),
        ("[" * 200_000, "nested more than 40 deep"),
        ("- " * 200_000, "nested more than 40 deep"),
        ("\n".join(" " * depth + "a:" for depth in range(500)), "nested more than 40 deep"),
        ("start: 2026-02-30", "f.yaml:1: '2026-02-30' is no date"),
        ("a: 1\nb: !!int ''", "f.yaml:2: '' is no whole number"),
        ("a: " + "9" * 5000, "f.yaml:1: a: a number or a date has at most 64 characters"),
        ("a: 1:" + "1:" * 50_000 + "1", "a number or a date has at most 64 characters"),
        ("? [a, b]\n: c", "a key is a word"),
        ("a: \x00", "not valid YAML"),
    ],
    ids=lambda value: value[:20],
)
def test_yaml_that_costs_too_much_is_refused_with_its_line(text: str, why: str) -> None:
    """Nine lines of aliases take gigabytes, and brackets without end end the process by a signal."""
    with pytest.raises(InputError) as refused:
        parse(text, "f.yaml")

    assert why in str(refused.value)


def test_a_file_that_is_no_text_is_refused_with_its_line(tmp_path: Path) -> None:
    """Latin-1 from an old editor is common; the line shows where to look."""
    (tmp_path / "a.yaml").write_bytes(b"a: 1\nb: K\xf6ln\n")
    (tmp_path / "b.yaml").write_bytes(b"# x\n" * 1_100_000)

    with pytest.raises(InputError, match=r"a\.yaml:2: .*UTF-8"):
        load(tmp_path / "a.yaml")
    with pytest.raises(InputError, match="larger than"):
        load(tmp_path / "b.yaml")
    with pytest.raises(UnreachableError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(UnreachableError, match="cannot be read"):
        load(tmp_path / ("a" * 300))
