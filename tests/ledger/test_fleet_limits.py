"""A criterion that also holds servers against each other: in the verdict, in the questions, and after a rebuild."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from ledger.entries import RunOutcome
from ledger.questions.why import criteria
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.acceptance.measured import Measured
from tests.ledger.conftest import Clock, Look, StateOf, criterion, small_plan
from tests.ledger.journey import bought, passed, racked, take

METRIC = "nccl.allreduce_busbw_node"
BUSBW = criterion(METRIC, ">=", Decimal(431), "GB/s") | {"each": "host", "fleet_z": Decimal(5)}
NAME = "030@pod-001"


@pytest.fixture
def ledger(empty: Ledger, clock: Clock) -> Iterator[Ledger]:
    plan = small_plan().model_dump()
    for activity in plan["activities"]:
        if activity["step"] == "030":
            activity["criteria"] = [BUSBW]
    adopt_plan(empty, "pm", small_plan(activities=plan["activities"]), reason="first plan", baseline="B0")
    bought(empty)
    racked(empty)
    passed(empty, clock)
    take(empty, NAME)
    yield empty
    assert audit(empty.site_dir) == []


def measured(*values: int) -> RunOutcome:
    return RunOutcome("ok", measurements=tuple(
        Measured(METRIC, Decimal(value), "GB/s", f"n{n}", "nccl-tests") for n, value in enumerate(values)
    ))  # fmt: skip


def test_slow_but_legal_server_fails_with_its_likely_causes(ledger: Ledger, state: StateOf, look: Look) -> None:
    settle(ledger, "engine-1", NAME, measured(472, 471, 473, 440, 472, 470))

    (found,) = criteria(look(), NAME)
    assert state(NAME) == "checked_not_met"
    assert (found.verdict, found.worst, found.fleet_z) == ("failed", "n3", Decimal(5))
    assert found.causes[0].startswith("one GPU is slow: compare clocks")


def test_servers_that_are_alike_pass(ledger: Ledger, state: StateOf, look: Look) -> None:
    settle(ledger, "engine-1", NAME, measured(472, 471, 473, 472, 472, 470))

    (found,) = criteria(look(), NAME)
    assert (state(NAME), found.verdict, found.causes) == ("done", "met", ())


def test_servers_that_are_slow_alike_fail(ledger: Ledger, look: Look) -> None:
    settle(ledger, "engine-1", NAME, measured(300, 300, 300, 300, 300, 300))

    (found,) = criteria(look(), NAME)
    assert (found.verdict, found.measured) == ("failed", "0 of 6 met, worst 300 GB/s")
