"""Buying: money, what suppliers say, change orders, and whose people may report."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from msgspec.structs import replace

from ledger.questions.activities import activities
from ledger.questions.inbox import inbox
from ledger.questions.orders import budget, changes, order_history, orders, require_order
from ledger.questions.supplies import supply_named
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.change_decisions import ask_change, decide_change
from ledger.subjects.orders.decisions import acknowledge, expedite, order, promise
from ledger.subjects.orders.delivery_decisions import receive, ship
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import assign, finish, progress, start
from ledger.subjects.work.kinds.organisation_assigned import assign_organisation
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError, WaitingError
from steps.planning.dates.dating import solved
from tests.ledger.conftest import PEOPLE, Clock, Look, StateOf, account_of, small_plan
from tests.ledger.test_signed import Keys, keys, put_name, signed  # noqa: F401  fixtures

ORDER = "001@site#gpu-server"
FIRST = f"{ORDER}/1"
OF = {"tech": "Sparks Ltd", "lead": "Sparks Ltd", "guest": "Pipes Ltd"}


def priced(ledger: Ledger, **given: str) -> None:
    """Decide on and place the order, for money."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")
    said = {"supplier": "ACME", "reference": "PO 1", "value": "320000.00", "budget_line": "servers"} | given
    order(ledger, "pm", ORDER, **said)  # type: ignore[arg-type]


def with_contractors(ledger: Ledger) -> None:
    """Put people of two contractors in force, and a procurement lead."""
    people = [
        {"id": key, "name": name, "roles": roles, "account": account_of(key), "organisation": OF.get(key, "")}
        for key, (name, roles) in PEOPLE.items()
    ]
    people.append({"id": "buys", "name": "Bea", "roles": ["procurement-lead"], "account": account_of("buys")})
    adopt_plan(ledger, "pm", small_plan(people=people), reason="contractors")


