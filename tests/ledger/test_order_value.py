"""Earned value of orders, in money."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ledger.questions.order_value import order_values
from ledger.subjects.orders.decisions import expedite, order
from ledger.subjects.orders.delivery_decisions import receive
from ledger.writing import Ledger
from tests.ledger.conftest import Clock, Look
from tests.ledger.test_buying import FIRST, ORDER, priced

SECOND = f"{ORDER}/2"


def test_what_came_too_late_and_cost_more_shows_in_the_indices(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Both deliveries were due and one came, for a tenth more than ordered."""
    priced(ledger)
    expedite(ledger, "pm", ORDER, reason="transformer slipped", cost="32000")
    receive(ledger, "pm", FIRST)

    (found,) = order_values(look(clock.now), {FIRST, SECOND})

    assert (found.currency, found.total, found.unpriced) == ("EUR", Decimal(320000), 0)
    assert (found.planned, found.received, found.actual) == (Decimal(320000), Decimal(160000), Decimal(176000))
    assert found.spi == 0.5
    assert found.cpi == pytest.approx(160 / 176, abs=1e-4)


def test_before_anything_is_due_or_here_there_is_no_index(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)

    (found,) = order_values(look(clock.now), set())

    assert (found.planned, found.received) == (Decimal(0), Decimal(0))
    assert (found.spi, found.cpi) == (None, None)


def test_what_came_early_is_earned(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    receive(ledger, "pm", FIRST)
    receive(ledger, "pm", SECOND)

    (found,) = order_values(look(clock.now), {FIRST})

    assert found.spi == 2.0
    assert found.cpi == 1.0


def test_an_order_without_a_value_is_counted(ledger: Ledger, look: Look, clock: Clock) -> None:
    order(ledger, "pm", ORDER, out_of_sequence="the price holds until Friday")

    assert [(one.currency, one.total, one.unpriced) for one in order_values(look(clock.now), {FIRST})] == [
        ("", Decimal(0), 1)
    ]


def test_what_is_not_ordered_has_no_value(ledger: Ledger, look: Look, clock: Clock) -> None:
    assert order_values(look(clock.now), {FIRST}) == []
