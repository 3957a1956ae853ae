"""A plan that shrinks, or that changes once more, after an order went out: what was ordered is owed until it comes or is given up."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from ledger.questions.orders import budget, changes, order_history, orders, require_order
from ledger.questions.supplies import supply_named
from ledger.questions.why import why
from ledger.reading import open_snapshot
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.change_decisions import ask_change, decide_change
from ledger.subjects.orders.decisions import order
from ledger.subjects.orders.delivery_decisions import receive, ship
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError
from steps.planning.plan import Plan
from tests.ledger.conftest import Clock, Look, StateOf, begun, earlier_rules, small_plan
from tests.ledger.test_buying import FIRST, ORDER, priced
from tests.ledger.test_grown_orders import SECOND, bought_by_earlier_rules, grow
from tests.ledger.test_signed import Keys, keys, public, put_name, signed, signed_plan  # noqa: F401  fixtures


def without(*names: str, plan: Plan | None = None) -> Plan:
    """Return the plan without some of its orders and deliveries. What waited for them waits for nothing in their place."""
    plan = plan or small_plan()
    links = [one for one in plan.links if not {one.before, one.after} & {*names}]
    kept = []
    for bought in plan.orders:
        tranches = tuple(one for one in bought.tranches if one.id not in names)
        whole = sum((one.quantity for one in tranches), Decimal(0))
        if bought.id not in names:
            kept.append(bought.model_copy(update={"tranches": tranches, "quantity": whole}))
    return plan.model_copy(update={"links": tuple(links), "orders": tuple(kept)})


def test_a_delivery_that_the_plan_dropped_is_still_owed(ledger: Ledger, look: Look, clock: Clock) -> None:
    """The supplier knows nothing of our plan, and the money is committed."""
    priced(ledger)
    receive(ledger, "pm", FIRST)
    adopt_plan(ledger, "pm", without(SECOND), reason="one pod")

    (row,) = orders(look(clock.now))
    assert row.size == "16 servers, 32 ordered"
    assert row.state == "part received"
    assert budget(look(clock.now))[0].received == Decimal(160_000)
    assert supply_named(look(clock.now), SECOND).quantity == "16 servers, not in the plan any more"
    assert not row.late
    receive(ledger, "pm", SECOND, 10)
    assert supply_named(look(clock.now), ORDER).quantity == "16 servers, 32 ordered"

    receive(ledger, "pm", SECOND)
    assert orders(look(clock.now))[0].state == "received"
    assert audit(ledger.site_dir) == []


def test_an_order_that_the_plan_dropped_can_come(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    adopt_plan(ledger, "pm", without(ORDER, FIRST, SECOND), reason="servers are leased")

    (row,) = orders(look(clock.now))
    assert row.size == "32 servers, not in the plan any more"
    assert (row.late, row.need_by, row.float_h) == (False, None, None)
    receive(ledger, "pm", FIRST)
    assert budget(look(clock.now))[0].received == Decimal(160_000)
    assert audit(ledger.site_dir) == []


def test_a_change_order_of_a_delivery_that_the_plan_dropped_is_decided(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """It could be neither approved nor refused, and no other change of the order could be asked for."""
    priced(ledger)
    ask_change(ledger, "sponsor", SECOND, quantity=8, reason="half a pod")
    adopt_plan(ledger, "pm", without(SECOND), reason="one pod")
    decide_change(ledger, "pm", "CO-0001", approved=True)
    assert require_order(look(clock.now), ORDER).ordered == 24

    ask_change(ledger, "sponsor", SECOND, quantity=0, reason="given up")
    decide_change(ledger, "pm", "CO-0002", approved=True)
    receive(ledger, "pm", FIRST)

    assert [one.state for one in changes(look(clock.now))] == ["approved", "approved"]
    (row,) = orders(look(clock.now))
    assert (row.size, row.state) == ("16 servers", "received")
    assert why(look(), SECOND).state_sentence == "nothing of it is to come."
    assert audit(ledger.site_dir) == []


def test_a_delivery_of_the_plan_is_for_something(ledger: Ledger) -> None:
    priced(ledger)
    with pytest.raises(InputError, match="cannot be for 0") as refused:
        ask_change(ledger, "sponsor", SECOND, quantity=0, reason="given up")
    assert "`clusterwright correct` takes an order back that was cancelled" in str(refused.value)


def test_an_entry_about_a_delivery_that_the_plan_dropped_is_taken_back(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    priced(ledger)
    shipped = ship(ledger, "pm", SECOND, shipped=clock.now.date(), carrier="Freight")
    adopt_plan(ledger, "pm", without(SECOND), reason="one pod")

    correct(ledger, "pm", shipped.seq, reason="it was another one")

    assert supply_named(look(clock.now), SECOND).state == "placed"
    assert audit(ledger.site_dir) == []


def test_what_the_plan_has_again_is_waited_for_again(ledger: Ledger, look: Look, clock: Clock, state: StateOf) -> None:
    priced(ledger)
    adopt_plan(ledger, "pm", without(SECOND), reason="one pod")
    adopt_plan(ledger, "pm", small_plan(), reason="two after all")

    assert orders(look(clock.now))[0].size == "32 servers"
    assert state("010@pod-002") == "blocked"
    receive(ledger, "pm", SECOND)
    assert state("010@pod-002") == "ready"


def test_a_delivery_of_which_the_plan_needs_no_more_is_here(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """Ten came of sixteen, and the plan wants ten: nothing more is waited for."""
    priced(ledger)
    receive(ledger, "pm", FIRST, 10)
    at = clock.now
    clock.forward(48)
    grow(ledger, servers=10)

    (row,) = orders(look(clock.now))
    assert row.tranches[0].received_at == at
    assert state("010@pod-001") == "ready"
    assert audit(ledger.site_dir) == []

    grow(ledger, servers=16)
    assert state("010@pod-001") == "blocked"


def test_a_change_order_is_of_the_plan_for_which_it_was_decided(ledger: Ledger, look: Look, clock: Clock) -> None:
    """A later plan that needs more is not met by what was decided before it."""
    priced(ledger)
    ask_change(ledger, "sponsor", FIRST, quantity=12, reason="four go elsewhere")
    decide_change(ledger, "pm", "CO-0001", approved=True)
    receive(ledger, "pm", FIRST)
    assert orders(look(clock.now))[0].tranches[0].received_at == clock.now

    adopt_plan(ledger, "pm", small_plan(), reason="nothing differs in it")
    assert orders(look(clock.now))[0].size == "28 servers"

    grow(ledger, servers=24)
    (row,) = orders(look(clock.now))
    assert row.size == "40 servers, 28 ordered"
    assert row.state == "part received"
    assert audit(ledger.site_dir) == []


def test_by_earlier_rules_a_change_order_stands_and_what_did_not_come_goes(
    site_dir: Path, clock: Clock, look: Look
) -> None:
    with bought_by_earlier_rules(site_dir, clock) as ledger:
        ask_change(ledger, "sponsor", FIRST, quantity=12, reason="four go elsewhere")
        decide_change(ledger, "pm", "CO-0001", approved=True)
        grow(ledger, servers=24)
        assert orders(look(clock.now))[0].tranches[0].quantity == 12

        adopt_plan(ledger, "pm", without(SECOND), reason="one pod")
        assert [one.id for one in orders(look(clock.now))[0].tranches] == [FIRST]
    assert audit(site_dir) == []


def test_an_order_that_was_placed_by_mistake_is_placed_anew_for_the_plan(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    priced(ledger)
    placed = next(row.seq for row in order_history(look(clock.now), ORDER) if row.kind == "order.placed")
    adopt_plan(ledger, "pm", without(SECOND), reason="one pod")
    correct(ledger, "pm", placed, reason="by mistake")

    order(ledger, "pm", ORDER, value="160000")

    assert require_order(look(clock.now), ORDER).ordered == 16
    receive(ledger, "pm", FIRST)
    assert budget(look(clock.now))[0].received == Decimal(160_000)
    assert audit(ledger.site_dir) == []


def test_a_signed_site_decides_on_what_the_plan_dropped(signed: Ledger, keys: Keys) -> None:  # noqa: F811
    """What a decision works out from signed events is what the file says of the order."""
    start(signed, "tech", "001@site")
    finish(signed, "tech", "001@site")
    put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"))
    order(signed, "pm", ORDER, value="320000")
    receive(signed, "pm", FIRST, 10)
    ask_change(signed, "sponsor", SECOND, quantity=8, reason="half a pod")
    plan = without(SECOND, plan=signed_plan(keys))
    put_name(signed, keys["pm"], lambda: adopt_plan(signed, "pm", plan, reason="one pod"))

    for number, delivery, quantity in ((1, SECOND, 8), (2, SECOND, 0), (3, FIRST, 10)):
        if number > 1:
            ask_change(signed, "sponsor", delivery, quantity=quantity, reason="fewer")
        put_name(signed, keys["pm"], partial(decide_change, signed, "pm", f"CO-000{number}", approved=True))

    with open_snapshot(signed.site_dir) as snapshot:
        assert require_order(snapshot, ORDER).state == "received"
    assert audit(signed.site_dir) == []


def test_a_signed_site_decides_on_what_it_bought_before_the_rules_were_raised(
    site_dir: Path,
    clock: Clock,
    keys: Keys,  # noqa: F811  the fixture
    look: Look,
) -> None:
    with earlier_rules(4):
        site = begun(site_dir, clock, owner_key=public(keys, "pm"))
    with site:
        put_name(site, keys["pm"], lambda: adopt_plan(site, "pm", signed_plan(keys), reason="first plan"))
        start(site, "tech", "001@site")
        finish(site, "tech", "001@site")
        put_name(site, keys["lead"], lambda: sign(site, "lead", "001@site"))
        order(site, "pm", ORDER, value="320000")
        put_name(site, keys["pm"], lambda: raise_rules(site, "pm", "what is missing is waited for"))
        plan = without(SECOND, plan=signed_plan(keys))
        put_name(site, keys["pm"], lambda: adopt_plan(site, "pm", plan, reason="one pod"))

        ask_change(site, "sponsor", SECOND, quantity=0, reason="nobody needs it")
        put_name(site, keys["pm"], lambda: decide_change(site, "pm", "CO-0001", approved=True))

        assert require_order(look(clock.now), ORDER).ordered == 16
    assert audit(site_dir) == []