def test_an_order_is_needed_by_the_day_on_which_its_late_delivery_is(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Not by that of the first delivery, which may be in time."""
    plan = solved(small_plan()).plan
    first, second = plan.orders[0].tranches
    assert second.dates is not None
    needed = second.dates.late_finish + timedelta(days=40)
    later = second.model_copy(update={"dates": replace(second.dates, late_finish=needed)})
    moved = plan.orders[0].model_copy(update={"tranches": (first, later)})
    adopt_plan(ledger, "pm", plan.model_copy(update={"orders": (moved,)}), reason="pod 2 is later")
    priced(ledger)
    promise(ledger, "pm", later.id, needed.date() + timedelta(days=7), reason="allocation")

    (row,) = orders(look(clock.now))

    assert (row.days_late, row.need_by) == (7, needed)
    assert supply_named(look(clock.now), ORDER).need_by == needed


def test_money_is_committed_received_and_open_by_budget_line(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Half of the goods are here, so half of the money is; expediting is committed too."""
    priced(ledger)
    expedite(ledger, "pm", ORDER, reason="transformer slipped", cost="1000.50")
    receive(ledger, "pm", FIRST)

    (row,) = budget(look(clock.now))

    assert (row.budget_line, row.currency, row.orders, row.unpriced) == ("servers", "EUR", 1, 0)
    assert row.committed == Decimal("321000.50")
    assert row.received == Decimal("160500.25")
    assert row.open == Decimal("160500.25")


def test_an_order_without_a_value_is_counted_and_adds_nothing(ledger: Ledger, look: Look, clock: Clock) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")
    order(ledger, "pm", ORDER)

    assert [(r.unpriced, r.committed, r.currency) for r in budget(look(clock.now))] == [(1, Decimal(0), "")]


@pytest.mark.parametrize("value", ["-1", "NaN", "Infinity", "1.00001", "a lot", "1e15"])
def test_a_value_that_is_no_amount_of_money_is_refused(ledger: Ledger, value: str) -> None:
    with pytest.raises(InputError, match="the value of an order"):
        priced(ledger, value=value)


def test_a_currency_is_a_code_and_an_order_has_one(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="no currency code"):
        priced(ledger, currency="euros")
    order(ledger, "pm", ORDER, value="1", currency="usd")

    with pytest.raises(InputError, match="is in USD, not EUR"):
        expedite(ledger, "pm", ORDER, reason="soon", cost="5", currency="EUR")


def test_every_date_a_supplier_named_stays_in_the_history(ledger: Ledger, look: Look, clock: Clock) -> None:
    """The third date is worth as much as the first two were."""
    priced(ledger)
    acknowledge(ledger, "pm", ORDER, on=clock.now.date(), reference="SO 77", promised=date(2026, 3, 1))
    promise(ledger, "pm", ORDER, date(2026, 3, 20), reason="no memory")
    promise(ledger, "pm", FIRST, date(2026, 4, 2), reason="still none")
    ship(ledger, "pm", FIRST, shipped=clock.now.date(), carrier="DHL", tracking="X1", handling="shock 25 g")
    receive(ledger, "pm", FIRST)

    said = [h.said for h in order_history(look(), ORDER)]

    assert said == [
        "placed with ACME as PO 1 for 320000.00 EUR on servers",
        "acknowledged on 2026-01-05 as SO 77, promised for 2026-03-01",
        "another date: no memory, promised for 2026-03-20, before 2026-03-01",
        "another date: still none, promised for 2026-04-02, before 2026-03-20",
        "shipped on 2026-01-05 by DHL (X1); shock 25 g",
        "16 received and complete",
    ]
    row = orders(look(clock.now))[0]
    assert (row.acknowledged, row.acknowledgement) == (date(2026, 1, 5), "SO 77")
    assert (row.tranches[0].carrier, row.tranches[0].shipped) == ("DHL", date(2026, 1, 5))
    with pytest.raises(InputError, match="there is no order"):
        order_history(look(), "001@site#gpu-servers")


def test_the_history_of_an_order_says_what_was_taken_back(ledger: Ledger, look: Look) -> None:
    """A date that was entered by mistake is not the one before the next, and both sentences say so."""
    priced(ledger)
    wrong = promise(ledger, "pm", FIRST, date(2026, 3, 20), reason="no memory")
    gone = correct(ledger, "pm", wrong.seq, "another order's date")
    promise(ledger, "pm", FIRST, date(2026, 4, 2), reason="no memory")

    said = [h.said for h in order_history(look(), ORDER)]

    assert said[1:] == [
        f"another date: no memory, promised for 2026-03-20 (taken back by event {gone.seq})",
        f"takes back event {wrong.seq}: another order's date",
        "another date: no memory, promised for 2026-04-02",
    ]


def test_nothing_is_acknowledged_or_shipped_before_it_is_ordered_or_ahead_of_its_day(
    ledger: Ledger, clock: Clock
) -> None:
    with pytest.raises(NotSatisfiedError, match="not placed"):
        acknowledge(ledger, "pm", ORDER, on=clock.now.date(), reference="SO")
    priced(ledger)
    with pytest.raises(InputError, match="has not come"):
        ship(ledger, "pm", FIRST, shipped=date(2026, 2, 1), carrier="DHL")


def test_a_surplus_is_refused_until_another_person_decides_to_keep_it(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    with_contractors(ledger)
    priced(ledger)
    with pytest.raises(InputError, match="16 outstanding, so not 17") as refused:
        receive(ledger, "pm", FIRST, 17)
    assert "change request" in refused.value.hint

    ask_change(ledger, "pm", FIRST, quantity=17, value="330000", reason="one more came")
    with pytest.raises(NotSatisfiedError, match="pm asked for CO-0001"):
        decide_change(ledger, "pm", "CO-0001", approved=True)
    with pytest.raises(NotSatisfiedError, match="may not decide"):
        decide_change(ledger, "tech", "CO-0001", approved=True)
    assert [r.action for r in inbox(look(clock.now), "buys")] == ["change"]
    assert "change" not in [r.action for r in inbox(look(clock.now), "pm")]
    decide_change(ledger, "buys", "CO-0001", approved=True)
    receive(ledger, "pm", FIRST, 17)

    row = orders(look(clock.now))[0]
    assert (row.quantity, row.value, row.tranches[0].received_quantity) == (Decimal(33), Decimal(330000), Decimal(17))
    assert state("010@pod-001") == "ready"
    assert [(c.state, c.role, c.asked_by) for c in changes(look(), ORDER)] == [("approved", "procurement-lead", "pm")]
    assert audit(ledger.site_dir) == []


def test_a_refused_change_changes_nothing_and_keeps_its_reason(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    ask_change(ledger, "sponsor", ORDER, value="1", reason="rebate")
    with pytest.raises(NotSatisfiedError, match=r"CO-0001 .* waits"):
        ask_change(ledger, "sponsor", FIRST, quantity=3, reason="another")
    with pytest.raises(InputError, match="a refusal needs a reason"):
        decide_change(ledger, "pm", "CO-0001", approved=False)
    decide_change(ledger, "pm", "CO-0001", approved=False, reason="not agreed")

    assert orders(look(clock.now))[0].value == Decimal("320000.00")
    assert [(c.state, c.comment) for c in changes(look())] == [("refused", "not agreed")]
    with pytest.raises(NotSatisfiedError, match="was refused by pm"):
        decide_change(ledger, "pm", "CO-0001", approved=True)


def test_a_delivery_cut_to_what_came_is_complete(ledger: Ledger, state: StateOf) -> None:
    """What will never come must not hold up the pod for ever."""
    priced(ledger)
    receive(ledger, "pm", FIRST, 15)
    with pytest.raises(NotSatisfiedError, match="15 of"):
        ask_change(ledger, "sponsor", FIRST, quantity=14, reason="short")
    with pytest.raises(InputError, match="2 deliveries"):
        ask_change(ledger, "sponsor", ORDER, quantity=15, reason="which")
    ask_change(ledger, "sponsor", FIRST, quantity=15, reason="one is not made any more")
    assert state("010@pod-001") == "blocked"

    decide_change(ledger, "pm", "CO-0001", approved=True)

    assert state("010@pod-001") == "ready"
    assert audit(ledger.site_dir) == []


def test_a_change_order_outlives_the_next_plan(ledger: Ledger, look: Look, clock: Clock) -> None:
    priced(ledger)
    ask_change(ledger, "sponsor", FIRST, quantity=18, reason="spares")
    decide_change(ledger, "pm", "CO-0001", approved=True)
    adopt_plan(ledger, "pm", small_plan(), reason="again")

    assert orders(look(clock.now))[0].quantity == 34


def test_a_change_is_in_the_currency_of_the_plan_under_which_it_was_asked_for(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """70,000 euros were asked for, and 70,000 dollars were approved."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")
    order(ledger, "pm", ORDER)
    ask_change(ledger, "sponsor", ORDER, value="70000", reason="a price at last")
    adopt_plan(ledger, "pm", small_plan(currency="USD"), reason="in dollars")
    assert changes(look(clock.now))[0].currency == "EUR"

    decide_change(ledger, "pm", "CO-0001", approved=True)

    assert require_order(look(clock.now), ORDER).currency == "EUR"
    assert changes(look(clock.now))[0].currency == "EUR"
    assert audit(ledger.site_dir) == []


def test_a_change_is_signed_where_the_site_signs(signed: Ledger, keys: Keys) -> None:  # noqa: F811
    start(signed, "tech", "001@site")
    finish(signed, "tech", "001@site")
    put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"))
    order(signed, "pm", ORDER, value="10")
    ask_change(signed, "sponsor", ORDER, value="12", reason="freight")
    with pytest.raises(WaitingError, match="needs a signature"):
        decide_change(signed, "pm", "CO-0001", approved=True)

    event = put_name(signed, keys["pm"], lambda: decide_change(signed, "pm", "CO-0001", approved=True))

    assert "approves CO-0001 of 001@site#gpu-server: value 10 to 12" in event.payload.statement  # type: ignore[attr-defined]
    assert audit(signed.site_dir) == []


def test_an_audit_finds_a_change_that_its_asker_decided(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who can write the file can append an event, and it still breaks the rule."""
    priced(ledger)
    ask_change(ledger, "pm", ORDER, value="12", reason="freight")
    with monkeypatch.context() as patched:
        patched.setattr("ledger.questions.moment.Moment.may", lambda *_, **__: "owner-pm")
        decide_change(ledger, "pm", "CO-0001", approved=True)

    assert ["asked for CO-0001" in f.message for f in audit(ledger.site_dir)] == [True]


def test_only_the_contractors_people_and_the_owner_report_its_work(ledger: Ledger, look: Look, clock: Clock) -> None:
    with_contractors(ledger)
    with pytest.raises(NotSatisfiedError, match="may not assign"):
        assign_organisation(ledger, "tech", "001@site", "Pipes Ltd")
    with pytest.raises(InputError, match="nobody at this site belongs to 'Pipers'") as unknown:
        assign_organisation(ledger, "pm", "001@site", "Pipers")
    assert unknown.value.hint.startswith("did you mean Pipes Ltd? organisations: Pipes Ltd, Sparks Ltd; ")
    assign_organisation(ledger, "pm", "001@site", "pipes  ltd")

    with pytest.raises(NotSatisfiedError, match=r"is Pipes Ltd's, and tech \(Sparks Ltd\) may not report"):
        start(ledger, "tech", "001@site")
    with pytest.raises(NotSatisfiedError, match="may not report"):
        assign(ledger, "guest", "001@site", "tech")
    start(ledger, "guest", "001@site")
    progress(ledger, "pm", "001@site", percent=50)
    with pytest.raises(NotSatisfiedError, match="may not report"):
        finish(ledger, "tech", "001@site")

    assert [r.id for r in activities(look(clock.now), organisation="Pipes Ltd")] == ["001@site"]
    assert "001@site" not in [r.activity for r in inbox(look(clock.now), "tech")]


def test_an_organisation_also_has_what_its_people_were_given(ledger: Ledger, look: Look, clock: Clock) -> None:
    with_contractors(ledger)
    assign(ledger, "pm", "001@site", "tech")

    (row,) = activities(look(clock.now), organisation="sparks ltd")

    assert (row.id, row.whose) == ("001@site", "Sparks Ltd")


def test_an_order_of_an_organisation_is_reported_by_its_people_and_by_buyers(ledger: Ledger, clock: Clock) -> None:
    with_contractors(ledger)
    priced(ledger, organisation="Pipes Ltd")
    with pytest.raises(NotSatisfiedError, match="people of Pipes Ltd may"):
        promise(ledger, "tech", ORDER, date(2026, 3, 1), reason="late")

    acknowledge(ledger, "guest", ORDER, on=clock.now.date(), reference="SO 1")
    promise(ledger, "guest", ORDER, date(2026, 2, 27), reason="their own word")
    promise(ledger, "buys", ORDER, date(2026, 3, 1), reason="they called")
    ship(ledger, "guest", FIRST, shipped=clock.now.date(), carrier="DHL")
    receive(ledger, "pm", FIRST)
    assert audit(ledger.site_dir) == []
