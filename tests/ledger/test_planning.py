"""Plans in force: who may adopt, what a later revision does to what already happened."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from ledger.evidence.names import without_names
from ledger.evidence.plans import read_plan
from ledger.questions.activities import activities, ready
from ledger.questions.case import require_activity
from ledger.questions.orders import orders
from ledger.questions.people import person_for_account
from ledger.questions.site import project_time, site_of, units
from ledger.reading import open_snapshot
from ledger.rules.version import RULES
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, measure, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import (
    T0,
    Clock,
    Look,
    StateOf,
    account_of,
    activity,
    begun,
    criterion,
    earlier_rules,
    small_plan,
)
from tests.ledger.journey import bought


def revised(changes: dict[str, dict[str, Any]], without: str = "-", extra: list[dict[str, Any]] | None = None) -> Any:
    """Return the small plan with some activities changed, some left out and some added."""
    plan = small_plan().model_dump()
    activities = [a | changes.get(a["id"], {}) for a in plan["activities"] if a["id"] != without]
    links = [x for x in plan["links"] if without not in (x["before"], x["after"])]
    return small_plan(activities=activities + (extra or []), links=links)


def test_adopted_plan_is_read_back_exactly(ledger: Ledger, look: Look) -> None:
    """What is in force is what was shown, thresholds and all, but for people's names."""
    assert read_plan(look()) == without_names(small_plan())


@pytest.mark.own_file
def test_the_first_plan_is_adopted_by_the_owner_alone(empty: Ledger) -> None:
    """A plan names its own people, so nobody may adopt the first one because it names them."""
    for person in ("tech", "sponsor"):
        with pytest.raises(NotSatisfiedError, match=f"{person} .no role. may not adopt"):
            adopt_plan(empty, person, small_plan(), reason="mine")

    adopt_plan(empty, "pm", small_plan(), reason="first")


def test_adoption_states_what_applies_and_why_not(ledger: Ledger, look: Look, clock: Clock) -> None:
    """A step that does not apply keeps the reason of the decision."""
    site = site_of(look())

    assert (site.revision, site.adopted_by, site.rehearsal) == (1, "pm", False)
    assert require_activity(look(clock.now), "002@site").na_reason == "air cooled"
    assert [r.id for r in ready(look(clock.now))] == ["001@site"]
    assert [u.id for u in units(look())] == ["site", "pod-001", "pod-002"]
    assert [p.id for p in person_for_account(look(), account_of("lead")) if p.id == "lead"] == ["lead"]


def test_revision_keeps_what_was_done_and_drops_what_had_not_begun(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """Ids persist; a vanished activity says which revision removed it; a new one is there."""
    bought(ledger)
    plan = revised({}, without="050@pod-002", extra=[activity("060@pod-001")])

    adopt_plan(ledger, "pm", plan, reason="fewer checks")

    assert state("001@site") == "done"
    assert require_activity(look(clock.now), "050@pod-002").na_reason == "removed by revision 2"
    assert state("060@pod-001") == "ready"
    assert orders(look(clock.now))[0].state == "placed"
    assert audit(ledger.site_dir) == []


@pytest.mark.own_file
@pytest.mark.parametrize("version", [4, RULES])
def test_begun_work_that_a_revision_removes_is_finished_by_its_criteria(
    tmp_path: Path, clock: Clock, version: int
) -> None:
    """By earlier rules it lost them, and could be finished without a reading."""
    name = "301@site"
    measured = activity(name, criteria=[criterion("link.loss", "<=", Decimal("0.5"), "dB")])
    with earlier_rules(version):
        site = begun(tmp_path, clock)
    with site:
        adopt_plan(site, "pm", revised({}, extra=[measured]), reason="first")
        start(site, "tech", name)
        adopt_plan(site, "pm", small_plan(), reason="without it")
        if version == RULES:
            with pytest.raises(NotSatisfiedError, match=r"link\.loss"):
                finish(site, "tech", name)
            measure(site, "tech", name, "link.loss", Decimal("0.2"), "dB")
        finish(site, "tech", name)
        assert audit(site.site_dir) == []


def test_revision_that_asks_for_more_makes_what_is_done_stale(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Approved under another policy is not approved under this one."""
    bought(ledger)
    policy = asdict(small_plan().activities[0].policy) | {"quorum": 2}

    adopt_plan(ledger, "pm", revised({"001@site": {"policy": policy}}), reason="two signatures")

    assert require_activity(look(clock.now), "001@site").flags == {"stale"}


def test_same_plan_again_changes_nothing(ledger: Ledger, look: Look, clock: Clock) -> None:
    """A revision is a number and a reason."""
    bought(ledger)
    before = activities(look(clock.now))

    adopt_plan(ledger, "pm", small_plan(), reason="again")

    assert activities(look(clock.now)) == before
    assert audit(ledger.site_dir) == []


def test_adoption_needs_a_reason(empty: Ledger) -> None:
    """Why is asked for years later."""
    with pytest.raises(InputError, match="needs a reason"):
        adopt_plan(empty, "pm", small_plan(), reason=" ")


def test_rehearsal_marks_everything_done_as_simulated(tmp_path: Path, clock: Clock) -> None:
    """A rehearsal can never be mistaken for the real thing."""
    with begun(tmp_path, clock, rehearsal=True) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="rehearse")
        start(ledger, "tech", "001@site")
        finish(ledger, "tech", "001@site")
        sign(ledger, "lead", "001@site")

        with open_snapshot(tmp_path, clock.now) as snapshot:
            assert site_of(snapshot).rehearsal
            assert require_activity(snapshot, "001@site").flags == {"simulated"}
            assert project_time(snapshot) == T0


def test_rehearsal_time_never_falls_back(tmp_path: Path) -> None:
    """Who looks into a finished rehearsal decides after its last event, whatever the wall clock says."""
    clock = Clock()
    with begun(tmp_path, clock, rehearsal=True) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="rehearse")
        clock.forward(48)
        start(ledger, "tech", "001@site")
        clock.forward(-40)

        assert finish(ledger, "tech", "001@site").effective_at == T0 + timedelta(hours=48)
