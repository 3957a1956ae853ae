"""What a plan revision undoes: shown before it is adopted, done when it is, by one rule."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import asdict

from ledger.entries import RunOutcome
from ledger.evidence.plans import store_plan
from ledger.log.chain import Draft
from ledger.log.upcasting import upcast
from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.decisions_needed import decisions_needed
from ledger.questions.records import runs
from ledger.questions.why import may_finish, why
from ledger.reading import open_snapshot
from ledger.revising import consequences_of
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.plan.payloads import PlanAdopted
from ledger.subjects.plan.revision_rules import Consequences
from ledger.subjects.plan.upgrading_rules import Upgrade, implies
from ledger.subjects.runs.decisions import settle
from ledger.subjects.work.decisions import finish, reopen, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.planning.activity import PlanCriterion
from steps.planning.plan import Plan
from tests.ledger.conftest import T0, Clock, Look, activity, criterion, link, small_plan
from tests.ledger.journey import bought, passed, racked, take, verified
from tests.ledger.test_planning import revised

POWER = {"kind": "compute", "phase": "power", "policy": {"needed": "by-hand"}}


def computing(mw: float, **changes: dict[str, Any]) -> Plan:
    """Return the small plan with power worked out from the design, a review after it, and one beside it."""
    plan = small_plan().model_dump(mode="json")
    extra = [
        activity("072@site", criteria=[criterion("power.it_mw", ">", 0, "MW")], **_copied()),
        activity("071@site", criteria=[criterion("power.node_kw", ">", 0, "kW")], **_copied()),
        activity("073@site", phase="power"),
    ]
    given = [a | changes.get(a["id"], {}) for a in plan["activities"] + extra]
    links = plan["links"] + [link("071@site", "072@site"), link("072@site", "073@site")]
    return small_plan(activities=given, links=links, design={"nodes": 32, "node_kw": 10.2, "it_mw": mw})


def _copied() -> dict[str, Any]:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in POWER.items()}


def worked_out(ledger: Ledger, name: str, metric: str, value: str, unit: str) -> None:
    """Have the engine work it out."""
    assert take(ledger, name)
    settle(ledger, "engine-1", name, RunOutcome("ok", measurements=(Measured(metric, Decimal(value), unit),)))


@pytest.fixture
def powered(empty: Ledger) -> Ledger:
    """Return a ledger in which power was worked out and reviewed."""
    adopt_plan(empty, "pm", computing(0.33), reason="first plan")
    worked_out(empty, "071@site", "power.node_kw", "10.2", "kW")
    worked_out(empty, "072@site", "power.it_mw", "0.33", "MW")
    start(empty, "tech", "073@site")
    finish(empty, "tech", "073@site")
    from ledger.subjects.sign_off.kinds.signed import sign

    sign(empty, "lead", "073@site")
    return empty


def asked(ledger: Ledger, new: Plan) -> Consequences:
    """Ask what a plan would undo, as `plan diff` does."""
    with open_snapshot(ledger.site_dir) as snapshot:
        return consequences_of(snapshot, new)


def names(found: Consequences) -> tuple[list[str], list[str], list[str]]:
    return (
        [c.activity for c in found.reopened],
        [c.activity for c in found.sign_again],
        [c.activity for c in found.stale],
    )


def stand(ledger: Ledger, clock: Clock) -> dict[str, tuple[str, int, bool]]:
    with open_snapshot(ledger.site_dir, clock.now) as snapshot:
        return {r.id: (r.state.value, r.attempt, "stale" in r.flags) for r in activities(snapshot)}


def test_a_changed_design_opens_its_calculations_again_and_leaves_the_rest(powered: Ledger, clock: Clock) -> None:
    """What was worked out from other figures no longer holds; what was not stays done."""
    new = computing(0.5)
    found = asked(powered, new)

    adopt_plan(powered, "pm", new, reason="more servers")

    assert names(found) == (["072@site"], [], ["073@site"])
    assert found.reopened[0].why == "power.it_mw is 0.5 MW, was 0.33 MW"
    after = stand(powered, clock)
    assert after["072@site"] == ("ready", 2, False)
    assert after["073@site"] == ("done", 1, True)
    assert after["071@site"] == ("done", 1, False)
    assert audit(powered.site_dir) == []


def test_what_is_shown_is_exactly_what_adoption_does(ledger: Ledger, clock: Clock) -> None:
    """The person who adopts has read what happens, all of it and nothing else."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    verified(ledger)
    mtu = [criterion("mtu", "==", 4200, "B")]
    policy = asdict(small_plan().activities[0].policy) | {"quorum": 2}
    new = revised({"040@pod-001": {"criteria": mtu}, "010@pod-001": {"items": 16}, "001@site": {"policy": policy}})
    reopened, sign_again, stale = names(asked(ledger, new))
    before = stand(ledger, clock)

    adopt_plan(ledger, "pm", new, reason="smaller frames")

    after = stand(ledger, clock)
    assert reopened == ["010@pod-001", "040@pod-001"]
    assert sign_again == ["001@site"]
    assert stale == ["020@pod-001", "030@pod-001", "050@pod-001"]
    assert [n for n in after if after[n][1] > before[n][1]] == reopened
    assert sorted(n for n in after if after[n][2]) == sorted(sign_again + stale)
    assert audit(ledger.site_dir) == []


