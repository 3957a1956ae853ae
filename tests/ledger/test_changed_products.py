"""A plan that has another product after an order went out: who looks at the order sees it, until somebody has agreed on it with the supplier."""

from __future__ import annotations

from clusterwright.plan_diff import other_products
from clusterwright.reports.asked import Asked
from clusterwright.reports.tables import orders_table
from clusterwright.week_report import week_report
from ledger.evidence.plans import read_plan
from ledger.questions.orders import require_order
from ledger.questions.reminders import reminders
from ledger.questions.why import why
from ledger.subjects.orders.change_decisions import ask_change, decide_change
from ledger.subjects.plan.decisions import adopt_plan
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.catalog.loader import read_catalog
from steps.design.figures import choice_specs, figure_specs
from steps.design.products import MADE_FOR, product_changes
from steps.planning.plan import Plan
from tests.ledger.conftest import Clock, Look, small_plan
from tests.ledger.test_buying import ORDER, priced


def with_gpus(memory_gb: float) -> Plan:
    """Return the plan with servers whose GPUs have so much memory."""
    return small_plan(figures={"gpu_memory_gb": memory_gb})


def test_an_order_is_for_the_product_of_the_plan_in_which_it_was_placed(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """Servers of the old model would be counted for the new plan, and nobody would call the supplier."""
    adopt_plan(ledger, "pm", with_gpus(80), reason="as designed")
    priced(ledger)
    clock.forward(1)
    adopt_plan(ledger, "pm", with_gpus(180), reason="the next model")
    now = look(clock.now)

    said = "32 servers, ordered for gpu_memory_gb 80, now 180"
    assert require_order(now, ORDER).size == said
    assert any(said in need for need in why(now, ORDER).needs)
    assert [line.note for line in week_report(now).sections["Orders due"]] == [said]
    at_risk = [row[3] for row in orders_table(Asked(now, "week")).rows]
    assert [cell.startswith("another product, ") for cell in at_risk] == [True]
    assert [row.person for row in reminders(now) if row.kind == "product"] == ["tech"]

    clock.forward(1)
    ask_change(ledger, "sponsor", ORDER, value=400_000, reason="the next model for 80,000 more")
    decide_change(ledger, "pm", "CO-0001", approved=True)

    assert require_order(look(clock.now), ORDER).size == "32 servers"
    assert audit(ledger.site_dir) == []


def test_the_next_plan_says_of_which_orders_it_has_another_product(ledger: Ledger, look: Look, clock: Clock) -> None:
    adopt_plan(ledger, "pm", with_gpus(80), reason="as designed")
    priced(ledger)

    (stands,) = other_products(look(clock.now), read_plan(look()), with_gpus(180))

    assert (stands.what, stands.id, stands.after) == ("order stands", ORDER, "gpu_memory_gb 80, now 180")


def test_a_figure_that_makes_no_other_product_says_nothing(ledger: Ledger, look: Look, clock: Clock) -> None:
    adopt_plan(ledger, "pm", small_plan(figures={"node_usd": 300_000}), reason="as designed")
    priced(ledger)
    clock.forward(1)
    adopt_plan(ledger, "pm", small_plan(figures={"node_usd": 350_000, "gpu_memory_gb": 80}), reason="prices")

    assert require_order(look(clock.now), ORDER).size == "32 servers"


def test_every_item_and_every_design_value_of_products_is_there() -> None:
    """One that was renamed would never differ."""
    bought = {supply.item for entry in read_catalog().values() for supply in entry.step.supplies}
    values = figure_specs().keys() | choice_specs().keys()

    assert bought >= MADE_FOR.keys()
    assert values >= {name for names in MADE_FOR.values() for name in names}


def test_a_design_of_an_earlier_release_that_lacks_a_value_says_nothing_of_it() -> None:
    assert product_changes("leaf-switch", {"fabric": "infiniband"}, {"fabric": "roce", "link_gb_s": 400.0}) == (
        "fabric infiniband, now roce"
    )
