"""A plan that grows after an order went out: what was ordered stays what was ordered, and what is missing is waited for."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from clusterwright.plan_diff import placed_otherwise
from clusterwright.week_report import week_report
from ledger.entries import ProgressRow
from ledger.evidence.plans import read_plan
from ledger.log.chain import Event
from ledger.questions.actuals import actuals
from ledger.questions.orders import budget, order_history, orders
from ledger.questions.supplies import supplies
from ledger.questions.why import why
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.change_decisions import ask_change, decide_change
from ledger.subjects.orders.decisions import order
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.orders.payloads import TrancheReceived
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.plan.progress_decisions import import_progress
from ledger.subjects.work.decisions import start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import T0, Clock, Look, StateOf, adopt_small_plan, begun, earlier_rules, small_plan
from tests.ledger.test_buying import FIRST, ORDER, priced
from tui.screens.morning_means import supply_rows

SECOND = f"{ORDER}/2"


def came(event: Event) -> Decimal:
    """Return how many a receipt has."""
    assert isinstance(event.payload, TrancheReceived)
    return event.payload.quantity


def grow(ledger: Ledger, servers: int = 24, delivery: int = 0) -> None:
    """Adopt a plan whose delivery, the first one if no other is named, has more servers than the 16 of before."""
    plan = small_plan()
    (bought,) = plan.orders
    tranches = list(bought.tranches)
    tranches[delivery] = tranches[delivery].model_copy(update={"quantity": Decimal(servers)})
    whole = sum((one.quantity for one in tranches), Decimal(0))
    grown = bought.model_copy(update={"quantity": whole, "tranches": tuple(tranches)})
    adopt_plan(ledger, "pm", plan.model_copy(update={"orders": (grown,)}), reason="more servers")


def test_what_was_ordered_stays_beside_what_the_plan_now_needs(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    grow(ledger)

    (row,) = orders(look(clock.now))

    assert row.size == "40 servers, 32 ordered"
    assert [one.ordered for one in row.tranches] == [16, 16]
    assert any("24 servers, 16 ordered" in need for need in why(look(), FIRST).needs)


def test_what_is_to_be_ordered_is_on_the_pages_that_are_read_each_morning(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    priced(ledger)
    grow(ledger)
    when = look(clock.now)

    to_come = {row.key: " ".join(text for text, _ in row.cells) for row in supply_rows(supplies(when), when.now)}
    week = week_report(when)

    assert "8 to be ordered" in to_come[FIRST]
    assert SECOND not in to_come
    assert [line.note for line in week.sections["Orders due"]] == ["40 servers, 32 ordered"]


def test_what_was_ordered_before_clusterwright_stays_what_it_was(ledger: Ledger, look: Look, clock: Clock) -> None:
    """What was recorded of earlier times is ordered for the plan in force then."""
    done = [ProgressRow(2, name, "done", T0, T0, "tech") for name in ("001@site", ORDER, FIRST)]
    import_progress(ledger, "pm", done)
    grow(ledger)

    (row,) = orders(look(clock.now))

    assert row.size == "40 servers, 32 ordered"
    assert row.tranches[0].to_come == 0
    assert row.state == "part received"
    (stands,) = placed_otherwise(look(clock.now), read_plan(look()), {})
    assert (stands.before, stands.after[:27]) == ("placed for 32 servers", "the plan now has 40 servers")
    assert audit(ledger.site_dir) == []


def test_a_delivery_is_here_in_full_only_with_what_the_plan_has_more(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """Or servers that nobody bought could be put into racks."""
    priced(ledger)
    receive(ledger, "pm", FIRST)
    assert state("010@pod-001") == "ready"

    grow(ledger)

    assert orders(look(clock.now))[0].state == "part received"
    assert state("010@pod-001") == "blocked"
    with pytest.raises(NotSatisfiedError, match="partly received"):
        start(ledger, "tech", "010@pod-001")
    with pytest.raises(NotSatisfiedError, match="that was ordered is here; the plan has 24 servers"):
        receive(ledger, "pm", FIRST)
    assert audit(ledger.site_dir) == []


def test_the_rest_is_ordered_by_a_change_that_names_what_was_ordered(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    priced(ledger)
    receive(ledger, "pm", FIRST)
    grow(ledger)
    ask_change(ledger, "sponsor", FIRST, quantity=24, reason="eight more")
    decide_change(ledger, "pm", "CO-0001", approved=True)

    assert "quantity 16 to 24" in order_history(look(clock.now), ORDER)[-1].said
    clock.forward(24)
    receive(ledger, "pm", FIRST)

    (row,) = orders(look(clock.now))
    assert row.tranches[0].received_at == clock.now
    assert row.ordered == 40
    assert state("010@pod-001") == "ready"
    assert audit(ledger.site_dir) == []


def test_whoever_decides_that_what_came_is_enough_lets_work_go_on(ledger: Ledger, state: StateOf) -> None:
    priced(ledger)
    receive(ledger, "pm", FIRST)
    grow(ledger)

    ask_change(ledger, "sponsor", FIRST, quantity=16, reason="the rest goes elsewhere")
    decide_change(ledger, "pm", "CO-0001", approved=True)

    assert state("010@pod-001") == "ready"
    assert audit(ledger.site_dir) == []


@pytest.mark.parametrize("receipts", [(8,), (4, 4), (8, 8)])
def test_a_plan_that_wants_no_more_than_came_lets_work_go_on(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf, receipts: tuple[int, ...]
) -> None:
    """Nothing of it is left to receive, so that nothing else could say that it is here."""
    priced(ledger)
    grow(ledger)
    for servers in receipts:
        clock.forward(1)
        receive(ledger, "pm", FIRST, servers)
    assert state("010@pod-001") == "blocked"

    grow(ledger, 8)

    assert state("010@pod-001") == "ready"
    assert orders(look(clock.now))[0].tranches[0].received_at == clock.now
    assert audit(ledger.site_dir) == []


def test_a_change_that_adds_to_what_came_is_waited_for(ledger: Ledger, state: StateOf) -> None:
    priced(ledger)
    receive(ledger, "pm", FIRST)
    ask_change(ledger, "sponsor", FIRST, quantity=18, reason="two spares")
    decide_change(ledger, "pm", "CO-0001", approved=True)

    assert state("010@pod-001") == "blocked"
    receive(ledger, "pm", FIRST)
    assert state("010@pod-001") == "ready"


def test_no_more_is_received_than_was_ordered(ledger: Ledger) -> None:
    priced(ledger)
    grow(ledger)

    with pytest.raises(InputError, match="16 outstanding, so not 24"):
        receive(ledger, "pm", FIRST, 24)
    assert came(receive(ledger, "pm", FIRST)) == 16


def test_money_of_what_came_is_a_part_of_what_was_ordered(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    receive(ledger, "pm", FIRST)
    grow(ledger)

    assert budget(look(clock.now))[0].received == Decimal(160_000)


def test_what_nobody_ordered_comes_a_lead_time_from_now(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    grow(ledger)

    found = actuals(look(clock.now))

    assert found[FIRST].finished == clock.now + timedelta(hours=200)
    assert found[SECOND].finished is None


def test_an_order_that_was_placed_by_mistake_is_placed_anew_for_what_the_plan_has(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    priced(ledger)
    placed = next(row.seq for row in order_history(look(clock.now), ORDER) if row.kind == "order.placed")
    grow(ledger)
    correct(ledger, "pm", placed, reason="by mistake")
    assert orders(look(clock.now))[0].ordered == 40

    order(ledger, "pm", ORDER, supplier="ACME", reference="PO 2")

    assert orders(look(clock.now))[0].ordered == 40
    assert audit(ledger.site_dir) == []


def test_by_earlier_rules_what_came_was_all_until_they_are_raised(site_dir: Path, clock: Clock, state: StateOf) -> None:
    with bought_by_earlier_rules(site_dir, clock) as ledger:
        receive(ledger, "pm", FIRST)
        grow(ledger)
        assert state("010@pod-001") == "ready"

        raise_rules(ledger, "pm", "what is missing is waited for")

        assert state("010@pod-001") == "blocked"
        assert came(receive(ledger, "pm", FIRST)) == 8
        assert state("010@pod-001") == "ready"
    assert audit(site_dir) == []


def test_what_was_bought_by_earlier_rules_is_ordered_as_the_plan_had_it_when_they_were_raised(
    site_dir: Path, clock: Clock, look: Look
) -> None:
    with bought_by_earlier_rules(site_dir, clock) as ledger:
        ask_change(ledger, "sponsor", SECOND, quantity=12, reason="four go elsewhere")
        decide_change(ledger, "pm", "CO-0001", approved=True)
        raise_rules(ledger, "pm", "what is missing is waited for")
        assert orders(look(clock.now))[0].size == "28 servers"

        grow(ledger)
        grow(ledger, delivery=1)

        assert orders(look(clock.now))[0].size == "40 servers, 28 ordered"
    assert audit(site_dir) == []


def bought_by_earlier_rules(site_dir: Path, clock: Clock) -> Ledger:
    """Return the ledger of a new site with version 4 of the rules, whose order is placed."""
    with earlier_rules(4):
        ledger = begun(site_dir, clock)
    adopt_small_plan(ledger)
    priced(ledger)
    return ledger
