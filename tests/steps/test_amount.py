"""Quantities as people write them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from steps.amount import counted


@pytest.mark.parametrize(
    ("quantity", "unit", "said"),
    [
        ("32.0", "server", "32 servers"),
        ("1.0", "rack", "1 rack"),
        ("1250.0", "server", "1,250 servers"),
        ("2", "bench", "2 benches"),
        ("327.0", "each", "327"),
        ("12.50", "m", "12.5 m"),
    ],
)
def test_a_quantity_has_no_needless_zero_and_the_right_noun(quantity: str, unit: str, said: str) -> None:
    assert counted(Decimal(quantity), unit) == said


def test_a_number_is_counted_as_a_quantity_is() -> None:
    assert [counted(number, "host") for number in (1, 6, 1000)] == ["1 host", "6 hosts", "1,000 hosts"]
