"""A buyer's way through every procure step of every preset: each verb is open when it is wanted, and every hint can be typed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from clusterwright.planning import plan_of
from ledger.questions.case import require_activity
from ledger.questions.orders import orders as all_orders
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.orders import decisions as orders
from ledger.subjects.orders import delivery_decisions as deliveries
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds import signed as sign_off
from ledger.subjects.work import decisions as work
from ledger.subjects.work import evidence_decisions as evidence
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, NotSatisfiedError
from steps.acceptance.meeting import value_that_meets
from steps.catalog.terms import Kind
from steps.design.preset import preset_names
from steps.planning.activity import PlanActivity
from steps.planning.plan import Person, Plan, PlanOrder
from tests.commands import called
from tests.ledger.conftest import begun
from tests.ledger.malicious import photo

LARGE = {
    "deepseek-2k",
    "localhost",
    "a100-superpod",
    "gb200-nvl72-su",
    "xai-100k",
    "meta-24k",
    "llama3-16k",
    "h100-10k",
    "gb200-nvl72",
    "h100-1000-servers",
    "tpu-v5p-pod",
}
"""Presets whose plans take seconds."""

UNITS = ("site", "hall-1", "pod-001")
ONLY_AFTER = {"order-acknowledgement": "acknowledge"}
"""Evidence that nobody has before a supplier has accepted the order, and the verb that records it."""

NOW = datetime(2027, 1, 4, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "preset", [pytest.param(name, marks=pytest.mark.slow if name in LARGE else ()) for name in preset_names()]
)
def test_a_buyer_can_walk_every_procure_step(tmp_path: Path, preset: str) -> None:
    """Decide, release the purchase order, place it, hear from the supplier, and receive it, in this order and no other."""
    folder = tmp_path / "site"
    assert called(("init", "--preset", preset, "--start", "2027-01-04", folder)).returncode == 0
    plan = bought_alone(plan_of(folder))
    with begun(folder, lambda: NOW) as ledger:
        adopt_plan(ledger, "pm", plan, reason="first")
        waiting = hints_of_orders(ledger, plan)
        for activity in in_order(plan):
            decide(ledger, activity)
            for order in (order for order in plan.orders if order.id.startswith(f"{activity.id}#")):
                buy(ledger, order)
        with open_snapshot(folder, NOW) as snapshot:
            assert {order.state for order in all_orders(snapshot)} <= {"received"}
            assert all(require_activity(snapshot, a.id).state is State.DONE for a in plan.activities)
    said = [called((*shlex.split(hint.partition(";")[0])[1:], "--site", folder)) for hint in waiting[:2]]
    assert [(ran.returncode, ran.stderr) for ran in said] == [(0, "")] * len(said)


def bought_alone(plan: Plan) -> Plan:
    """Return a plan's procure steps with their orders, at the first unit of each kind, and a person for each hand."""
    kept = [a for a in plan.activities if a.kind is Kind.PROCURE and a.unit in UNITS and a.applicable]
    names = {a.id for a in kept}
    mine = [order for order in plan.orders if order.id.partition("#")[0] in names]
    nodes = names | {order.id for order in mine} | {t.id for order in mine for t in order.tranches}
    roles = tuple({role: None for a in kept for role in a.policy.roles})
    people = [Person(id="pm", name="pm", roles=("owner-pm",), account="pm")]
    people += [Person(id="buyer", name="buyer", roles=("buyer",), account="buyer")]
    people += [Person(id=f"signs-{role}", name=role, roles=(role,), account=f"signs-{role}") for role in roles]
    return plan.model_copy(
        update={
            "activities": tuple(replace(a, completed_by=()) for a in kept),
            "orders": tuple(mine),
            "links": tuple(
                replace(link, lag_h=0.0) for link in plan.links if link.before in nodes and link.after in nodes
            ),
            "people": tuple(people),
        }
    )


def in_order(plan: Plan) -> Iterator[PlanActivity]:
    """Yield the procure steps, each after those that it waits for."""
    left = {a.id: a for a in plan.activities}
    waits = {(link.after.partition("#")[0], link.before.partition("#")[0]) for link in plan.links}
    while left:
        free = [name for name in left if not any(a == name and b in left and b != name for a, b in waits)]
        assert free, f"each waits for another: {sorted(left)}"
        for name in free:
            yield left.pop(name)


def hints_of_orders(ledger: Ledger, plan: Plan) -> list[str]:
    """Return what the refusals of orders that are placed too early say to type."""
    hints = []
    for order in plan.orders:
        with pytest.raises(NotSatisfiedError) as early:
            orders.order(ledger, "buyer", order.id)
        with pytest.raises(NotSatisfiedError) as unplaced:
            orders.acknowledge(ledger, "buyer", order.id, on=NOW.date(), reference="AB 1")
        assert unplaced.value.hint == f"clusterwright order '{order.id}'"
        hints.append(early.value.hint)
    return hints


def decide(ledger: Ledger, activity: PlanActivity) -> None:
    """Work on a procure step with what its buyer has at that time, and approve it."""
    name, policy = activity.id, activity.policy
    work.start(ledger, "buyer", name)
    for c in activity.criteria:
        work.measure(ledger, "buyer", name, c.metric, value_that_meets(c), c.unit)
    work.finish(ledger, "buyer", name)
    for kind in policy.evidence:
        assert kind not in ONLY_AFTER, f"{name} asks for {kind} before `{ONLY_AFTER[kind]}` is open"
        evidence.attach(ledger, "buyer", name, photo(), kind, name=f"{kind}.jpg")
    for role in policy.roles[: policy.quorum]:
        sign_off.sign(ledger, f"signs-{role}", name, role=role)


def buy(ledger: Ledger, order: PlanOrder) -> None:
    """Place an order, record what the supplier says, and receive every delivery."""
    orders.order(ledger, "buyer", order.id, supplier="ACME", reference="PO 1")
    orders.acknowledge(ledger, "buyer", order.id, on=NOW.date(), reference="AB 1")
    for tranche in order.tranches:
        deliveries.ship(ledger, "buyer", tranche.id, shipped=NOW.date(), carrier="van")
        if order.serialised:
            with pytest.raises(ClusterwrightError, match="serial numbers"):
                deliveries.receive(ledger, "buyer", tranche.id)
        deliveries.receive(ledger, "buyer", tranche.id, unscanned="sealed crates")
