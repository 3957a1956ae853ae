"""A person leaves the site: the adopted plan does not name them any more. What they had is nobody's, and is not forgotten."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from ledger.questions.inbox import inbox
from ledger.questions.listing import list_rows
from ledger.questions.people import delegations
from ledger.questions.reminders import reminders
from ledger.questions.why_chain import why_chain
from ledger.subjects.ncr.decisions import disposition_ncr
from ledger.subjects.people.decisions import delegate
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.work.decisions import assign, finish, start
from ledger.subjects.work.kinds.action_items import agree_action
from ledger.subjects.work.kinds.organisation_assigned import assign_organisation
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotPermittedError
from tests.ledger.conftest import T0, Clock, Look, begun, earlier_rules, small_plan

WORK = "001@site"


@pytest.fixture
def site(ledger: Ledger) -> Ledger:
    """Return a site at which somebody has work, a non-conformance, an action item and a role of somebody else."""
    start(ledger, "tech", WORK)
    finish(ledger, "tech", WORK)
    reject(ledger, "lead", WORK, "no second quote")
    assign(ledger, "pm", WORK, "guest")
    disposition_ncr(ledger, "lead", "NCR-0001", "rework", owner="guest", due=date(2026, 1, 8))
    agree_action(ledger, "pm", "ask again", owner="guest", due=date(2026, 1, 9))
    delegate(ledger, "lead", "guest", "network-lead", since=T0, until=T0 + timedelta(days=5), reason="away")
    return ledger


def leave(ledger: Ledger, person: str) -> None:
    plan = small_plan()
    stay = tuple(one for one in plan.people if one.id != person)
    adopt_plan(ledger, "pm", plan.model_copy(update={"people": stay}), reason=f"{person} left")


def test_work_of_who_left_waits_for_everybody_with_its_role(site: Ledger, look: Look, clock: Clock) -> None:
    """It would wait in nobody's inbox."""
    assert WORK not in [row.activity for row in inbox(look(clock.now), "tech")]

    leave(site, "guest")

    assert WORK in [row.activity for row in inbox(look(clock.now), "tech")]
    (row,) = list_rows(look(clock.now), None, [WORK])
    assert (row.assignee, row.who) == (None, "technician")
    assert "guest" not in {node.who for node in why_chain(look(clock.now), "010@pod-001")}


def test_items_of_who_left_are_the_project_owners(site: Ledger, look: Look, clock: Clock) -> None:
    """A punch item would become overdue, and nobody would be reminded."""

    def reminded(person: str | None = None) -> list[tuple[str, str]]:
        found = reminders(look(clock.now), person=person)
        return [(row.person, row.what) for row in found if row.kind in {"ncr", "action"}]

    ncr, action = f"{WORK}: rework: no second quote", "ask again"
    assert {("guest", ncr), ("guest", action)} <= {*reminded()}

    leave(site, "guest")

    assert reminded() == [("pm", f"{ncr} (guest has left)"), ("pm", f"{action} (guest has left)")]
    assert reminded("pm") == reminded()
    assert reminded("lead") == []


@pytest.mark.parametrize("person", ["guest", "lead"])
def test_a_role_that_was_lent_by_or_to_who_left_does_not_count(
    site: Ledger, look: Look, clock: Clock, person: str
) -> None:
    """Neither is anybody reminded that it ends."""
    (lent,) = delegations(look())
    assert not lent.is_void

    leave(site, person)

    (lent,) = delegations(look())
    assert lent.is_void
    assert [row for row in reminders(look(clock.now)) if row.kind == "delegation"] == []


def test_work_of_an_organisation_that_left_waits_for_everybody_with_its_role(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """Its people alone could report on it, and nobody else was reminded of it."""
    people = [one.model_dump() | {"account": one.account} for one in small_plan().people]
    theirs = [one | {"organisation": "Sparks Ltd" if one["id"] == "tech" else ""} for one in people]
    adopt_plan(ledger, "pm", small_plan(people=theirs), reason="a contractor")
    assign_organisation(ledger, "pm", WORK, "sparks  ltd")
    start(ledger, "tech", WORK)
    gone = [one | {"organisation": "Volt Ltd" if one["id"] == "tech" else ""} for one in people]
    assert list_rows(look(clock.now), None, [WORK])[0].who == "Sparks Ltd"

    adopt_plan(ledger, "pm", small_plan(people=gone), reason="another contractor")

    assert list_rows(look(clock.now), None, [WORK])[0].who == "technician"
    assert WORK in [row.activity for row in inbox(look(clock.now), "tech")]
    assert "Sparks Ltd" not in {node.who for node in why_chain(look(clock.now), "010@pod-001")}
    finish(ledger, "tech", WORK)
    assert audit(ledger.site_dir) == []


def test_by_earlier_rules_work_stays_with_an_organisation_that_left(site_dir: Path, clock: Clock) -> None:
    people = [one.model_dump() | {"account": one.account} for one in small_plan().people]
    theirs = [one | {"organisation": "Sparks Ltd" if one["id"] == "lead" else ""} for one in people]
    with earlier_rules(4), begun(site_dir, clock) as ledger:
        adopt_plan(ledger, "pm", small_plan(people=theirs), reason="a contractor")
        assign_organisation(ledger, "pm", WORK, "Sparks Ltd")
        adopt_plan(ledger, "pm", small_plan(), reason="it left")

        with pytest.raises(NotPermittedError, match="is Sparks Ltd's"):
            start(ledger, "tech", WORK)
