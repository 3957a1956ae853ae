"""What nobody should be able to record by mistake: days that are over, purchases by anybody, assets without serial numbers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import pytest

from ledger.questions.ncrs import punch
from ledger.questions.open_quality import quality
from ledger.questions.orders import order_history, serials
from ledger.questions.records import waivers
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.orders.decisions import acknowledge, expedite, order, promise
from ledger.subjects.orders.delivery_decisions import receive, ship
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import move_waiver, waive
from ledger.subjects.work.decisions import measure, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotPermittedError
from tests.ledger.conftest import ORDER, T0, Clock, Look, activity, criterion, small_plan
from tests.ledger.journey import bought

NAME = "301@site"
BOUGHT, FIRST = "001@site#gpu-server", "001@site#gpu-server/1"
NUMBERS = [f"SN{n}" for n in range(16)]


@pytest.fixture
def unmet(ledger: Ledger) -> Ledger:
    """Return the small site with work under way whose one criterion is not met."""
    measured = activity(NAME, criteria=[criterion("link.loss", "<=", Decimal("0.5"), "dB")])
    plan = small_plan().model_dump(mode="json")
    adopt_plan(ledger, "pm", small_plan(activities=[*plan["activities"], measured]), reason="one more")
    start(ledger, "tech", NAME)
    measure(ledger, "tech", NAME, "link.loss", Decimal(3), "dB")
    return ledger


def test_a_waiver_is_not_made_good_in_the_past(unmet: Ledger, clock: Clock) -> None:
    """A day that is over is no promise. Dating the waiver itself back changes nothing."""
    over = T0.date() - timedelta(days=300)
    clock.forward(24 * 320)

    with pytest.raises(InputError, match="is over"):
        waive(unmet, "lead", NAME, "link.loss", "later", over)
    with pytest.raises(InputError, match="is over"), unmet.happened(T0 + timedelta(hours=1)):
        waive(unmet, "lead", NAME, "link.loss", "later", T0.date() + timedelta(days=9))


def test_a_waiver_is_open_until_its_criterion_is_met(unmet: Ledger, look: Look) -> None:
    """Then nothing is to be made good: it left neither the punch list nor what is open, until somebody opened the work again."""
    waive(unmet, "lead", NAME, "link.loss", "later", date(2026, 2, 1))
    assert [one.id for one in punch(look(), T0.date()) if one.kind == "waiver"] == ["W-0001"]

    measure(unmet, "tech", NAME, "link.loss", Decimal("0.2"), "dB")

    assert not [one.id for one in punch(look(), T0.date()) if one.kind == "waiver"]
    assert [(one.id, one.is_open) for one in quality(look()) if one.kind == "waiver"] == [("W-0001", False)]


def test_the_day_of_a_waiver_is_put_right_by_who_may_waive(unmet: Ledger, look: Look) -> None:
    """The earlier day stays in the record; neither who did the work nor anybody else moves it."""
    waive(unmet, "lead", NAME, "link.loss", "later", date(2026, 2, 1))

    for other in ("guest", "tech"):
        with pytest.raises(NotPermittedError):
            move_waiver(unmet, other, NAME, "W-0001", date(2026, 3, 1), "more time")
    with pytest.raises(InputError, match="is over"):
        move_waiver(unmet, "lead", NAME, "W-0001", date(2025, 3, 1), "typed wrong")
    with pytest.raises(InputError, match="no waiver"):
        move_waiver(unmet, "lead", NAME, "W-0009", date(2026, 3, 1), "more time")
    with pytest.raises(InputError, match="W-0001 is due on 2026-02-01 already"):
        move_waiver(unmet, "lead2", NAME, "W-0001", date(2026, 2, 1), "the same")
    with unmet.dry_run():
        move_waiver(unmet, "lead2", NAME, "W-0001", date(2026, 1, 20), "sooner")
    event = move_waiver(unmet, "lead2", NAME, "W-0001", date(2026, 3, 1), "more time")

    assert event.payload.model_dump()["due_before"] == date(2026, 2, 1)
    assert waivers(look())[0].due == date(2026, 3, 1)
    assert audit(unmet.site_dir) == []


BUYS: dict[str, Callable[[Ledger, str], object]] = {
    "order": lambda b, p: order(b, p, BOUGHT),
    "acknowledge": lambda b, p: acknowledge(b, p, BOUGHT, on=T0.date(), reference="SO 1"),
    "promise": lambda b, p: promise(b, p, BOUGHT, date(2026, 3, 1), reason="late"),
    "expedite": lambda b, p: expedite(b, p, BOUGHT, reason="late", cost=1),
    "ship": lambda b, p: ship(b, p, FIRST, shipped=T0.date(), carrier="van"),
    "receive": lambda b, p: receive(b, p, FIRST),
    "ask for a change": lambda b, p: ask_change(b, p, BOUGHT, value=3, reason="freight"),
}


@pytest.mark.parametrize("verb", BUYS)
def test_only_buyers_and_the_owner_buy(ledger: Ledger, verb: str) -> None:
    """An electrician could receive 256 servers. So could the engine."""
    bought(ledger)

    for person in ("tech", "guest", "lead", "engine"):
        with pytest.raises(NotPermittedError) as refused:
            BUYS[verb](ledger, person)
        assert "procurement-lead" in refused.value.hint


@pytest.fixture
def serialised(ledger: Ledger) -> Ledger:
    """Return the small site with its servers ordered, which are assets with serial numbers."""
    adopt_plan(ledger, "pm", small_plan(orders=[ORDER | {"serialised": True}]), reason="by serial number")
    bought(ledger)
    return ledger


def test_assets_are_received_by_their_serial_numbers(serialised: Ledger, look: Look) -> None:
    """84 million dollars' worth of servers came by a number alone."""
    with pytest.raises(InputError, match="have serial numbers") as refused:
        receive(serialised, "pm", FIRST)
    with pytest.raises(InputError, match="16 came with 1"):
        receive(serialised, "pm", FIRST, 16, serials=["SN1"])

    assert "--manifest" in refused.value.hint
    assert "--unscanned" in refused.value.hint
    receive(serialised, "pm", FIRST, serials=NUMBERS)
    assert serials(look(), FIRST) == tuple(NUMBERS)


def test_assets_without_serial_numbers_come_with_the_reason(serialised: Ledger, look: Look) -> None:
    """A pallet that nobody may open is received all the same, and everybody can read why it was not scanned."""
    receive(serialised, "pm", FIRST, unscanned="crates stay sealed for customs")

    assert "crates stay sealed for customs" in order_history(look(), BOUGHT)[-1].said
    assert audit(serialised.site_dir) == []