def test_a_reason_names_what_differs(ledger: Ledger, clock: Clock) -> None:
    """`changed` alone sends people to compare files."""
    bought(ledger)
    racked(ledger)
    new = revised(
        {"010@pod-001": {"items": 16, "items_of": "servers", "criteria": [criterion("torque", ">=", 5, "N*m")]}}
    )

    found = asked(ledger, new).reopened[0]

    assert found.why == "16 servers, was None items; torque >= 5 N*m is new"
    more = {count: [criterion(f"m{n}", ">=", 5, "N*m") for n in range(count)] for count in (4, 5)}
    said = {count: asked(ledger, revised({"010@pod-001": {"criteria": more[count]}})).reopened[0].why for count in more}
    assert said[4] == "; ".join(f"m{n} >= 5 N*m is new" for n in range(4))
    assert said[5] == f"{said[4]}; and 1 more"
    for title in ("A quote", "Third quote"):
        (again,) = asked(ledger, revised({"001@site": {"title": title}})).sign_again
        assert again.why == f"it is called {title!r}, was 'Step 001'"


def test_how_a_limit_is_written_opens_nothing_again(empty: Ledger) -> None:
    """Plans of earlier releases say 5.0, where plans say 5 now."""

    def limited(kw: str) -> Plan:
        return computing(1.0, **{"071@site": {"criteria": [criterion("power.node_kw", ">", kw, "kW")]}})

    adopt_plan(empty, "pm", limited("5.0"), reason="first plan")
    worked_out(empty, "071@site", "power.node_kw", "10.2", "kW")

    assert asked(empty, limited("5")) == Consequences()
    assert asked(empty, limited("20")).reopened[0].why == "power.node_kw > 20 kW, was 5.0 kW"


def test_what_failed_is_tried_again_when_the_design_is_corrected(empty: Ledger, clock: Clock) -> None:
    """The usual way out of a calculation that is not met."""
    adopt_plan(empty, "pm", computing(0.0), reason="first plan")
    worked_out(empty, "071@site", "power.node_kw", "10.2", "kW")
    worked_out(empty, "072@site", "power.it_mw", "0", "MW")
    assert stand(empty, clock)["072@site"][0] == "checked_not_met"

    adopt_plan(empty, "pm", computing(0.33), reason="with servers")

    assert stand(empty, clock)["072@site"] == ("ready", 2, False)


def test_work_under_way_is_left_to_its_end(powered: Ledger, clock: Clock) -> None:
    """People are not sent home; what they finish is judged by what is then in force."""
    more = activity("090@site")
    first = powered
    adopt_plan(first, "pm", _with(computing(0.33), more), reason="one more")
    start(first, "tech", "090@site")

    adopt_plan(first, "pm", _with(computing(0.33), more | {"items": 3}), reason="three of it")

    assert stand(first, clock)["090@site"] == ("in_progress", 1, False)


def _with(plan: Plan, extra: dict[str, Any]) -> Plan:
    document = plan.model_dump(mode="json")
    return Plan.model_validate(document | {"activities": [*document["activities"], extra]})


def test_a_revision_of_version_1_is_replayed_by_the_rule_of_its_time(ledger: Ledger, clock: Clock) -> None:
    """Its event does not say what it undid: what was asked for differently became stale, and nothing was opened."""
    bought(ledger)
    new = revised({"001@site": {"items": 3}})
    old = {"revision": 2, "document": store_plan(ledger.site_dir, new), "reason": "then", "baseline": None}
    payload = upcast("plan.adopted", 1, PlanAdopted.version, old | {"activities": 13, "digests": {}})

    ledger.append(Draft("pm", PlanAdopted.model_validate(payload), "plan/2", T0))

    assert stand(ledger, clock)["001@site"] == ("done", 1, True)


