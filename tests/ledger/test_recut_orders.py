"""A plan that cuts an order into other deliveries after it went out: what was ordered and what came goes to the pods that have it now."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ledger.questions.orders import budget, orders
from ledger.questions.why import why
from ledger.revising import recut_by
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.decisions import order, promise
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from steps.planning.plan import Plan
from tests.ledger.conftest import Clock, Look, StateOf, small_plan
from tests.ledger.test_buying import FIRST, ORDER, priced
from tests.ledger.test_grown_orders import SECOND, bought_by_earlier_rules
from tests.ledger.test_shrunk_orders import without
from tests.ledger.test_signed import Keys, keys, put_name, signed, signed_plan  # noqa: F401  fixtures


def in_one(plan: Plan | None = None) -> Plan:
    """Return the plan with all servers in one delivery, for both pods."""
    plan = plan or small_plan()
    (order,) = plan.orders
    units = tuple(unit for one in order.tranches for unit in one.units)
    whole = order.tranches[0].model_copy(update={"quantity": order.quantity, "units": units})
    links = []
    for link in plan.links:
        if SECOND not in {link.before, link.after}:
            links.append(link)
        elif link.before == SECOND:
            links.append(replace(link, before=FIRST))
    bought = order.model_copy(update={"tranches": (whole,)})
    return plan.model_copy(update={"orders": (bought,), "links": tuple(links)})


def held(look: Look, clock: Clock) -> dict[str, tuple[Any, ...]]:
    """Return how much each delivery is for, how much of it was ordered, and how much came."""
    (row,) = orders(look(clock.now))
    return {one.id: (one.quantity, one.ordered, one.received_quantity) for one in row.tranches}


def test_what_was_ordered_in_two_deliveries_is_ordered_in_one(ledger: Ledger, look: Look, clock: Clock) -> None:
    """All of it was: nobody is to order the rest."""
    priced(ledger)
    receive(ledger, "pm", SECOND)
    adopt_plan(ledger, "pm", in_one(), reason="in one lot")

    assert held(look, clock) == {FIRST: (32, 32, 16), SECOND: (0, 0, 0)}
    assert orders(look(clock.now))[0].size == "32 servers"
    assert why(look(), FIRST).needs == (f"to be received: clusterwright receive '{FIRST}'",)
    assert budget(look(clock.now))[0].received == Decimal(160_000)
    assert audit(ledger.site_dir) == []


def test_the_rest_comes_and_all_pods_begin(ledger: Ledger, clock: Clock, look: Look, state: StateOf) -> None:
    priced(ledger)
    receive(ledger, "pm", SECOND)
    adopt_plan(ledger, "pm", in_one(), reason="in one lot")
    assert state("010@pod-002") == "blocked"

    receive(ledger, "pm", FIRST)

    assert orders(look(clock.now))[0].state == "received"
    assert (state("010@pod-001"), state("010@pod-002")) == ("ready", "ready")
    assert audit(ledger.site_dir) == []


def test_what_came_in_one_delivery_is_here_for_each_pod(
    ledger: Ledger, clock: Clock, look: Look, state: StateOf
) -> None:
    adopt_plan(ledger, "pm", in_one(), reason="in one lot")
    priced(ledger)
    receive(ledger, "pm", FIRST, 20)
    came = clock.now
    clock.forward(24)
    adopt_plan(ledger, "pm", small_plan(), reason="a lot a pod")

    assert held(look, clock) == {FIRST: (16, 16, 16), SECOND: (16, 16, 4)}
    assert orders(look(clock.now))[0].tranches[0].received_at == came
    assert (state("010@pod-001"), state("010@pod-002")) == ("ready", "blocked")


def test_the_latest_promise_is_that_of_the_delivery_that_has_its_pods(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    promise(ledger, "pm", SECOND, date(2026, 5, 1), reason="allocation")
    adopt_plan(ledger, "pm", in_one(), reason="in one lot")

    assert orders(look(clock.now))[0].promised_last == date(2026, 5, 1)


def test_a_receipt_is_taken_back_out_of_what_it_went_to(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    priced(ledger)
    receive(ledger, "pm", FIRST)
    wrong = receive(ledger, "pm", SECOND)
    adopt_plan(ledger, "pm", in_one(), reason="in one lot")
    assert state("010@pod-001") == "ready"

    correct(ledger, "pm", wrong.seq, reason="they were another site's")

    assert held(look, clock) == {FIRST: (32, 32, 16), SECOND: (0, 0, 0)}
    assert state("010@pod-001") == "blocked"
    assert audit(ledger.site_dir) == []


def test_goods_stay_where_no_pod_moves(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    assert recut_by(look(clock.now), small_plan()) == []
    assert recut_by(look(clock.now), without(SECOND)) == []


def test_a_signed_site_believes_what_the_adoption_says(signed: Ledger, keys: Keys) -> None:  # noqa: F811
    """A decision there works out from signed events what came."""
    start(signed, "tech", "001@site")
    finish(signed, "tech", "001@site")
    put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"))
    plan = signed_plan(keys)
    unseen = [replace(one, policy=replace(one.policy, evidence=())) for one in plan.activities]
    plan = plan.model_copy(update={"activities": tuple(unseen)})
    put_name(signed, keys["pm"], lambda: adopt_plan(signed, "pm", in_one(plan), reason="in one lot"))
    order(signed, "pm", ORDER)
    receive(signed, "pm", FIRST, 20)
    put_name(signed, keys["pm"], lambda: adopt_plan(signed, "pm", plan, reason="a lot a pod"))

    start(signed, "tech", "010@pod-001")
    finish(signed, "tech", "010@pod-001")
    put_name(signed, keys["lead"], lambda: sign(signed, "lead", "010@pod-001"))
    with pytest.raises(NotSatisfiedError):
        start(signed, "tech", "010@pod-002")
    assert audit(signed.site_dir) == []


def test_by_earlier_rules_deliveries_keep_what_they_had(site_dir: Path, clock: Clock, look: Look) -> None:
    with bought_by_earlier_rules(site_dir, clock) as ledger:
        receive(ledger, "pm", SECOND)
        adopt_plan(ledger, "pm", in_one(), reason="in one lot")

        assert held(look, clock) == {FIRST: (32, 32, 0), SECOND: (16, 16, 16)}
    assert audit(site_dir) == []