def test_a_calculation_under_a_plan_that_was_replaced_is_not_recorded(powered: Ledger, clock: Clock) -> None:
    """Adopted between the claim and the result: the result is the old plan's."""
    adopt_plan(powered, "pm", computing(0.5), reason="more servers")
    assert take(powered, "072@site")
    adopt_plan(powered, "pm", computing(0.6), reason="still more")
    outcome = RunOutcome("ok", measurements=(Measured("power.it_mw", Decimal("0.5"), "MW"),))

    settle(powered, "engine-1", "072@site", outcome, revision=2)

    assert stand(powered, clock)["072@site"] == ("ready", 3, False)
    with open_snapshot(powered.site_dir) as snapshot:
        assert runs(snapshot, "072@site")[-1].summary == "worked out under revision 2; 3 is in force"


def test_a_calculation_does_not_end_before_what_holds_back_its_end(empty: Ledger, clock: Clock) -> None:
    """The as-built waits for the last pod's discovery, though it may begin with the first."""
    plan = computing(0.33).model_dump(mode="json")
    held = link("073@site", "072@site", type="FF")
    links = [x for x in plan["links"] if x["before"] != "072@site"] + [held]
    adopt_plan(empty, "pm", Plan.model_validate(plan | {"links": links}), reason="first plan")
    worked_out(empty, "071@site", "power.node_kw", "10.2", "kW")
    with open_snapshot(empty.site_dir, clock.now) as snapshot:
        assert not may_finish(snapshot, require_activity(snapshot, "072@site"))
        assert [u.predecessor for u in why(snapshot, "072@site").unmet] == ["073@site"]

    with pytest.raises(NotSatisfiedError, match="cannot finish yet"):
        worked_out(empty, "072@site", "power.it_mw", "0.33", "MW")


@pytest.mark.parametrize(
    ("was", "now", "holds"),
    [
        ((">=", 5), (">=", 4), True),
        ((">=", 5), (">=", 6), False),
        (("<=", 5), ("<=", 6), True),
        (("<=", 5), ("<=", 4), False),
        (("==", 0), ("<=", 2), True),
        (("==", 3), ("<=", 2), False),
        ((">", 5), (">=", 5), False),
        ((">", 5), (">", 5), True),
        ((">", 5), (">", 4), True),
        (("<", 5), ("<", 6), True),
        (("==", 3), (">", 2), True),
        (("==", 2), (">", 2), False),
        (("==", 2), (">=", 2), True),
        (("==", 2), ("<", 2), False),
        (("==", 2), ("<=", 2), True),
        ((">=", 5), ("==", 5), False),
        (("==", 1), ("!=", 2), False),
        (("==", True), ("==", True), True),
        (("==", True), ("==", False), False),
    ],
)
def test_a_criterion_that_asks_for_no_more_is_met_by_what_met_the_earlier(
    was: tuple[Any, Any], now: tuple[Any, Any], holds: bool
) -> None:
    """Where that is not certain, the activity is opened again."""
    earlier, later = (PlanCriterion(metric="m", op=op, value=value, unit="kPa", source="s") for op, value in (was, now))

    assert implies(earlier, later) is holds


@pytest.mark.parametrize(("of", "stated"), [("counts", "counted"), ("works_out", "worked_out"), ("makes", "kinds")])
def test_what_a_release_changed_opens_nothing_only_where_nothing_else_differs(of: str, stated: str) -> None:
    """A site that also set another figure has its finished work looked at again."""
    released = {"moved": {stated: ["010"]}}
    old, new = small_plan(figures={"pue": 1.3}), small_plan(figures={"pue": 1.3}, **released)
    other = small_plan(figures={"pue": 1.5}, **released)

    assert [getattr(Upgrade(old, new), of)(step) for step in ("010", "020")] == [True, False]
    assert not getattr(Upgrade(old, other), of)("010")


def test_nobody_is_asked_to_sign_again_what_left_the_plan(ledger: Ledger, look: Look, clock: Clock) -> None:
    """A pod that is not built any more was racked, and what it rested on is opened again."""
    bought(ledger)
    racked(ledger)
    reopen(ledger, "pm", "001@site", "another maker")
    stale = "010@pod-001"
    assert stale in {one.subject for one in decisions_needed(look(clock.now))}

    plan = small_plan().model_dump(mode="json")
    kept = [one for one in plan["activities"] if one["id"] != stale]
    links = [one for one in plan["links"] if stale not in {one["before"], one["after"]}]
    adopt_plan(ledger, "pm", small_plan(activities=kept, links=links), reason="one pod fewer")

    assert stale not in {one.subject for one in decisions_needed(look(clock.now))}
    assert why(look(clock.now), stale).state_sentence.startswith(
        "done: It is done. The plan in force does not have it any more."
    )
